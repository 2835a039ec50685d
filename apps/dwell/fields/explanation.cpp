// SPDX-License-Identifier: MIT
// What is needed, what each stage does, then the plan, then what a device could do at best.
#include "fields/explanation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

#include "report/table.hpp"
#include "report/units.hpp"

#include "dwell/execution/device/executors.hpp"
#include "dwell/version.hpp"

namespace dwell::app {
namespace {

double count_of(std::size_t n) { return static_cast<double>(n); }

std::string named(const cell_tape& tape, int array) {
  const auto i = static_cast<std::size_t>(array);
  return i < tape.fields.size() ? tape.fields[i] : tape.coefficients[i - tape.fields.size()];
}
std::string named(const cell_tape& tape, const std::vector<int>& arrays) {
  std::vector<std::string> names;
  for (const int array : arrays) names.push_back(named(tape, array));
  return fmt::format("{}", fmt::join(names, ", "));
}

/// "u, v; coefficients c2; parameters r".
std::string arrays_text(const cell_tape& tape) {
  std::string text = fmt::format("{}", fmt::join(tape.fields, ", "));
  if (!tape.coefficients.empty())
    text += fmt::format("; coefficients {}", fmt::join(tape.coefficients, ", "));
  if (!tape.parameters.empty())
    text += fmt::format("; parameters {}", fmt::join(tape.parameters, ", "));
  return text;
}

/// "computes u, v, of u (5 cells) and c2 (1 cell)".
std::string use_text(const cell_tape& tape, const field_stage_use& use) {
  std::vector<std::string> parts, read;
  for (const auto& r : use.read)
    read.push_back(fmt::format("{} ({})", named(tape, r.array), format_plural(r.cells, "cell")));
  if (!use.computed.empty())
    parts.push_back(fmt::format("computes {}{}", named(tape, use.computed),
                                read.empty() ? "" : fmt::format(" of {}", fmt::join(read, ", "))));
  for (const auto& r : use.renamed)
    parts.push_back(
        fmt::format("{} is the {} before, not moved", named(tape, r.field), named(tape, r.from)));
  return fmt::format("{}; {} per cell", fmt::join(parts, "; "),
                     format_bytes(count_of(use.cell_bytes)));
}

std::string chip_text(const fields_plan& p) {
  return fmt::format(
      "{} of shared memory in each multiprocessor, {} registers of each lane for cells",
      format_bytes(count_of(p.working_set)), p.registers);
}

/// How many, and of how many cells at most.
std::string tiles_text(const fields_explanation& e) {
  const fields_plan& p = e.plan;
  if (e.size.size() == 1) return fmt::format("{} of at most {} cells", p.slabs, p.slab_cells);
  return fmt::format("{}x{} of at most {}x{} cells", p.slabs, p.tiles, p.slab_cells, p.tile_cells);
}

/// Tiles whose fields stay on a chip.
void add_tiles(const fields_explanation& e, table& out) {
  const fields_plan& p = e.plan;
  out.row("tiles",
          fmt::format("{}, {}", tiles_text(e),
                      p.slabs * p.tiles > 1
                          ? fmt::format("halos exchanged every {}",
                                        p.depth == 1 ? "step" : format_plural(p.depth, "step"))
                          : "nothing to exchange"));
  out.row("working set", chip_text(p));
  out.row("projected", fmt::format("{} per step", format_seconds(p.step_seconds)));
}

void add_plan(const fields_explanation& e, table& out) {
  const fields_plan& p = e.plan;
  const bool cpu = e.device.on == backend::cpu;
  out.row("executor", fmt::format("{} on {}", p.executor,
                                  format_plural(p.threads, cpu ? "thread" : "multiprocessor")));
  if (!p.reason.empty()) out.row("", p.reason);
  if (p.executor == executors::perks.name) return add_tiles(e, out);
  if (p.depth == 1) return;
  const std::string steps = format_plural(p.depth, "step"),
                    cells = format_plural(p.tile_cells, "cell");
  const std::string working_set = format_bytes(count_of(p.working_set));
  if (cpu) {
    const bool line = e.definition.dims() == 1;
    const std::string parts = format_plural(p.slabs, "part");
    out.row("passes", line ? fmt::format("{} each; {}, each by blocks of {}", steps, parts, cells)
                           : fmt::format("{} each; {} of the slowest axis, each in {} of {}", steps,
                                         parts, format_plural(p.tiles, "tile"), cells));
    out.row("working set",
            fmt::format("{} of a {}{}", working_set, line ? "block" : "tile",
                        e.device.core_cache > 0
                            ? fmt::format(", half of a core's cache is {}",
                                          format_bytes(count_of(e.device.core_cache) / 2))
                            : ""));
  } else {
    out.row(
        "passes",
        fmt::format("{} each; {} of {} that are right at its end", steps,
                    format_plural(p.tiles, e.definition.dims() == 3 ? "tile" : "strip"), cells));
    out.row("working set", chip_text(p));
  }
  out.row("", fmt::format("{} per cell and step, if rows in flight stay {}",
                          format_bytes(count_of(e.cell_bytes) / p.depth),
                          cpu ? "in that cache" : "there"));
}

const char* binding(const fields_roof& roof) {
  return roof.memory >= roof.arithmetic ? "device memory" : "arithmetic";
}

void add_roof(const fields_explanation& e, table& out) {
  const double longest = std::max(e.roof.memory, e.roof.arithmetic);
  if (!(longest > 0)) {
    out.row("roof", "no model of CPUs, so no projected time");
    return;
  }
  out.row("roof", fmt::format("{} per plain step, {} GCells/s; {} binds", format_seconds(longest),
                              number_cell(static_cast<double>(e.changing_cells) / longest * 1e-9),
                              binding(e.roof)));
  out.row("", fmt::format("device memory {}, arithmetic {}", format_seconds(e.roof.memory),
                          format_seconds(e.roof.arithmetic)));
}

/// What is computed once, and what a step has of it.
void add_hoisted(const fields_explanation& e, table& out) {
  const cell_tape& tape = e.steps.tape();
  const auto values = static_cast<std::size_t>(e.hoisted.values);
  out.row("once",
          fmt::format("{} of coefficients alone: {}", format_plural(e.hoisted.values, "value"),
                      fmt::join(std::span(tape.coefficients).last(values), ", ")));
  out.row("", fmt::format("{} operations and {} per cell and step become {} and {}",
                          e.hoisted.operations, format_bytes(count_of(e.hoisted.cell_bytes)),
                          e.steps.flops(), format_bytes(count_of(e.cell_bytes))));
  if (e.hoisted.step_seconds > 0)
    out.row("",
            fmt::format("projected {} per step without", format_seconds(e.hoisted.step_seconds)));
}

bool fits(const fields_explanation& e) { return e.memory <= e.device.memory; }
std::string size_text(const std::vector<std::int64_t>& size) {
  return fmt::format("{}", fmt::join(size, "x"));
}

}  // namespace

std::string to_text(const fields_explanation& e, const std::string& file) {
  const stencil_definition& d = e.definition;
  table out("dwell " DWELL_VERSION_STRING ": what steps of several fields need, and how they go");
  out.row("stencil", fmt::format("{} ({}), {}-D, radius {}, {} operations per cell and step",
                                 d.name(), file, d.dims(), d.radius(), d.flops()));
  out.row("arrays", arrays_text(d.tape()));
  out.row("size", fmt::format("{} cells, {}, {} change", size_text(e.size), e.precision,
                              format_count(e.changing_cells)));
  out.row("memory", fmt::format("{}{} in {}",
                                fits(e) ? "" : "DOES NOT FIT: ", format_bytes(count_of(e.memory)),
                                format_plural(e.arrays, "array")));
  out.row("device", fmt::format("{} ({})", e.device.name, to_string(e.device.on)));
  out.gap();
  if (e.hoisted.values > 0) add_hoisted(e, out);
  for (std::size_t s = 0; s < e.stages.size(); ++s)
    out.row(s == 0 ? format_plural(static_cast<std::int64_t>(e.stages.size()), "stage") : "",
            use_text(e.steps.tape(), e.stages[s]));
  out.row(
      "per step",
      fmt::format("{} per cell, {} in all, if nothing stays in a cache; {:.3g} operations a byte",
                  format_bytes(count_of(e.cell_bytes)), format_bytes(count_of(e.bytes_per_step)),
                  e.intensity()));
  out.gap();
  add_plan(e, out);
  add_roof(e, out);
  return out.text();
}

json to_json(const fields_explanation& e, const std::string& file) {
  const stencil_definition& d = e.definition;
  const cell_tape& tape = e.steps.tape();
  json out = document("explain stencil fields"), stages = json::array();
  for (const field_stage_use& use : e.stages) {
    json read = json::array(), renamed = json::array(), computed = json::array();
    for (const auto& r : use.read)
      read.push_back({{"array", named(tape, r.array)}, {"cells", r.cells}});
    for (const auto& r : use.renamed)
      renamed.push_back({{"field", named(tape, r.field)}, {"from", named(tape, r.from)}});
    for (const int f : use.computed) computed.push_back(named(tape, f));
    stages.push_back({{"computed", computed},
                      {"read", read},
                      {"renamed", renamed},
                      {"bytes_per_cell", use.cell_bytes}});
  }
  out["stencil"] = {{"name", d.name()},
                    {"file", file},
                    {"dims", d.dims()},
                    {"radius", d.radius()},
                    {"fields", d.tape().fields},
                    {"coefficients", d.tape().coefficients},
                    {"parameters", d.tape().parameters},
                    {"flops_per_cell", d.flops()},
                    {"size", size_text(e.size)},
                    {"changing_cells", e.changing_cells}};
  out["precision"] = e.precision;
  out["device"] = {
      {"name", e.device.name}, {"backend", to_string(e.device.on)}, {"units", e.device.units}};
  out["memory"] = {{"arrays", e.arrays},
                   {"needed_bytes", e.memory},
                   {"device_bytes", e.device.memory},
                   {"fits", fits(e)}};
  const auto values = static_cast<std::size_t>(e.hoisted.values);
  const auto once = std::span(tape.coefficients).last(values);
  out["once"] = {{"values", std::vector<std::string>(once.begin(), once.end())},
                 {"flops_per_cell", e.steps.flops()},
                 {"without_step_s", number_or_null(e.hoisted.step_seconds)}};
  out["stages"] = stages;
  out["bytes_per_cell"] = e.cell_bytes;
  out["bytes_per_step"] = e.bytes_per_step;
  out["flops_per_byte"] = e.intensity();
  const fields_plan& p = e.plan;
  out["executor"] = p.executor;
  out["reason"] = p.reason;
  const bool tiles = p.executor == executors::perks.name, passes = tiles || p.depth > 1;
  out["plan"] = {{"teams", p.threads},
                 {"steps_per_pass", p.depth},
                 {"slabs", passes ? json(p.slabs) : json()},
                 {"slab_cells", tiles ? json(p.slab_cells) : json()},
                 {"tiles", passes ? json(p.tiles) : json()},
                 {"tile_cells", passes ? json(p.tile_cells) : json()},
                 {"working_set_bytes", passes ? json(p.working_set) : json()},
                 {"registers", p.registers > 0 ? json(p.registers) : json()},
                 {"step_s", number_or_null(p.step_seconds)}};
  const double longest = std::max(e.roof.memory, e.roof.arithmetic);
  out["roof"] = {
      {"memory_s", number_or_null(e.roof.memory)},
      {"arithmetic_s", number_or_null(e.roof.arithmetic)},
      {"cells_per_s", longest > 0 ? json(static_cast<double>(e.changing_cells) / longest) : json()},
      {"binds", longest > 0 ? json(binding(e.roof)) : json()}};
  return out;
}

}  // namespace dwell::app
