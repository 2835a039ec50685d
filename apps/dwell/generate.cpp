// SPDX-License-Identifier: MIT
// dwell generate: writes a matrix of a known family as a Matrix Market file.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "arguments.hpp"
#include "commands.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/formats/error.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "help_format.hpp"
#include "matrix_source.hpp"
#include "output.hpp"
#include "progress.hpp"
#include "units.hpp"

namespace dwell::app {

namespace {

struct generate_arguments {
  std::string kind;
  std::string output;
  bool general = false;
  bool quiet = false;
};

std::string kinds_help() {
  const auto kinds = generated_kinds();
  std::size_t width = 0;
  for (const auto& k : kinds) width = std::max(width, k.kind.size());
  std::string text = "Kinds:\n";
  for (const auto& k : kinds) text += two_columns(k.kind, k.what, width + 4);
  return text;
}

exit_code run(const generate_arguments& args) {
  if (!is_generated(args.kind))
    throw input_error(
        fmt::format("{}: expected a kind such as trefethen:2000 (see 'dwell generate "
                    "--help'), found something else{}",
                    args.kind, suggested_kind(args.kind)));
  const bool to_stdout = args.output == "-";
  const std::string target = to_stdout ? "/dev/stdout" : args.output;
  output_files outputs;
  outputs.add("--output", target);

  progress_line progress(!args.quiet);
  progress.show("generating " + args.kind);
  const auto source = load_matrix(args.kind, 0);
  const auto& a = source.content.matrix;
  progress.show("writing " + args.output);
  mm_write_options how;
  how.symmetry = args.general ? mm_symmetry::general : mm_symmetry::symmetric;
  how.comment = args.kind + ", made by dwell generate " DWELL_VERSION;
  write_matrix_market(target, a.view(), how);
  progress.erase();

  if (args.quiet || to_stdout) return exit_code::done;
  std::error_code unknown;
  const auto bytes = std::filesystem::file_size(args.output, unknown);
  write_stdout(fmt::format("{}: {} x {}, {} nonzeros, {}{}\n", args.output, format_count(a.rows),
                           format_count(a.cols),
                           format_count(a.nonzeros() - count_explicit_zeros(a)),
                           args.general ? "both triangles" : "lower triangle",
                           unknown ? "" : ", " + format_bytes(static_cast<double>(bytes))));
  return exit_code::done;
}

}  // namespace

command add_generate(CLI::App& app) {
  const auto args = std::make_shared<generate_arguments>();
  add_file(app, "KIND", args->kind, "What to make, see below", "")->required();
  add_file(app, "-o,--output", args->output,
           "The file to write (.gz at the end compresses it); - is standard output")
      ->required();
  auto* symmetric = app.add_flag_callback(
      "--symmetric", [] {}, "Write the lower triangle only (the default)");
  app.add_flag("--general", args->general, "Write both triangles")->excludes(symmetric);
  app.add_flag("-q,--quiet", args->quiet, "Print nothing");
  app.footer(kinds_help() +
             "\nExamples:\n"
             "  dwell generate trefethen:2000 -o Trefethen_2000.mtx\n"
             "  dwell generate like:hood -o hood.mtx.gz\n"
             "  dwell generate poisson2d:300x200 -o - | head");
  return [args] { return run(*args); };
}

}  // namespace dwell::app
