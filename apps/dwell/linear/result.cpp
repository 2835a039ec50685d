// SPDX-License-Identifier: MIT
// Text, JSON, history and exit code of a solve.
#include "linear/result.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dwell/solvers/linear/api/report_table.hpp"
#include "dwell/version.hpp"
#include "linear/right_hand_sides.hpp"
#include "linear/timing.hpp"
#include "report/fields.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

namespace dwell::app {

namespace {

std::int64_t matrix_bytes(const solve_result& r) {
  const auto& p = r.report.precision;
  const std::int64_t number = sizeof(index);
  const std::int64_t value = p == "f32" ? 4 : p == "mixed" ? 12 : p == "complex f64" ? 16 : 8;
  return (r.rows + 1) * number + (r.nonzeros + r.explicit_zeros) * (number + value);
}

report_words<solve_report> words(const solve_report& report) {
  return {solve_report_table(), report};
}

std::string outcome(const solve_report& report, const solve_result& r) {
  if (report.stopped == stop_reason::iteration_limit &&
      report.iterations < r.options.max_iterations)
    return fmt::format("NOT converged: the residual rested, and was left after {}",
                       format_plural(report.iterations, "iteration"));
  std::string broke_down;
  for (const auto& m : dwell::methods())
    if (m.name == report.method) broke_down = m.breaks_down;
  return outcome_text(report.stopped, report.iterations, broke_down) +
         (report.stopped == stop_reason::converged ? words(report).shown("target_missed") : "");
}

/// Says which matrix a condition number belongs to.
const char* condition_of(preconditioner p) {
  switch (p) {
    case preconditioner::none:
      return "";
    case preconditioner::jacobi:
      return " (of the matrix scaled by its diagonal)";
    default:
      return " (of the preconditioned matrix)";
  }
}

std::vector<timed_part> parts_of(const solve_result& r) {
  return timed_parts(r.report, r.generated, r.read_s, r.write_s, r.wall_s);
}

json columns_json(const solve_result& r) {
  json all = json::array();
  for (const solve_report& column : r.columns)
    all.push_back(column_json(solve_report_table(), column));
  return all;
}

json attempts_json(const solve_report& report) {
  json all = json::array();
  for (const solve_attempt& a : report.attempts)
    all.push_back(
        {{"solver", a.method},
         {"preconditioner", to_string(a.preconditioner)},
         {"iterations", a.iterations},
         {"relative_true",
          std::isfinite(a.residual_relative_true) ? json(a.residual_relative_true) : json(nullptr)},
         {"setup_s", a.setup_s},
         {"solve_s", a.solve_s},
         {"ended", a.ended}});
  return all;
}

/// A line for each run, where there are several.
void add_attempts(const solve_report& report, table& out) {
  if (report.attempts.size() < 2) return;
  bool first = true;
  for (const solve_attempt& a : report.attempts) {
    out.row(first ? "attempts" : "",
            fmt::format("{} with {}: {}, residual {}; set-up {}, solve {}", a.method,
                        to_string(a.preconditioner), format_plural(a.iterations, "iteration"),
                        format_residual(a.residual_relative_true), format_seconds(a.setup_s),
                        format_seconds(a.solve_s)));
    first = false;
  }
}

void add_time(const solve_result& r, table& out) {
  const auto& report = r.report;
  const auto say = words(report);
  if (!r.timing) {
    out.row("time",
            fmt::format("{} {}, ", r.generated ? "generate" : "read", format_seconds(r.read_s)) +
                say("set-up {setup_s}, solve {solve_s}, finish {finish_s}"));
    std::vector<std::string> parts;
    double others = report.setup_s;
    for (const auto& [name, seconds] : setup_parts(report)) {
      const bool asked =
          (name == "preconditioner" || name == "analyse" || name == "factor") && seconds > 0;
      if (seconds < 0.05 * report.setup_s && !asked) continue;
      parts.push_back(fmt::format("{} {}", name, format_seconds(seconds)));
      others -= seconds;
    }
    if (!parts.empty() && others > 0)
      parts.push_back(fmt::format("other {}", format_seconds(others)));
    if (!parts.empty()) out.row("set-up", fmt::format("{}", fmt::join(parts, ", ")));
  }
  if (report.iterations == 0) return;
  std::string each = say("{per_iteration_us} per iteration");
  if (report.bytes_per_iteration > 0 && report.per_iteration_us > 0)
    each += fmt::format(", {} (", format_rate(static_cast<double>(report.bytes_per_iteration) /
                                              (report.per_iteration_us * 1e-6))) +
            say("{bytes_per_iteration} each, by the model)");
  out.row(r.timing ? "iteration" : "", each);
}

}  // namespace

std::string outcome_text(stop_reason stopped, int iterations, const std::string& broke_down) {
  const auto n = format_plural(iterations, "iteration");
  switch (stopped) {
    case stop_reason::converged:
      return "converged after " + n;
    case stop_reason::iteration_limit:
      return "NOT converged within the limit of " + n;
    case stop_reason::breakdown:
      return "BREAKDOWN after " + n + (broke_down.empty() ? "" : ": " + broke_down);
    case stop_reason::not_finite:
      return "NOT FINITE after " + n + ": a NaN or an infinity appeared";
    case stop_reason::interrupted:
      return "INTERRUPTED after " + n;
    case stop_reason::accuracy_limit:
      return "NOT converged: the true residual is above the tolerance after " + n +
             ", and rounding allows no better";
  }
  return {};
}

std::string title_of(const std::string& method) {
  for (const auto& m : dwell::methods())
    if (m.name == method) return m.title;
  return method;
}

double target(const solve_result& r) { return target(r, r.report); }
double target(const solve_result& r, const solve_report& of) {
  const double norm = of.rhs_norm;
  return norm > 0 ? std::max(r.options.rtol, r.options.atol / norm) : r.options.atol;
}

/// Converged, and not by the recursive residual alone.
bool succeeded(const solve_report& report) {
  return report.stopped == stop_reason::converged && !report.target_missed;
}

exit_code code_of(const solve_result& r) {
  for (const solve_report& column : r.columns)
    if (!succeeded(column))
      return column.target_missed ? exit_code::not_converged : code_of(column.stopped);
  return code_of(stop_reason::converged);
}

std::string failure_line(const solve_result& r) {
  const auto failed = std::count_if(r.columns.begin(), r.columns.end(),
                                    [](const solve_report& one) { return !succeeded(one); });
  for (std::size_t k = 0; k < r.columns.size(); ++k) {
    const solve_report& report = r.columns[k];
    if (succeeded(report)) continue;
    const std::string which =
        r.columns.size() > 1
            ? fmt::format(
                  "{} of {} right-hand sides did not converge; the first of them, number {}: ",
                  failed, r.columns.size(), k + 1)
            : "";
    return fmt::format("{}{}; relative residual {} (true {}), wanted {}{}{}", which,
                       outcome(report, r), format_residual(report.residual_relative_recursive),
                       format_residual(report.residual_relative_true),
                       format_residual(target(r, report)), report.advice.empty() ? "" : "; ",
                       report.advice);
  }
  return {};
}

std::string inconsistent_rhs(const solve_result& r) {
  if (!r.report.rhs_inconsistent) return {};
  if (r.report.null_space == "given")
    return fmt::format(
        "{:.2g} of the norm of the right-hand side is in the span of --null-vectors: with that "
        "part there is no solution, the answer is one without it",
        r.report.rhs_outside_range);
  return fmt::format(
      "the rows of the matrix have sums of zero, and {:.2g} of the norm of the right-hand side is "
      "constant: with that part there is no solution, the answer is one without it "
      "(--null-space none takes no notice)",
      r.report.rhs_outside_range);
}

std::string missed_rows(const solve_result& r) {
  if (!r.report.rows_missed) return {};
  return fmt::format(
      "the residual meets the tolerance by its norm, but not in every row: the componentwise "
      "backward error is {:.1e}. Rows are of very different sizes: scale them, or ask for a "
      "smaller --rtol",
      r.report.componentwise_backward_error);
}

std::string unsafe_answer(const solve_result& r) {
  if (r.report.stopped != stop_reason::converged || !r.report.no_digit_safe) return {};
  return fmt::format(
      "the condition, at least {:.1e}, times the true residual is {:.1e}: no digit of the answer "
      "is "
      "safe. Ask for a smaller --rtol{}{}",
      r.report.condition_estimate, r.report.error_estimate,
      r.report.preconditioner == preconditioner::none ? ", or use a preconditioner" : "",
      r.report.precision == "f32" ? ", or solve in f64" : "");
}

std::string to_text(const solve_result& r) {
  const auto& report = r.report;
  const auto say = words(report);
  table out("dwell " DWELL_VERSION_STRING ": " + title_of(report.method));
  out.row("matrix", r.matrix_name + (r.generated ? " (generated)" : ""));
  out.row("", fmt::format(
                  "{} rows, {} nonzeros{}, {}", format_count(r.rows), format_count(r.nonzeros),
                  r.explicit_zeros ? " + " + format_plural(r.explicit_zeros, "explicit zero") : "",
                  format_bytes(static_cast<double>(matrix_bytes(r)))));
  out.row("right-hand side", describe(r.rhs));
  if (r.columns.size() > 1) out.row("", fmt::format("and {} random", r.columns.size() - 1));
  if (r.companion_unused)
    out.row("", "the archive holds another one, its companion: use it with --rhs companion");
  out.row("start vector", r.start_file.empty() ? "zeros" : r.start_file);
  out.gap();
  out.row("device", say("{device} ({on})"));
  if (r.ranks) {
    out.row("ranks", describe_ranks(*r.ranks));
    out.row("", describe_ghosts(*r.ranks));
  }
  out.row("executor", say("{executor} on ") + format_teams(report.on, report.teams, report.lanes));
  if (!report.reason.empty()) out.row("", report.reason);
  if (r.command == "solve") out.row("solver", say("{method}: {method_reason}"));
  out.row("variant", report.variant);
  out.row("policy",
          say(report.policy == report.policy_chosen ? "{policy}" : "{policy}: {policy_chosen}"));
  out.row("precision", report.precision);
  out.row("preconditioner", say("{preconditioner}"));
  if (report.preconditioner_reason != "as asked") out.row("", report.preconditioner_reason);
  if (!report.preconditioner_note.empty()) out.row("", report.preconditioner_note);
  if (report.factor_nonzeros > 0)
    out.row("factors", say("{factor_nonzeros} nonzeros, {factor_bytes}"));
  out.gap();
  out.row("result", outcome(report, r));
  if (!report.advice.empty()) out.row("", report.advice);
  if (report.refinements > 0)
    out.row("refinement", fmt::format("began anew {} from the answer, {}",
                                      report.refinements == 1 ? "once" : say("{refinements} times"),
                                      report.precision == "mixed"
                                          ? "for its residual in f64"
                                          : "whose true residual was above the tolerance"));
  add_attempts(report, out);
  out.row("residual",
          say("{residual_relative_recursive} recursive, {residual_relative_true} true, ") +
              format_residual(target(r)) +
              say(" wanted (relative to |b| = {rhs_norm}){residuals_disagree}"));
  out.row("", say("componentwise backward error {componentwise_backward_error}{rows_missed}"));
  if (report.null_space == "constant")
    out.row("null space",
            say("{null_space}: b without its mean, which is {rhs_outside_range} of |b|; x has the "
                "mean 0"));
  if (report.null_space == "given")
    out.row("null space",
            say("{null_space}: b without its part in it, which is {rhs_outside_range} of |b|; x is "
                "orthogonal to it"));
  if (report.condition_estimate > 0)
    out.row("condition", say("at least {condition_estimate}") +
                             condition_of(report.preconditioner) +
                             (report.error_estimate > 0
                                  ? say("; the residual allows a relative error of {error_estimate}"
                                        "{no_digit_safe}")
                                  : ""));
  if (r.largest_error)
    out.row("error", format_residual(*r.largest_error) + " at most in any element of the answer");
  if (r.columns.size() > 1) out.row("all", describe_columns(r.columns));
  add_time(r, out);
  for (std::size_t i = 0; i < r.files.size(); ++i)
    out.row(i == 0 ? "written" : "", r.files[i].second + " (" + r.files[i].first + ")");
  return out.text() + (r.ranks && r.per_rank ? "\n" + ranks_table(*r.ranks) : "") +
         (r.timing ? "\n" + timing_table(parts_of(r)) : "");
}

execution execution_of(const solve_report& report, const execution::choices& requested) {
  return {report.device, to_string(report.on),
          requested,     {report.executor, report.variant, report.policy},
          report.reason, report.teams,
          report.lanes};
}

json to_json(const solve_result& r) {
  json out = document(r.command);
  out.update({{"matrix",
               {{"name", r.matrix_name},
                {"rows", r.rows},
                {"nonzeros", r.nonzeros},
                {"explicit_zeros", r.explicit_zeros},
                {"bytes", matrix_bytes(r)}}},
              {"rhs", option_text(r.rhs)},
              {"start", r.start_file.empty() ? "zeros" : r.start_file}});
  add_report(
      out, solve_report_table(), r.report,
      {{"executor", "requested.executor", r.options.executor},
       {"executor", "requested.variant", r.options.variant},
       {"executor", "requested.policy", r.options.policy},
       {"iterations", "tolerance.relative", r.options.rtol},
       {"iterations", "tolerance.absolute", r.options.atol},
       {"iterations", "tolerance.target", target(r)},
       {"iterations", "max_iterations", r.options.max_iterations},
       {"context_s", "largest_error", r.largest_error ? json(*r.largest_error) : json()},
       {"context_s", "time.read_s", r.read_s},
       {"solve_s", "time.setup.vectors_s", std::max(0., r.report.setup_s - r.report.setup.total())},
       {"per_iteration_us", "time.write_s", r.write_s},
       {"per_iteration_us", "time.other_s", parts_of(r).back().seconds},
       {"per_iteration_us", "time.total_s", total_of(parts_of(r))}});
  out.update({{"attempts", attempts_json(r.report)},
              {"right_hand_sides", columns_json(r)},
              {"transport", r.ranks ? json(r.ranks->transport) : json(nullptr)},
              {"ranks", r.ranks ? ranks_json(*r.ranks) : json::array()},
              {"warnings", r.warnings},
              {"files", {{"answer", nullptr}, {"history", nullptr}, {"report", nullptr}}}});
  for (const auto& [what, file] : r.files) out["files"][what] = file;
  return out;
}

std::string history_csv(const std::vector<double>& history, double rhs_norm) {
  struct row {
    std::size_t iteration;
    double residual, scale;
  };
  std::vector<row> rows;
  const double scale = rhs_norm > 0 ? rhs_norm : 1;
  for (const double residual : history) rows.push_back({rows.size(), residual, scale});
  return csv_of(
      columns<row>{{"iteration", "", unit::count, [](const row& r) { return r.iteration; }},
                   {"residual_norm", "", unit::residual, [](const row& r) { return r.residual; }},
                   {"relative_residual", "", unit::residual,
                    [](const row& r) { return r.residual / r.scale; }}},
      rows);
}

std::string answer_comment(const solve_result& r) {
  return fmt::format(
      "x of A x = b, by dwell {}\nA: {}\nb: {}\n{}; relative residual {} (true {}), wanted {}",
      DWELL_VERSION_STRING, r.matrix_name, describe(r.rhs), outcome(r.report, r),
      format_residual(r.report.residual_relative_recursive),
      format_residual(r.report.residual_relative_true), format_residual(target(r)));
}

}  // namespace dwell::app
