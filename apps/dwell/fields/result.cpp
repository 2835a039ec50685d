// SPDX-License-Identifier: MIT
// A number that is not finite is null in JSON.
#include "fields/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/table.hpp"
#include "report/units.hpp"
#include "stencil/result.hpp"

#include "dwell/version.hpp"

namespace dwell::app {
namespace {

std::string range_text(const field_range& f) {
  if (std::isnan(f.least)) return f.name + " NOT FINITE in all cells";
  const auto range = fmt::format("{} {:.6g} to {:.6g}", f.name, f.least, f.greatest);
  if (f.nonfinite == 0) return range;
  return fmt::format("{}, NOT FINITE in {}", range, format_plural(f.nonfinite, "cell"));
}

std::string reduced_text(const reduced_field& one) {
  std::string text =
      one.last ? fmt::format("{} {:.6g}", one.name, *one.last) : one.name + " not computed yet";
  if (one.until) text += fmt::format(", wanted {:.3g}", *one.until);
  return text;
}

std::string frames_text(const frames_made& m) {
  return fmt::format(
      "{} of {}, every {}{}", format_plural(m.frames, "frame"), m.field,
      format_plural(m.every, "step"),
      m.scale ? fmt::format(", colours from {:.6g} to {:.6g}", m.scale->least, m.scale->greatest)
              : "");
}

json frames_json(const std::optional<frames_made>& m) {
  const bool scaled = m && m->scale;
  return {{"field", m ? json(m->field) : json(nullptr)},
          {"every", m ? json(m->every) : json(nullptr)},
          {"frames", m ? m->frames : 0},
          {"least", scaled ? json(m->scale->least) : json(nullptr)},
          {"greatest", scaled ? json(m->scale->greatest) : json(nullptr)}};
}

json finite_or_null(double v) { return std::isfinite(v) ? json(v) : json(nullptr); }

}  // namespace

std::string failure_line(const fields_result& r) {
  if (r.report.stopped != stencil_stop::steps_done && r.report.stopped != stencil_stop::converged) {
    std::string line = outcome_text(r.report.stopped, r.report.steps);
    for (const reduced_field& one : r.report.reductions)
      if (one.until) line += "; " + reduced_text(one);
    return line;
  }
  for (const field_range& f : r.ranges)
    if (f.nonfinite > 0) return "values of " + range_text(f);
  return {};
}

exit_code code_of(const fields_result& r) {
  if (r.report.stopped == stencil_stop::interrupted) return exit_code::interrupted;
  if (r.report.stopped == stencil_stop::step_limit) return exit_code::not_converged;
  const bool finite = r.report.finite && r.report.stopped != stencil_stop::not_finite;
  return finite ? exit_code::done : exit_code::breakdown;
}

std::string to_text(const fields_result& r) {
  const field_report& f = r.report;
  table out("dwell " DWELL_VERSION_STRING ": stencil of several fields");
  out.row("stencil",
          fmt::format("{} ({}), {}-D, radius {}, {} operations per cell and step", f.definition,
                      r.file, r.definition->dims(), r.definition->radius(), r.definition->flops()));
  std::string names;
  for (const std::string& name : r.definition->tape().fields)
    names += (names.empty() ? "" : ", ") + name;
  out.row("fields", fmt::format("{}, {} cells, {}, {}", names, r.size, f.precision,
                                format_bytes(static_cast<double>(f.memory))));
  out.gap();
  out.row("device", fmt::format("{} ({})", f.device, f.backend));
  out.row("kernel",
          fmt::format("{}{}: {}", f.kernel,
                      f.compile_seconds > 0 ? " in " + format_seconds(f.compile_seconds) : "",
                      f.kernel_reason));
  out.row("executor",
          fmt::format("{} on {}{}", f.executor,
                      format_plural(f.threads, f.backend == "cpu" ? "thread" : "multiprocessor"),
                      f.depth > 1 ? fmt::format(", passes of {} steps", f.depth) : ""));
  out.row("", f.reason);
  if (f.hoisted > 0) out.row("once", format_plural(f.hoisted, "value") + " of coefficients alone");
  out.gap();
  out.row("outcome", outcome_text(r.report.stopped, r.report.steps));
  const char* label = "reduced";
  for (const reduced_field& one : f.reductions) {
    out.row(label, reduced_text(one));
    label = "";
  }
  if (!f.reductions.empty())
    out.row("", fmt::format("every {}, {} in all", format_plural(f.reduce_every, "step"),
                            format_seconds(f.reduce_seconds)));
  label = "values";
  for (const field_range& one : r.ranges) {
    out.row(label, range_text(one));
    label = "";
  }
  if (r.animation) out.row("frames", frames_text(*r.animation));
  out.row("time", fmt::format("read {}, run {}, write {}", format_seconds(r.read_s),
                              format_seconds(f.seconds), format_seconds(r.write_s)));
  if (f.steps > 0 && f.seconds > 0)
    out.row("", fmt::format("{} per step, {:.3g} cells per second",
                            format_seconds(f.seconds / f.steps), f.cells_per_second));
  for (const auto& [what, where] : r.files) out.row(what, where);
  return out.text();
}

json to_json(const fields_result& r) {
  const field_report& f = r.report;
  json out = document("stencil fields");
  json reductions = json::array(), rows = json::array(), fields = json::array();
  for (const reduced_field& one : f.reductions)
    reductions.push_back({{"name", one.name},
                          {"last", one.last ? finite_or_null(*one.last) : json(nullptr)},
                          {"until", one.until ? json(*one.until) : json(nullptr)}});
  for (const field_reduction_row& row : r.rows) {
    json values = json::array();
    for (const double v : row.values) values.push_back(finite_or_null(v));
    rows.push_back({{"step", row.step}, {"values", values}});
  }
  for (const field_range& one : r.ranges)
    fields.push_back({{"name", one.name},
                      {"least", finite_or_null(one.least)},
                      {"greatest", finite_or_null(one.greatest)},
                      {"nonfinite_cells", one.nonfinite}});
  out["stencil"] = {{"name", f.definition},
                    {"file", r.file},
                    {"dims", r.definition->dims()},
                    {"radius", r.definition->radius()},
                    {"flops_per_cell", r.definition->flops()},
                    {"size", r.size},
                    {"changing_cells", f.cells}};
  out["precision"] = f.precision;
  out["device"] = {{"name", f.device}, {"backend", f.backend}};
  out["requested"] = {{"executor", r.requested_executor}};
  out["kernel"] = {{"name", f.kernel}, {"reason", f.kernel_reason}};
  out["executor"] = f.executor;
  out["reason"] = f.reason;
  out["plan"] = {{"teams", f.threads}, {"steps_per_pass", f.depth}, {"values_once", f.hoisted}};
  out["max_steps"] = r.max_steps;
  out["steps"] = f.steps;
  out["stop_reason"] = to_string(f.stopped);
  out["finite"] = f.finite;
  out["fields"] = fields;
  out["animation"] = frames_json(r.animation);
  out["reductions"] = {{"every", f.reduce_every > 0 ? json(f.reduce_every) : json(nullptr)},
                       {"quantities", reductions},
                       {"rows", rows}};
  out["time"] = {{"read_s", r.read_s},   {"compile_s", f.compile_seconds},
                 {"solve_s", f.seconds}, {"reduce_s", f.reduce_seconds},
                 {"write_s", r.write_s}, {"total_s", r.wall_s}};
  out["cells_per_s"] = f.cells_per_second;
  out["bytes_per_step"] = f.bytes_per_step;
  out["memory_bytes"] = f.memory;
  out["warnings"] = r.warnings;
  json files = json::array();
  json report = nullptr;
  for (const auto& [what, where] : r.files) {
    if (what == "report")
      report = where;
    else
      files.push_back({{"what", what}, {"file", where}});
  }
  out["outputs"] = files;
  out["files"] = {{"report", report}};
  return out;
}

}  // namespace dwell::app
