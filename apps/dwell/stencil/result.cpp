// SPDX-License-Identifier: MIT
// A number that is not finite, such as the least value of a field without finite values, is null in
// JSON.
#include "stencil/result.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string_view>
#include <utility>

#include "dwell/solvers/stencil/api/report_table.hpp"
#include "dwell/version.hpp"
#include "report/fields.hpp"
#include "report/table.hpp"
#include "report/timing_table.hpp"
#include "report/units.hpp"

namespace dwell::app {
namespace {

report_words<stencil_report> words(const stencil_report& report) {
  return {stencil_report_table(), report};
}

/// Outcome of the last test of --until, if there was one.
std::string describe_change(const stencil_result& r) {
  return r.report.change ? words(r.report)("largest change {change} per step")
                         : fmt::format("the change is tested every {}, not yet",
                                       format_plural(r.options.check_every, "step"));
}

/// The range of the finite values, and how many are not.
std::string values_of(const stencil_report& r) {
  const auto range = words(r)("{least} to {greatest}");
  if (r.nonfinite_cells == 0) return range;
  if (r.nonfinite_cells == r.size.cells()) return "NOT FINITE in all cells";
  return fmt::format("NOT FINITE in {}; the others {}",
                     format_plural(static_cast<std::int64_t>(r.nonfinite_cells), "cell"), range);
}

std::vector<timed_part> parts_of(const stencil_result& r) {
  std::vector<timed_part> parts = {{"read", r.read_s}};
  for (timed_part& one : parts_of_setup(stencil_report_table(), r.report))
    parts.push_back(std::move(one));
  parts.push_back({"run", r.report.solve_s});
  parts.push_back({"write", r.write_s});
  add_other(parts, r.wall_s);
  return parts;
}

}  // namespace

std::string outcome_text(stencil_stop stopped, int steps) {
  const auto n = format_plural(steps, "step");
  switch (stopped) {
    case stencil_stop::steps_done:
      return n + " done";
    case stencil_stop::converged:
      return "converged after " + n;
    case stencil_stop::step_limit:
      return "NOT converged within the limit of " + n;
    case stencil_stop::not_finite:
      return "NOT FINITE after " + n + ": a NaN or an infinity appeared";
    case stencil_stop::interrupted:
      return "INTERRUPTED after " + n;
  }
  return {};
}

std::string failure_line(const stencil_result& r) {
  const auto& report = r.report;
  if (report.stopped == stencil_stop::steps_done && !report.finite)
    return "values " + values_of(report);
  if (report.stopped == stencil_stop::steps_done || report.stopped == stencil_stop::converged)
    return {};
  if (!r.options.until) return outcome_text(r.report.stopped, r.report.steps);
  return fmt::format("{}; {}, wanted {}", outcome_text(r.report.stopped, r.report.steps),
                     describe_change(r), format_residual(*r.options.until));
}

exit_code code_of(const stencil_result& r) {
  if (r.report.stopped == stencil_stop::interrupted) return exit_code::interrupted;
  if (r.report.stopped == stencil_stop::step_limit) return exit_code::not_converged;
  return r.report.finite ? exit_code::done : exit_code::breakdown;
}

std::string to_text(const stencil_result& r) {
  const auto& report = r.report;
  const auto say = words(report);
  table out("dwell " DWELL_VERSION_STRING ": iterative stencil");
  out.row("stencil", say("{shape}, boundary {edge}"));
  out.row("field", say("{size} cells, {precision}, from ") + r.start +
                       (r.source.empty() ? "" : ", source " + r.source));
  out.gap();
  out.row("device", report.device);
  if (r.ranks) out.row("ranks", describe_ranks(*r.ranks));
  out.row("executor", say("{executor} on ") + format_teams(report.on, report.teams, report.lanes) +
                          say(", policy {policy}"));
  out.row("", report.reason);
  out.gap();
  out.row("outcome", outcome_text(r.report.stopped, r.report.steps));
  if (r.options.until)
    out.row("",
            fmt::format("{}, wanted {}", describe_change(r), format_residual(*r.options.until)));
  if (report.changing_cells == 0) out.row("", "no cell can change: all belong to the fixed border");
  out.row("values", values_of(report));
  if (!r.timing) out.row("time", say("set-up {setup_s}, run {solve_s}"));
  if (report.steps > 0 && report.solve_s > 0)
    out.row(r.timing ? "step" : "", say("{per_step_us} per step, {cells_per_second}"));
  for (const auto& [what, where] : r.files) out.row(what, where);
  return out.text() + (r.ranks && r.per_rank ? "\n" + ranks_table(*r.ranks) : "") +
         (r.timing ? "\n" + timing_table(parts_of(r)) : "");
}

execution execution_of(const stencil_report& report, const execution::choices& requested) {
  return {report.device, to_string(report.on), requested,   {report.executor, "", report.policy},
          report.reason, report.teams,         report.lanes};
}

columns<stencil_report> stencil_plan_columns() {
  columns<stencil_report> all;
  for (const auto& row : stencil_report_table()) {
    if (!row.json || !std::string_view(row.json).starts_with("plan.")) continue;
    if (row.json == std::string_view("plan.teams") || row.json == std::string_view("plan.lanes"))
      continue;  // execution_columns() has them
    // A report of nothing has no teams, and no plan.
    all.push_back({row.json, "", row.is.kind == report_kind::integer ? unit::count : unit::word,
                   [&row](const stencil_report& r) {
                     return r.teams > 0 ? json_of(row.value_or_none(r)) : json(nullptr);
                   }});
  }
  return all;
}

json to_json(const stencil_result& r) {
  const stencil_options& o = r.options;
  json out = document("stencil");
  add_report(out, stencil_report_table(), r.report,
             {{"edge", "stencil.weights", o.weights},
              {"edge", "stencil.default_weights", r.default_weights},
              {"precision", "start", r.start},
              {"precision", "source", text_or_null(r.source)},
              {"executor", "requested.executor", o.executor},
              {"executor", "requested.policy", o.policy},
              {"steps", "max_steps", o.steps},
              {"steps", "until", o.until ? json(*o.until) : json(nullptr)},
              {"steps", "check_every", o.until ? json(o.check_every) : json(nullptr)},
              {"context_s", "time.read_s", r.read_s},
              {"per_step_us", "time.write_s", r.write_s},
              {"per_step_us", "time.other_s", parts_of(r).back().seconds},
              {"per_step_us", "time.total_s", total_of(parts_of(r))}});
  out.update({{"transport", r.ranks ? json(r.ranks->transport) : json(nullptr)},
              {"ranks", r.ranks ? ranks_json(*r.ranks) : json::array()},
              {"warnings", r.warnings},
              {"files", {{"field", nullptr}, {"report", nullptr}}}});
  for (const auto& [what, where] : r.files) out["files"][what] = where;
  return out;
}

}  // namespace dwell::app
