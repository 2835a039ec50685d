// SPDX-License-Identifier: MIT
// Text, JSON and exit code of a solve on a grid.
#include "grid/result.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string_view>

#include "linear/result.hpp"
#include "report/fields.hpp"
#include "report/table.hpp"
#include "report/units.hpp"

#include "dwell/base/printable.hpp"
#include "dwell/solvers/grid/report_table.hpp"
#include "dwell/version.hpp"

namespace dwell::app {
namespace {

std::string ended(const grid_result& r) {
  return outcome_text(r.report.stopped, r.report.iterations, "the cycle was not positive definite");
}

std::string sizes_of(const std::vector<int>& cells) {
  return sizes_text({cells.begin(), cells.end()});
}

/// "y: neumann 0, x-: dirichlet 1": an axis whose sides are alike once.
std::string conditions(const grid_words& w) {
  std::vector<std::pair<std::string, std::string>> parts;
  for (std::size_t a = 0; a + 1 < w.sides.size(); a += 2) {
    const auto &low = w.sides[a], &high = w.sides[a + 1];
    if (low.second == high.second) {
      parts.emplace_back(low.first.substr(0, 1), low.second);
    } else {
      parts.push_back(low);
      parts.push_back(high);
    }
  }
  if (std::ranges::all_of(parts, [&](const auto& p) { return p.second == parts[0].second; }))
    return parts[0].second + (w.sides.size() > 2 ? " on all sides" : " on both sides");
  std::string text;
  for (const auto& [side, what] : parts)
    text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", side, what);
  return text;
}

}  // namespace

std::string failure_line(const grid_result& r) {
  if (r.report.stopped == stop_reason::converged) return {};
  const report_words<grid_report> say(grid_report_table(), r.report);
  return ended(r) +
         say("; relative residual {residual_relative_recursive} (true "
             "{residual_relative_true}), wanted {residual_relative_wanted}") +
         (r.report.advice.empty() ? "" : "; " + r.report.advice);
}

exit_code code_of(const grid_result& r) { return code_of(r.report.stopped); }

std::vector<std::pair<std::string, std::string>> grid_problem_rows(const grid_choices& given) {
  const grid_words w = words_of(given);
  std::string spacing;
  for (const double h : w.spacing) spacing += fmt::format("{}{}", spacing.empty() ? "" : ", ", h);
  if (std::ranges::all_of(w.spacing, [&](double h) { return h == w.spacing[0]; }))
    spacing = fmt::format("{}", w.spacing[0]);
  std::int64_t all = 1;
  for (const int n : w.cells) all *= n;
  std::string k = printable(given.k);
  for (const std::string& one : given.k_faces) k += ", of faces along " + printable(one);
  if (!given.k_axes.empty()) k += " times " + given.k_axes + " along the axes";
  return {{"system", fmt::format("-div(k grad u){} = f, k {}{}", given.s == "0" ? "" : " + s u", k,
                                 given.s == "0" ? "" : ", s " + printable(given.s))},
          {"grid", fmt::format("{}, {} unknowns, {}-centred, spacing {}", sizes_of(w.cells),
                               format_count(all), given.centring, spacing)},
          {"boundary", conditions(w)}};
}

std::string to_text(const grid_result& r) {
  const grid_report& g = r.report;
  const report_words<grid_report> say(grid_report_table(), g);
  table out("dwell " DWELL_VERSION_STRING ": system on a grid");
  for (const auto& [label, value] : grid_problem_rows(r.given)) out.row(label, value);
  out.row("right-hand side", printable(r.rhs));
  out.row("start", r.start.empty() ? "zeros" : printable(r.start));
  out.gap();
  const std::string threads = format_plural(g.threads, g.on == backend::cpu ? "thread" : "block");
  out.row("device", say("{device} ({on}), ") + threads);
  if (g.reason != threads) out.row("", g.reason);
  if (r.ranks) {
    out.row("ranks", describe_ranks(*r.ranks));
    out.row("exchanges", describe_exchanges(*r.ranks));
  }
  out.row("method", say("{method}, preconditioner {preconditioner}"));
  out.row("cycle", g.cycle);
  out.row("levels", say.shown("levels"));
  out.row("precision", say("{precision}; levels f32"));
  out.gap();
  out.row("result", ended(r) + say("{met_by_rounding}{stagnated}"));
  if (!g.advice.empty()) out.row("", say("{advice}"));
  if (g.refinements > 0)
    out.row("refinement", fmt::format("began anew {} from the answer",
                                      g.refinements == 1 ? "once" : say("{refinements} times")));
  out.row("residual", say("{residual_relative_recursive} recursive, {residual_relative_true} true, "
                          "{residual_relative_wanted} wanted (relative to |b| = {rhs_norm})"));
  if (g.null_space != "none")
    out.row("null space",
            say("{null_space}: b without its mean, which is {rhs_outside_range} of |b|; u has the "
                "mean 0"));
  out.row("values", std::isnan(r.least) ? "none is finite"
                                        : fmt::format("{:.6g} to {:.6g}", r.least, r.greatest));
  out.row("time", fmt::format("read {}, ", format_seconds(r.read_s)) +
                      say("set-up {setup_s}, solve {solve_s}, ") +
                      fmt::format("write {}", format_seconds(r.write_s)));
  if (g.iterations > 0)
    out.row("", say("{per_iteration_us} per iteration, ") +
                    format_rate(double(g.bytes_per_iteration) / (g.per_iteration_us * 1e-6)) +
                    say(" ({bytes_per_iteration} each, by the model)"));
  for (std::size_t i = 0; i < r.files.size(); ++i)
    out.row(i == 0 ? "written" : "", r.files[i].second + " (" + r.files[i].first + ")");
  return out.text() + (r.ranks && r.per_rank ? "\n" + ranks_table(*r.ranks) : "");
}

void add_grid_problem_fields(json& out, const grid_choices& given) {
  const grid_words w = words_of(given);
  json sides = json::array();
  for (const auto& [side, what] : w.sides) sides.push_back({{"side", side}, {"condition", what}});
  out["size"] = sizes_of(w.cells);
  out["spacing"] = w.spacing;
  out["centring"] = given.centring;
  out["k"] = given.k;
  out["k_axes"] = text_or_null(given.k_axes);
  out["k_faces"] = given.k_faces;
  out["mean"] = given.mean;
  out["s"] = given.s;
  out["boundary"] = sides;
}

json to_json(const grid_result& r) {
  json out = document("grid");
  add_grid_problem_fields(out, r.given);
  out["rhs"] = r.rhs;
  out["start"] = r.start.empty() ? "zeros" : r.start;
  json levels = json::array();
  for (const grid_level& l : r.report.levels) levels.push_back({{"size", sizes_of(l.cells)}});
  const auto finite = [](double v) { return std::isfinite(v) ? json(v) : json(nullptr); };
  add_report(out, grid_report_table(), r.report,
             {{"levels", "levels", levels},
              {"iterations", "tolerance.relative",
               r.given.options.rtol.value_or(default_grid_rtol(r.given.precision))},
              {"iterations", "tolerance.absolute", r.given.options.atol},
              {"iterations", "max_iterations", r.given.options.max_iterations},
              {"stagnated", "least", finite(r.least)},
              {"stagnated", "greatest", finite(r.greatest)},
              {"setup_s", "time.read_s", r.read_s},
              {"bytes_per_iteration", "time.write_s", r.write_s},
              {"bytes_per_iteration", "time.total_s", r.wall_s}});
  out.update({{"transport", r.ranks ? json(r.ranks->transport) : json(nullptr)},
              {"divided_levels", r.ranks ? json(r.ranks->report.divided_levels) : json(nullptr)},
              {"ranks", r.ranks ? ranks_json(*r.ranks) : json::array()},
              {"warnings", r.warnings},
              {"files",
               {{"answer", nullptr},
                {"history", nullptr},
                {"matrix", nullptr},
                {"matrix_rhs", nullptr},
                {"report", nullptr}}}});
  for (const auto& [what, where] : r.files) out["files"][what] = where;
  return out;
}

}  // namespace dwell::app
