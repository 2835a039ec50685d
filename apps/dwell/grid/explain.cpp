// SPDX-License-Identifier: MIT
// dwell explain grid: the levels of a system on a grid, where each one lives, what a cycle moves.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "explain/part.hpp"
#include "grid/commands.hpp"
#include "grid/problem.hpp"
#include "grid/result.hpp"
#include "report/columns.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

#include "dwell/base/report_table.hpp"
#include "dwell/grid/explain_grid.hpp"
#include "dwell/version.hpp"

namespace dwell::app {
namespace {

std::string level_size(const std::vector<int>& cells) {
  return sizes_text({cells.begin(), cells.end()});
}

/// "x and y": the axes that the next level has half of.
std::string axes_text(const grid_level_plan& l) {
  std::string text;
  for (auto axis = l.halved.rbegin(); axis != l.halved.rend(); ++axis)
    text += (text.empty() ? "" : " ") +
            std::string(1, "xyz"[static_cast<int>(l.cells.size()) - 1 - *axis]);
  return text;
}

columns<grid_level_plan> level_columns(bool on_gpu) {
  using row = grid_level_plan;
  return {{"size", "level", unit::range, [](const row& l) { return level_size(l.cells); }},
          {"halved", "halved", unit::word, [](const row& l) { return text_or_null(axes_text(l)); }},
          {"solved_by", "solved by", unit::word, [](const row& l) { return l.solved_by; }},
          {"threads", on_gpu ? "blocks" : "threads", unit::count,
           [](const row& l) { return l.threads; }},
          {"visits", "visits", unit::count, [](const row& l) { return l.visits; }},
          {"bytes", "holds", unit::bytes, [](const row& l) { return l.bytes; }},
          {"lives_in", "lives in", unit::word, [](const row& l) { return l.lives_in; }},
          {"bytes_per_cycle", "moved a cycle", unit::bytes,
           [](const row& l) { return l.bytes_per_cycle; }}};
}

std::string explanation_text(const grid_explanation& e, const grid_choices& given) {
  table out("dwell " DWELL_VERSION_STRING ": how a system on a grid would be solved, and why");
  for (const auto& [label, value] : grid_problem_rows(given)) out.row(label, value);
  if (e.singular) out.row("", "singular: nothing holds u");
  out.row("device", fmt::format("{} ({})", e.device.name, to_string(e.device.on)));
  const bool on_gpu = e.device.on != backend::cpu;
  const std::string cache = format_bytes(static_cast<double>(e.device.l2));
  out.row("", on_gpu ? fmt::format("{} multiprocessors, last-level cache {}", e.device.units, cache)
                     : fmt::format("second-level cache {} a core, last-level cache {}",
                                   format_bytes(static_cast<double>(e.device.core_cache)), cache));
  out.gap();
  out.row("method", e.method + ", preconditioner " + e.preconditioner);
  out.row(on_gpu ? "blocks" : "threads", e.reason);
  out.row("cycle", e.cycle);
  out.row("coefficients",
          e.shared_rows ? "some rows that all others share" : "of each cell, read by each visit");
  out.row("vectors", fmt::format("{} in {}, in {}", format_bytes(double(e.vector_bytes)),
                                 e.precision, e.vectors_live_in));
  out.row("moved", fmt::format("{} a cycle, {} an iteration, by the model",
                               format_bytes(double(e.cycle_bytes)),
                               format_bytes(double(e.bytes_per_iteration))));
  if (on_gpu)
    out.row("at least", fmt::format("{} an iteration: these bytes, {} barriers, nothing else",
                                    format_seconds(e.least_s), e.barriers));
  if (e.start_barriers > 0)
    out.row("", fmt::format("{} full multigrid before them, {} barriers",
                            format_seconds(e.start_least_s), e.start_barriers));
  if (e.levels.empty()) return out.text();
  return out.text() + "\n" + table_of(level_columns(on_gpu), e.levels).text();
}

json explanation_json(const grid_explanation& e, const grid_choices& given) {
  const bool on_gpu = e.device.on != backend::cpu;
  json out = document("explain grid");
  add_grid_problem_fields(out, given);
  out.update({{"precision", e.precision},
              {"device",
               {{"name", e.device.name},
                {"backend", to_string(e.device.on)},
                {"units", e.device.units},
                {"core_cache_bytes", e.device.core_cache},
                {"last_level_cache_bytes", e.device.l2}}},
              {"solver", e.method},
              {"preconditioner", e.preconditioner},
              {"threads", e.threads},
              {"reason", e.reason},
              {"cycle", e.cycle},
              {"singular", e.singular},
              {"shared_rows", e.shared_rows},
              {"vector_bytes", e.vector_bytes},
              {"vectors_live_in", e.vectors_live_in},
              {"levels", array_of(level_columns(on_gpu), e.levels)},
              {"cycle_bytes", e.cycle_bytes},
              {"bytes_per_iteration", e.bytes_per_iteration},
              {"barriers", on_gpu ? json(e.barriers) : json(nullptr)},
              {"least_s", on_gpu ? json(e.least_s) : json(nullptr)},
              {"start_barriers", on_gpu ? json(e.start_barriers) : json(nullptr)},
              {"start_least_s", on_gpu ? json(e.start_least_s) : json(nullptr)}});
  return out;
}

struct grid_part : explain_part {
  grid_choices problem;

  void add(CLI::App& app) {
    add_grid_problem(app, problem);
    add_grid_method(app, problem);
    add_explained_device(app, device, threads, asked_facts);
    app.footer(
        "The levels are made, since which axes are halved follows from the coefficients; nothing "
        "is\nsolved. A GPU need not be here.\n"
        "\nExamples:\n"
        "  dwell explain grid 1000x1000\n"
        "  dwell explain grid 300x300 --k k.npy --k-axes 1,0.01 --json -\n"
        "  dwell explain grid 1000x1000 --device-facts h200");
  }
  input_list inputs() const { return input_files(problem); }
  void check() {
    if (device.what == device_choice::kind::automatic && !asked_facts.given())
      device.what = device_choice::kind::cpu;
  }
  template <class T>
  grid_explanation explain_in(const device_facts& facts) const {
    // What is explained of a GPU has no vectors here.
    if (facts.on == backend::cpu) require_grid_memory(problem);
    const grid_input<T> in(problem);
    return dwell::explain(in.d, facts, problem.options);
  }
  explanation explain(const device_facts& facts) const {
    const grid_explanation e =
        problem.precision == "f32" ? explain_in<float>(facts) : explain_in<double>(facts);
    return {explanation_text(e, problem), explanation_json(e, problem)};
  }
};

}  // namespace

command add_explain_grid(CLI::App& app) { return add_part<grid_part>(app); }

}  // namespace dwell::app
