// SPDX-License-Identifier: MIT
// dwell info: without a matrix, what this program can do here; with one, what there is to know of
// it before it is solved, and the same of a stencil. Exit code 0 also for a matrix that no solver
// would take.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/commands.hpp"
#include "cli/completions.hpp"
#include "cli/file_options.hpp"
#include "cli/matrix_source.hpp"
#include "cli/output.hpp"
#include "cli/progress.hpp"
#include "fields/facts.hpp"
#include "fields/problem.hpp"
#include "info/matrix_facts.hpp"
#include "info/stencil_facts.hpp"
#include "info/system_facts.hpp"
#include "report/json.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

#include "dwell/base/error.hpp"
#include "dwell/base/nearest.hpp"
#include "dwell/execution/device/threads/thread_limit.hpp"

namespace dwell::app {

namespace {

struct info_arguments {
  std::string matrix;
  device_choice device;
  int threads = 0;
  destination json_target;
};

/// "row 5" or "row 5, column 3": counted from 1, as Matrix Market files do.
std::string place(const tally& t) {
  return t.row == t.col ? fmt::format("row {}", t.row + 1)
                        : fmt::format("row {}, column {}", t.row + 1, t.col + 1);
}

std::string describe_symmetry(const matrix_facts& f) {
  std::string text = symmetry_found(f);
  if (!f.square || f.not_equal.count == 0 || f.not_conjugate.count == 0 ||
      f.not_opposite.count == 0)
    return text;
  if (f.not_stored.count > 0)
    text += fmt::format("; entries without a mirror entry: {}, first {}",
                        format_count(f.not_stored.count), place(f.not_stored));
  else
    text += fmt::format(", first {}", place(f.not_conjugate));
  return text + fmt::format("; largest difference {:.2g}, largest entry {:.2g}",
                            f.largest_difference, f.largest_entry);
}

std::string describe_diagonal(const matrix_facts& f) {
  if (f.diagonal == 0) return "empty";
  if (f.positive_diagonal == f.diagonal) return "all positive";
  std::string text = format_count(f.positive_diagonal) + " positive";
  const auto add = [&](const tally& t, const char* what) {
    if (t.count > 0)
      text += fmt::format(", {} {} (first {})", format_count(t.count), what, place(t));
  };
  add(f.zero_diagonal, "zero");
  add(f.negative_diagonal, "negative");
  add(f.complex_diagonal, "not real");
  add(f.missing_diagonal, "missing");
  return text;
}

/// How a file says that it holds the matrix.
struct declared_storage {
  std::int64_t entries;
  std::string layout, field, symmetry;
};
declared_storage storage_of(const matrix_source& source) {
  if (const auto& h = source.binary)
    return {h->nonzeros, "csr", h->single ? "f32" : "f64", h->symmetric ? "symmetric" : "general"};
  const mm_header& h = source.complex ? source.complex->header : source.content.header;
  return {h.stored, to_string(h.layout), to_string(h.field), to_string(h.symmetry)};
}

/// What matrices of real and of complex numbers both have.
struct matrix_sizes {
  index rows, cols, nonzeros;
  std::size_t bytes;
  bool has_companion;
  std::string companion_refusal;

