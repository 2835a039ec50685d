// SPDX-License-Identifier: MIT
// A number that is not finite, such as the least value of a field without finite values, is null in
// JSON.
#include "stencil/result.hpp"

#include <fmt/format.h>

#include <cstdint>

#include "dwell/version.hpp"
#include "report/table.hpp"
#include "report/timing_table.hpp"
#include "report/units.hpp"

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

/// Outcome of the last test of --until, if there was one.
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

std::vector<timed_part> parts_of(const stencil_result& r) {
  const auto& s = r.report.setup;
  std::vector<timed_part> parts = {
      {"read", r.read_s},     {"check", s.check_s},      {"plan", s.plan_s},  {"load", s.load_s},
      {"upload", s.upload_s}, {"run", r.report.solve_s}, {"write", r.write_s}};
  add_other(parts, r.wall_s);
  return parts;
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
  table out("dwell " DWELL_VERSION_STRING ": iterative stencil");
  out.row("stencil", fmt::format("{}, boundary {}", report.shape, to_string(report.edge)));
  out.row("field", fmt::format("{} cells, {}, from {}{}", to_string(report.size), report.precision,
                               r.start, r.source.empty() ? "" : ", source " + r.source));
  out.gap();
  out.row("device", report.device);
  if (r.ranks) out.row("ranks", describe_ranks(*r.ranks));
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
  if (!r.timing)
    out.row("time", fmt::format("set-up {}, run {}", format_seconds(report.setup_s),
                                format_seconds(report.solve_s)));
  if (report.steps > 0 && report.solve_s > 0)
    out.row(r.timing ? "step" : "",
            fmt::format("{} per step, {} GCells/s", format_seconds(report.per_step_us * 1e-6),
                        number_cell(report.cells_per_second * 1e-9)));
  for (const auto& [what, where] : r.files) out.row(what, where);
  return out.text() + (r.ranks && r.per_rank ? "\n" + ranks_table(*r.ranks) : "") +
         (r.timing ? "\n" + timing_table(parts_of(r)) : "");
}

execution execution_of(const stencil_report& report, const execution::choices& requested) {
  return {report.device, to_string(report.on), requested,   {report.executor, "", report.policy},
          report.reason, report.teams,         report.lanes};
}

columns<stencil_report> stencil_plan_columns() {
  using row = stencil_report;
  // A report of nothing has no teams, and no plan.
  const auto of = [](json (*value)(const row&)) {
    return [value](const row& r) { return r.teams > 0 ? value(r) : json(nullptr); };
  };
  return {{"plan.engine", "", unit::word, of([](const row& r) -> json { return r.engine; })},
          {"plan.subdomains", "", unit::word, of([](const row& r) -> json {
             return r.subdomains.x > 0 ? json(to_string(r.subdomains)) : json(nullptr);
           })},
          {"plan.subdomain", "", unit::word, of([](const row& r) -> json {
             return r.subdomains.x > 0 ? json(to_string(r.subdomain)) : json(nullptr);
           })},
          {"plan.subdomain_of", "", unit::word, of([](const row& r) -> json {
             return r.subdomains.x > 0 ? json(r.of_warps ? "warp" : "team") : json(nullptr);
           })},
          {"plan.steps_per_exchange", "", unit::count,
           of([](const row& r) -> json { return r.depth; })},
          {"plan.steps_per_pass", "", unit::count,
           of([](const row& r) -> json { return r.pass_steps; })},
          {"plan.traversal", "", unit::word,
           of([](const row& r) -> json { return text_or_null(r.traversal); })},
          {"plan.order", "", unit::word,
           of([](const row& r) -> json { return text_or_null(r.order); })},
          {"plan.cells.in_registers", "", unit::count,
           of([](const row& r) -> json { return r.cached_registers; })},
          {"plan.cells.in_scratch", "", unit::count,
           of([](const row& r) -> json { return r.cached_scratch; })},
          {"plan.cells.streamed", "", unit::count,
           of([](const row& r) -> json { return r.streamed; })}};
}

json to_json(const stencil_result& r) {
  const auto& report = r.report;
  json out = document("stencil");
  out.update({{"stencil",
               {{"name", report.shape},
                {"size", to_string(report.size)},
                {"changing_cells", report.changing_cells},
                {"weights", r.options.weights},
                {"default_weights", r.default_weights}}},
              {"boundary", to_string(report.edge)},
              {"start", r.start},
              {"source", text_or_null(r.source)},
              {"precision", report.precision}});
  add_fields(out, execution_columns(false),
             execution_of(report, {r.options.executor, "", r.options.policy}));
  add_fields(out, stencil_plan_columns(), report);
  out.update({{"max_steps", r.options.steps},
              {"until", r.options.until ? json(*r.options.until) : json(nullptr)},
              {"check_every", r.options.until ? json(r.options.check_every) : json(nullptr)},
              {"steps", report.steps},
              {"stop_reason", to_string(report.stopped)},
              {"largest_change", report.change ? json(*report.change) : json(nullptr)},
              {"least", report.least},
              {"greatest", report.greatest},
              {"finite", report.finite},
              {"nonfinite_cells", report.nonfinite_cells},
              {"time",
               {{"read_s", r.read_s},
                {"context_s", report.setup.context_s},
                {"setup_s", report.setup_s},
                {"setup",
                 {{"check_s", report.setup.check_s},
                  {"plan_s", report.setup.plan_s},
                  {"load_s", report.setup.load_s},
                  {"upload_s", report.setup.upload_s}}},
                {"solve_s", report.solve_s},
                {"write_s", r.write_s},
                {"other_s", parts_of(r).back().seconds},
                {"total_s", total_of(parts_of(r))},
                {"per_step_us", report.per_step_us}}},
              {"cells_per_s", report.cells_per_second},
              {"bytes_per_step", report.bytes_per_step},
              {"transport", r.ranks ? json(r.ranks->transport) : json(nullptr)},
              {"ranks", r.ranks ? ranks_json(*r.ranks) : json::array()},
              {"warnings", r.warnings},
              {"files", {{"field", nullptr}, {"report", nullptr}}}});
  for (const auto& [what, where] : r.files) out["files"][what] = where;
  return out;
}

}  // namespace dwell::app
