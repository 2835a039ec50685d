// SPDX-License-Identifier: MIT
// dwell generate: writes a matrix of a known family as a Matrix Market or .dwell file.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <memory>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "cli/help_format.hpp"
#include "cli/matrix_source.hpp"
#include "cli/matrix_target.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "dwell/base/error.hpp"
#include "dwell/base/printable.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/formats/binary_matrix.hpp"
#include "dwell/formats/columns_file.hpp"
#include "dwell/formats/is_symmetric.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/formats/row_source.hpp"
#include "dwell/formats/vector_file.hpp"
#include "dwell/version.hpp"
#include "report/units.hpp"

namespace dwell::app {

namespace {

struct generate_arguments {
  std::string kind;
  destination output, coordinates;
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

/// Before the matrix, which takes longer: a kind without nodes is refused at once.
void write_coordinates(const generate_arguments& args) {
  const generated_nodes nodes = generate_coordinates(args.kind);
  const auto dims = static_cast<std::size_t>(nodes.dimension), n = nodes.values.size() / dims;
  dense_columns columns{static_cast<index>(n), nodes.dimension, {}};
  for (std::size_t axis = 0; axis < dims; ++axis)
    for (std::size_t node = 0; node < n; ++node)
      columns.values.push_back(nodes.values[node * dims + axis]);
  write_columns(args.coordinates.path(), columns,
                "coordinates of the nodes of " + args.kind +
                    ", made by dwell generate " DWELL_VERSION_STRING);
}

void write_text(const generate_arguments& args, const csr_view<double>& a) {
  mm_write_options how;
  how.symmetry = args.general ? mm_symmetry::general : mm_symmetry::symmetric;
  how.comment = args.kind + ", made by dwell generate " DWELL_VERSION_STRING;
  write_matrix_market(args.output.path(), a, how);
}

struct written_size {
  std::int64_t rows, cols, nonzeros;
};
void report_written(const generate_arguments& args, const output_files& outputs,
                    const written_size& of, const char* what) {
  if (args.quiet) return;
  outputs.report(fmt::format("{}: {} x {}, {} nonzeros, {}{}\n", printable(args.output.label()),
                             format_count(of.rows), format_count(of.cols),
                             format_count(of.nonzeros), what, written_bytes(args.output)));
}

exit_code run(const generate_arguments& args) {
  if (!is_generated(args.kind))
    throw input_error(
        fmt::format("{}: expected a kind such as trefethen:2000 (see 'dwell generate "
                    "--help'), found something else{}",
                    args.kind, suggested_kind(args.kind)));
  const std::string target = args.output.path();
  require_matrix_name(args.output);
  const bool binary = is_binary_name(args.output);
  if (binary && args.general)
    throw input_error(
        "--general: expected an output in Matrix Market format; a .dwell file has all entries");
  if (args.coordinates && !is_vector_name(args.coordinates.path()))
    throw input_error(fmt::format("--coordinates: expected {}, found '{}'", vector_names,
                                  args.coordinates.name()));
  output_files outputs;
  for (const auto& to : {args.output, args.coordinates}) outputs.add(to);
  if (args.coordinates) write_coordinates(args);

  progress_line progress(!args.quiet);
  progress.show("generating " + args.kind);
  const auto rows = source_in_parts(args.kind);
  if (rows) require_text_size(args.output, *rows);
  if (rows && binary) {
    write_binary_matrix(target, *rows);
    progress.erase();
    report_written(args, outputs, {rows->rows(), rows->cols(), rows->nonzeros()},
                   "all of them stored");
    return exit_code::done;
  }
  const auto source = load_matrix(args.kind, 0);
  const auto& a = source.content.matrix;
  if (!binary && !args.general && !is_symmetric(a.view()))
    throw input_error(args.kind +
                      ": expected --general for a matrix that is not symmetric, found none");
  progress.show("writing " + args.output.label());
  if (binary)
    write_binary_matrix(target, a.view(), is_symmetric(a.view()));
  else
    write_text(args, a.view());
  progress.erase();

  report_written(args, outputs, {a.rows, a.cols, a.nonzeros() - count_explicit_zeros(a)},
                 binary         ? "all of them stored"
                 : args.general ? "both triangles"
                                : "lower triangle");
  return exit_code::done;
}

}  // namespace

command add_generate(CLI::App& app) {
  const auto args = std::make_shared<generate_arguments>();
  auto* kind =
      add_checked_file(app, "KIND", "What to make, see below", "",
                       [args](const std::string&, const std::string& text) { args->kind = text; });
  kind->required();
  set_completions(kind, {matrix_kind_words()});
  add_destination(app, "-o,--output", args->output,
                  "The file to write, .mtx, .mtx.gz (compressed) or .dwell (binary); - is standard "
                  "output, and what there is to say then goes to standard error")
      ->required();
  add_destination(
      app, "--coordinates", args->coordinates,
      "Of elasticity2d and elasticity3d: write the coordinates of the free nodes too, "
      ".mtx, .mtx.gz or .npy, a row for each, as 'dwell solve --coordinates' reads them");
  auto* symmetric = app.add_flag_callback(
      "--symmetric", [] {}, "Write the lower triangle only (the default)");
  app.add_flag("--general", args->general, "Write both triangles")->excludes(symmetric);
  app.add_flag("-q,--quiet", args->quiet, "Print nothing");
  app.footer(kinds_help() +
             "\nA .dwell file of a kind that is a grid is written a few rows at a time, however\n"
             "large it is.\n"
             "\nExamples:\n"
             "  dwell generate trefethen:2000 -o Trefethen_2000.mtx\n"
             "  dwell generate like:hood -o hood.mtx.gz\n"
             "  dwell generate elasticity3d:20x20x20 -o A.mtx --coordinates nodes.npy\n"
             "  dwell generate poisson2d:300x200 -o - | head");
  return [args] { return run(*args); };
}

}  // namespace dwell::app
