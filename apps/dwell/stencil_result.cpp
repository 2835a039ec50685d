// SPDX-License-Identifier: MIT
// The keys of the JSON are an interface: they are added to, never renamed. A number that is not
// finite, such as the least value of a field without finite values, is null there.
#include "stencil_result.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "comparison_layout.hpp"
#include "table.hpp"
#include "units.hpp"

namespace dwell::app {
namespace {

std::string outcome(const stencil_result& r) {
  const auto n = format_plural(r.report.steps, "step");
  switch (r.report.stopped) {
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

/// Of the last test of --until, if there was one.
std::string describe_change(const stencil_result& r) {
  return r.report.change
             ? fmt::format("largest change {} per step", format_residual(*r.report.change))
             : fmt::format("the change is tested every {}, not yet",
                           format_plural(r.options.check_every, "step"));
}

/// The range of the finite values, and how many are not.
std::string values_of(const stencil_report& r) {
  const auto range = fmt::format("{:.6g} to {:.6g}", r.least, r.greatest);
  if (r.nonfinite_cells == 0) return range;
  if (r.nonfinite_cells == r.size.cells()) return "NOT FINITE in all cells";
  return fmt::format("NOT FINITE in {}; the others {}",
                     format_plural(static_cast<std::int64_t>(r.nonfinite_cells), "cell"), range);
}

}  // namespace

std::string failure_line(const stencil_result& r) {
  const auto& report = r.report;
  if (report.stopped == stencil_stop::steps_done && !report.finite)
    return "values " + values_of(report);
  if (report.stopped == stencil_stop::steps_done || report.stopped == stencil_stop::converged)
    return {};
  if (!r.options.until) return outcome(r);
  return fmt::format("{}; {}, wanted {}", outcome(r), describe_change(r),
                     format_residual(*r.options.until));
}

exit_code code_of(const stencil_result& r) {
  if (r.report.stopped == stencil_stop::interrupted) return exit_code::interrupted;
  if (r.report.stopped == stencil_stop::step_limit) return exit_code::not_converged;
  return r.report.finite ? exit_code::done : exit_code::breakdown;
}

std::string to_text(const stencil_result& r) {
  const auto& report = r.report;
  table out("dwell " DWELL_VERSION ": iterative stencil");
  out.row("stencil", fmt::format("{}, boundary {}", report.shape, to_string(report.edge)));
  out.row("field", fmt::format("{} cells, {}, from {}{}", to_string(report.size), report.precision,
                               r.start, r.source.empty() ? "" : ", source " + r.source));
  out.gap();
  out.row("device", report.device);
  out.row("executor",
          fmt::format("{} on {}, policy {}", report.executor,
                      format_teams(report.on, report.teams, report.lanes), report.policy));
  out.row("", report.reason);
  out.gap();
  out.row("outcome", outcome(r));
  if (r.options.until)
    out.row("",
            fmt::format("{}, wanted {}", describe_change(r), format_residual(*r.options.until)));
  if (report.changing_cells == 0) out.row("", "no cell can change: all belong to the fixed border");
  out.row("values", values_of(report));
  out.row("time", fmt::format("set-up {}, run {}", format_seconds(report.setup_s),
                              format_seconds(report.solve_s)));
  if (report.steps > 0 && report.solve_s > 0)
    out.row("", fmt::format("{} per step, {} GCells/s", format_seconds(report.per_step_us * 1e-6),
                            number_cell(report.cells_per_second * 1e-9)));
  for (const auto& [what, where] : r.files) out.row(what, where);
  return out.text();
}

json to_json(const stencil_result& r) {
  const auto& report = r.report;
  json j;
  j["program"] = "dwell " DWELL_VERSION;
  j["problem"] = {{"kind", "stencil"},
                  {"stencil", report.shape},
                  {"size", to_string(report.size)},
                  {"boundary", to_string(report.edge)},
                  {"start", r.start},
                  {"source", r.source.empty() ? json() : json(r.source)},
                  {"weights", r.options.weights},
                  {"default_weights", r.default_weights},
                  {"step_limit", r.options.steps},
                  {"until", r.options.until ? json(*r.options.until) : json()},
                  {"check_every", r.options.until ? json(r.options.check_every) : json()},
                  {"precision", report.precision}};
  j["execution"] = {{"device", report.device},
                    {"backend", to_string(report.on)},
                    {"executor", report.executor},
                    {"policy", report.policy},
                    {"reason", report.reason},
                    {"teams", report.teams},
                    {"lanes", report.lanes},
                    {"steps_per_exchange", report.depth},
                    {"steps_per_pass", report.pass_steps},
                    {"traversal", report.traversal.empty() ? json() : json(report.traversal)},
                    {"cells_in_registers", report.kept_registers},
                    {"cells_in_shared_memory", report.kept_scratch},
                    {"cells_streamed", report.streamed}};
  j["result"] = {{"stopped", to_string(report.stopped)},
                 {"steps", report.steps},
                 {"largest_change", report.change ? json(*report.change) : json()},
                 {"until", r.options.until ? json(*r.options.until) : json()},
                 {"least", report.least},
                 {"greatest", report.greatest},
                 {"finite", report.finite},
                 {"nonfinite_cells", report.nonfinite_cells}};
  j["time"] = {{"setup_s", report.setup_s},
               {"run_s", report.solve_s},
               {"per_step_us", report.per_step_us},
               {"cells_per_second", report.cells_per_second},
               {"changing_cells", report.changing_cells},
               {"bytes_per_step", report.bytes_per_step}};
  j["warnings"] = r.warnings;
  for (const auto& [what, where] : r.files) j["files"][what] = where;
  return j;
}

}  // namespace dwell::app