  explicit matrix_sizes(const matrix_source& of) {
    const auto take = [&](const auto& content) {
      const auto& a = content.matrix;
      rows = a.rows, cols = a.cols, nonzeros = a.nonzeros(), bytes = a.bytes();
      has_companion = content.companion_rhs.has_value();
      companion_refusal = content.companion_refusal;
    };
    if (of.complex)
      take(*of.complex);
    else
      take(of.content);
  }
};

std::string to_text(const matrix_source& source, const matrix_facts& f) {
  const matrix_sizes a(source);
  table out;
  out.row("matrix", source.name + (source.generated ? " (generated)" : ""));
  out.row("size", format_plural(a.rows, "row") + ", " + format_plural(a.cols, "column"));
  const declared_storage stored = storage_of(source);
  if (!source.generated)
    out.row("stored", fmt::format("{} in the file ({}, {})", format_count(stored.entries),
                                  stored.layout, stored.field));
  out.row(
      "nonzeros",
      format_count(a.nonzeros - f.explicit_zeros) + " of the full matrix" +
          (f.explicit_zeros ? ", and " + format_plural(f.explicit_zeros, "explicit zero") : ""));
  if (!source.generated) out.row("symmetry", "declared: " + stored.symmetry);
  out.row(source.generated ? "symmetry" : "", "found:    " + describe_symmetry(f));
  out.row("row lengths",
          fmt::format("min {}, median {}, max {}{}", format_count(f.shortest_row), f.median_row,
                      format_count(f.longest_row),
                      f.empty_rows ? "; " + format_plural(f.empty_rows, "empty row") : ""));
  out.row("diagonal", describe_diagonal(f));
  if (f.least_entry > 0)
    out.row("magnitudes", f.least_entry == f.largest_entry
                              ? fmt::format("{:.4g}", f.largest_entry)
                              : fmt::format("{:.4g} to {:.4g}", f.least_entry, f.largest_entry));
  out.row("memory", fmt::format("{} (CSR, {}f64)", format_bytes(static_cast<double>(a.bytes)),
                                source.complex ? "complex " : ""));
  std::string time = format_seconds(source.read_s);
  if (source.file_bytes > 0)
    time += fmt::format(", {} of a {}file of {}",
                        format_rate(static_cast<double>(source.file_bytes) / source.read_s),
                        source.compressed ? "compressed " : "",
                        format_bytes(static_cast<double>(source.file_bytes)));
  out.row(source.generated ? "generating" : "reading", time);
  if (a.has_companion) out.row("companion", "a right-hand side: --rhs companion");
  if (const auto& why = a.companion_refusal; !why.empty())
    out.row("companion", "cannot be read: " + why);
  return out.text();
}

json to_json(const tally& t) {
  return {{"count", t.count},
          {"first_row", t.count ? json(t.row + 1) : json(nullptr)},
          {"first_column", t.count ? json(t.col + 1) : json(nullptr)}};
}

json to_json(const matrix_source& source, const matrix_facts& f) {
  const matrix_sizes a(source);
  const declared_storage stored = storage_of(source);
  const auto declared = [&](const std::string& word) {
    return source.generated ? json(nullptr) : json(word);
  };
  json out = document("info matrix");
  out.update({{"matrix",
               {{"name", source.name},
                {"rows", a.rows},
                {"columns", a.cols},
                {"stored", source.generated ? json(nullptr) : json(stored.entries)},
                {"nonzeros", a.nonzeros - f.explicit_zeros},
                {"explicit_zeros", f.explicit_zeros},
                {"layout", declared(stored.layout)},
                {"field", declared(stored.field)},
                {"bytes", a.bytes},
                {"companion", a.has_companion},
                {"companion_refusal", text_or_null(a.companion_refusal)}}},
              {"magnitudes", {{"least", f.least_entry}, {"largest", f.largest_entry}}},
              {"symmetry",
               {{"declared", declared(stored.symmetry)},
                {"found", symmetry_found(f)},
                {"without_mirror", to_json(f.not_stored)},
                {"not_equal", to_json(f.not_equal)},
                {"largest_difference", f.largest_difference}}},
              {"row_lengths",
               {{"min", f.shortest_row},
                {"median", f.median_row},
                {"max", f.longest_row},
                {"empty", f.empty_rows}}},
              {"diagonal",
               {{"positive", f.positive_diagonal},
                {"zero", to_json(f.zero_diagonal)},
                {"negative", to_json(f.negative_diagonal)},
                {"not_real", to_json(f.complex_diagonal)},
                {"missing", to_json(f.missing_diagonal)}}},
              {"time",
               {{"read_s", source.read_s},
                {"bytes_per_s", source.file_bytes
                                    ? json(static_cast<double>(source.file_bytes) / source.read_s)
                                    : json(nullptr)}}}});
  return out;
}

std::optional<stencil_shape> stencil_named(const std::string& name) {
  const auto all = stencil_shapes();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const auto& s) { return s.name == name; });
  return found == all.end() ? std::nullopt : std::optional(*found);
}

