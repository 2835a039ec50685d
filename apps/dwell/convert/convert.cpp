// SPDX-License-Identifier: MIT
// dwell convert: a matrix from one format to another. What can be had in parts (.dwell files and
// kinds that are made by rows) goes to a .dwell file in parts, however large it is.
#include <fmt/format.h>

#include <memory>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "cli/matrix_source.hpp"
#include "cli/matrix_target.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "report/units.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/printable.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/threads/thread_limit.hpp"
#include "dwell/formats/binary_matrix.hpp"
#include "dwell/formats/is_symmetric.hpp"
#include "dwell/version.hpp"

namespace dwell::app {

namespace {

struct convert_arguments {
  std::string matrix;
  destination output;
  int threads = 0;
  std::string precision = "auto";
  bool general = false;
  bool quiet = false;
};

/// What was written, for the report.
struct written {
  std::int64_t rows = 0, cols = 0, entries = 0;
  std::string how;
  bool companion = false;  ///< the archive has a right-hand side, too
};

std::string symmetry_word(bool symmetric) { return symmetric ? "symmetric" : "general"; }

std::string binary_words(bool single, bool symmetric) {
  return fmt::format("{}, {}", single ? "f32" : "f64", symmetry_word(symmetric));
}

written write_in_parts(const convert_arguments& args, const row_source& from) {
  const auto* file = dynamic_cast<const binary_matrix_file*>(&from);
  const bool single =
      args.precision == "auto" ? file && file->header().single : args.precision == "f32";
  write_binary_matrix(args.output.path(), from, single);
  return {from.rows(), from.cols(), from.nonzeros(), binary_words(single, from.symmetric())};
}

written write_whole(const convert_arguments& args, const matrix_source& source) {
  const auto a = source.content.matrix.view();
  const bool symmetric = !args.general && is_symmetric(a);
  written out{a.rows, a.cols, a.nonzeros(), {}, source.content.companion_rhs.has_value()};
  if (is_binary_name(args.output)) {
    const bool single =
        args.precision == "auto" ? source.binary && source.binary->single : args.precision == "f32";
    if (single)
      write_binary_matrix(args.output.path(), convert<float>(a).view(), symmetric);
    else
      write_binary_matrix(args.output.path(), a, symmetric);
    out.how = binary_words(single, symmetric);
    return out;
  }
  mm_write_options how;
  how.symmetry = symmetric ? mm_symmetry::symmetric : mm_symmetry::general;
  how.comment = source.name + ", by dwell convert " DWELL_VERSION_STRING;
  write_matrix_market(args.output.path(), a, how);
  out.how = symmetric ? "symmetric, lower triangle" : "general, all entries";
  return out;
}

/// Complex numbers have room in text alone.
written write_complex(const convert_arguments& args, const mm_complex_matrix& of) {
  if (is_binary_name(args.output))
    throw unsupported_error(
        fmt::format("--output: expected a name that ends in .mtx or .mtx.gz for a complex matrix "
                    "(.dwell files have real numbers), found '{}'",
                    args.output.name()));
  const auto a = of.matrix.view();
  mm_write_options how;
  how.symmetry = args.general      ? mm_symmetry::general
                 : is_symmetric(a) ? mm_symmetry::symmetric
                 : is_hermitian(a) ? mm_symmetry::hermitian
                                   : mm_symmetry::general;
  how.comment = of.name + ", by dwell convert " DWELL_VERSION_STRING;
  write_matrix_market(args.output.path(), a, how);
  const bool half = how.symmetry != mm_symmetry::general;
  return {a.rows, a.cols, a.nonzeros(),
          fmt::format("complex, {}, {}", to_string(how.symmetry),
                      half ? "lower triangle" : "all entries"),
          of.companion_rhs.has_value()};
}

void check_options(const convert_arguments& args) {
  require_matrix_name(args.output);
  require_source(args.matrix);
  require_threads(args.threads);
  const bool binary = is_binary_name(args.output);
  if (binary && args.general)
    throw input_error(
        "--general: expected an output in Matrix Market format; a .dwell file has all "
        "entries");
  if (!binary && args.precision != "auto")
    throw input_error("--precision: expected an output that ends in .dwell; text has all digits");
}

exit_code run(const convert_arguments& args) {
  check_options(args);
  output_files outputs;
  outputs.add(args.output);
  outputs.protect(args.matrix);
  require_one_reader({{"MATRIX", args.matrix}});

  progress_line progress(!args.quiet);
  const auto parts = source_in_parts(args.matrix);
  if (parts) require_text_size(args.output, *parts);
  written done;
  if (parts && is_binary_name(args.output)) {
    progress.show("writing " + args.output.label());
    done = write_in_parts(args, *parts);
  } else {
    progress.show("reading " + args.matrix);
    const auto source = load_real_or_complex(args.matrix, args.threads);
    progress.show("writing " + args.output.label());
    done = source.complex ? write_complex(args, *source.complex) : write_whole(args, source);
  }
  progress.erase();
  if (args.quiet) return exit_code::done;
  outputs.report(fmt::format(
      "{}: {} x {}, {} entries, {}{}{}\n", printable(args.output.label()), format_count(done.rows),
      format_count(done.cols), format_count(done.entries), done.how, written_bytes(args.output),
      done.companion ? "; the right-hand side of the archive stays there" : ""));
  return exit_code::done;
}

}  // namespace

command add_convert(CLI::App& app) {
  const auto args = std::make_shared<convert_arguments>();
  set_completions(add_input(app, "MATRIX", args->matrix, matrix_help, "")->required(),
                  {matrix_kind_words(), value_completions::file});
  add_destination(app, "-o,--output", args->output,
                  "The file to write: .dwell (binary, which ranks read in parts), .mtx or .mtx.gz "
                  "(Matrix Market); standard output (-), a pipe or a device without an ending "
                  "takes Matrix Market text")
      ->required();
  add_choice(app, "--precision", args->precision, {"auto", "f64", "f32"},
             "Of values in a .dwell file; f32 rounds them. auto: f32 of a .dwell file in f32, else "
             "f64");
  app.add_flag("--general", args->general,
               "Matrix Market: write both triangles of a symmetric matrix, too");
  add_positive(app, "--threads", args->threads, "Threads to read with (default: all there are)");
  app.add_flag("-q,--quiet", args->quiet, "Print nothing");
  app.footer(
      "A file appears whole or not at all. Values keep their bits, from text to .dwell and back, "
      "and\n"
      "explicit zeros stay; a pattern becomes ones, integers become reals. Of a .dwell file, and "
      "of\n"
      "kinds that are grids, a .dwell file is written a few rows at a time, however large it is.\n"
      "\nExamples:\n"
      "  dwell convert A.mtx.gz -o A.dwell\n"
      "  dwell convert A.dwell -o A.mtx\n"
      "  dwell convert poisson3d:300x300x300 -o A.dwell");
  return [args] { return run(*args); };
}

}  // namespace dwell::app