std::vector<std::string> stencil_names() {
  std::vector<std::string> names;
  for (const auto& s : stencil_shapes()) names.push_back(s.name);
  for (const ready_stencil& one : ready_stencils()) names.emplace_back(one.name);
  return names;
}

/// Which stencil was perhaps meant.
std::string suggested_stencil(const std::string& text) {
  const auto names = stencil_names();
  const std::vector<std::string_view> words(names.begin(), names.end());
  return suggestion(nearest(text, words));
}

/// A stencil is the same on every machine.
void require_no_machine(const info_arguments& args) {
  for (const auto& [option, given] :
       {std::pair("--device", args.device.given), {"--threads", args.threads > 0}})
    if (given)
      throw input_error(fmt::format("{}: expected a matrix or no name with it, found stencil {}",
                                    option, args.matrix));
}

exit_code run(const info_arguments& args) {
  output_files outputs;
  outputs.add(args.json_target);
  outputs.protect(args.matrix);
  require_one_reader({{"MATRIX", args.matrix}});
  std::string text;
  json value;
  if (args.matrix.empty()) {
    const auto facts = gather_system_facts(args.device, args.threads);
    text = to_text(facts), value = to_json(facts);
  } else if (const auto stencil = stencil_named(args.matrix)) {
    require_no_machine(args);
    text = app::to_text(*stencil), value = app::to_json(*stencil);
  } else if (has_fields(args.matrix)) {
    require_no_machine(args);
    const auto problem = read_problem(args.matrix);
    text = app::to_text(problem), value = app::to_json(problem);
  } else {
    require_source(args.matrix, fmt::format(" or a stencil ({})", fmt::join(stencil_names(), ", ")),
                   suggested_stencil(args.matrix));
    require_threads(args.threads);
    if (args.device.given)
      throw input_error("--device: expected no MATRIX with it, found " + args.matrix);
    progress_line progress(true);
    progress.show("reading " + args.matrix);
    const auto source = load_real_or_complex(args.matrix, args.threads);
    const auto facts = source.complex ? examine(source.complex->matrix.view(), args.threads)
                                      : examine(source.content.matrix.view(), args.threads);
    progress.erase();
    text = to_text(source, facts), value = to_json(source, facts);
  }
  if (!args.json_target.standard()) write_stdout(text);
  if (args.json_target) args.json_target.write(json_text(value));
  return exit_code::done;
}

}  // namespace

command add_info(CLI::App& app) {
  const auto args = std::make_shared<info_arguments>();
  auto* matrix = add_input(app, "MATRIX", args->matrix,
                           std::string("Optional. ") + matrix_kinds_help +
                               ", or a stencil that 'dwell stencil --help' lists, or FILE.toml "
                               "with one; - is standard input. A file that has "
                               "the name of a kind or of a stencil is written ./NAME",
                           "");
  auto words = matrix_kind_words();
  for (const auto& name : stencil_names()) words.push_back(name);
  set_completions(matrix, {words, value_completions::file});
  add_device(app, args->device, "Without MATRIX: show this device only");
  add_positive(app, "--threads", args->threads,
               "Threads to read with, and of the CPU as a device (default: all there are)");
  add_json(app, args->json_target, "all this");
  app.footer(
      "Examples:\n"
      "  dwell info\n"
      "  dwell info bcsstk17.mtx.gz\n"
      "  dwell info 2d9pt\n"
      "  dwell info wave2d\n"
      "  dwell info like:ecology2 --json -");
  return [args] { return run(*args); };
}

}  // namespace dwell::app
