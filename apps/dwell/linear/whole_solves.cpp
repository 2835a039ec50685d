// SPDX-License-Identifier: MIT
// The table of `dwell compare solve`, described once for all formats.
#include "linear/whole_solves.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compare/forms.hpp"
#include "compare/layout.hpp"
#include "dwell/version.hpp"
#include "report/fields.hpp"
#include "report/units.hpp"

#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/api/report_table.hpp"

namespace dwell::app {

namespace {

struct solve_row {
  const solved_system* system;
  const compared_solve* run;
};
std::vector<solve_row> rows_of_system(const solved_system& m) {
  std::vector<solve_row> rows;
  for (const auto& r : m.runs) rows.push_back({&m, &r});
  return rows;
}

/// Median of all but the first; null where there is none.
json median_of_counted(std::vector<double> v) {
  if (v.size() < 2) return nullptr;
  v.erase(v.begin());
  std::sort(v.begin(), v.end());
  return 0.5 * (v[(v.size() - 1) / 2] + v[v.size() / 2]);
}

json solve_if_measured(const solve_row& r, json value) {
  return r.run->measured() ? value : json(nullptr);
}

columns<solve_row> run_columns_of() {
  using row = solve_row;
  const auto of_run = [](const columns<measured_run>& some) {
    return columns_of_part<row>(some, [](const row& r) -> const measured_run& { return *r.run; });
  };
  columns<row> all = {{"method", "method", unit::word, [](const row& r) { return r.run->method; }},
                      {"preconditioner", "preconditioner", unit::word,
                       [](const row& r) { return text_or_null(r.run->preconditioner); }}};
  auto ran = run_columns(true);
  for (auto& c : ran) c.head.clear();  // for programs only
  append(all, of_run(ran));
  append(all, of_run(scaled_time_columns("total ms", [](const measured_run&) { return 1e-3; })));
  append(all, of_run(time_columns("time.total_us", "")));
  append(all,
         columns<row>{
             {"time.setup_s", "set-up ms", unit::milli,
              [](const row& r) { return solve_if_measured(r, median_of_counted(r.run->setup_s)); }},
             {"time.solve_s", "iterating ms", unit::milli,
              [](const row& r) { return solve_if_measured(r, median_of_counted(r.run->solve_s)); }},
             {"iterations", "iterations", unit::count,
              [](const row& r) { return solve_if_measured(r, r.run->iterations); }},
             {"over_best_peer", "over peer", unit::number,
              [](const row& r) { return number_or_null(over_best_peer(*r.system, *r.run)); }},
             {"stop_reason", "", unit::word,
              [](const row& r) { return solve_if_measured(r, r.run->stopped); }},
             {"residual.relative_true", "true residual", unit::residual,
              [](const row& r) {  // NaN: not known
                return std::isnan(r.run->residual) ? json(nullptr)
                                                   : solve_if_measured(r, r.run->residual);
              }}});
  return all;
}

columns<solved_system> columns_of_systems() {
  using row = solved_system;
  return {{"name", "system", unit::word, [](const row& m) { return m.name; }},
          {"rows", "rows", unit::count, [](const row& m) { return m.rows; }},
          {"nonzeros", "nonzeros", unit::count, [](const row& m) { return m.nonzeros; }},
          {"refusal", "", unit::word, [](const row& m) { return text_or_null(m.refusal); }},
          {"rhs_note", "", unit::word, [](const row& m) { return text_or_null(m.rhs_note); }}};
}

std::string solve_name(const compared_solve& r) {
  return r.preconditioner.empty() ? r.method : r.method + ", " + r.preconditioner;
}

std::string missed_words() {
  solve_report missed;
  missed.target_missed = true;
  return report_words<solve_report>{solve_report_table(), missed}.shown("target_missed");
}

std::vector<std::string> solve_remarks(const solved_system& m) {
  std::vector<std::string> out;
  if (!m.rhs_note.empty()) out.push_back(m.rhs_note);
  for (const auto& r : m.runs) {
    if (!r.measured())
      out.push_back(fmt::format("{}: {}: {}", solve_name(r), to_string(r.outcome), r.why));
    else if (!r.converged())
      out.push_back(fmt::format("{}: ended after {}: {}{}", solve_name(r),
                                format_plural(r.iterations, "iteration"), r.stopped,
                                r.target_missed ? missed_words() : ""));
    if (const auto peer = peer_remark(r); !peer.empty())
      out.push_back(peer);
    else if (r.measured() && r.peer)
      out.push_back(fmt::format("{}: {}; {}", solve_name(r), r.how.reason, r.how.device));
  }
  return out;
}

comparison_layout layout_of_solves(const solve_comparison& c) {
  comparison_layout out{
      fmt::format("Whole solves on {} ({}): until the relative residual is {} or after {}; {}, "
                  "b = {}, x0 = 0.",
                  c.device, c.backend, c.rtol, format_plural(c.max_iterations, "iteration"),
                  c.precision, c.rhs),
      {},
      {fmt::format("total: median of {}, after one that is not counted, from arrays on the host to "
                   "the answer on the host;",
                   format_plural(c.repetitions, "run")),
       "set-up and iterating: medians of its parts. over peer: over the fastest peer that "
       "converged.",
       "true residual: |b - Ax| / |b| at the end, computed from x.",
       "Measured by dwell " DWELL_VERSION_STRING "."}};
  out.note = interrupted_note(c);
  for (const auto& m : c.matrices)
    out.sections.push_back(
        {m.refusal.empty() ? fmt::format("{}: {} rows, {} nonzeros", m.name, format_count(m.rows),
                                         format_count(m.nonzeros))
                           : m.name,
         m.refusal, table_of(run_columns_of(), rows_of_system(m)), solve_remarks(m)});
  return out;
}

}  // namespace

bool compared_solve::converged() const {
  return measured() && stopped == to_string(stop_reason::converged) && !target_missed;
}

double over_best_peer(const solved_system& m, const compared_solve& run) {
  if (run.peer || !run.converged()) return 0;
  double best = 0;
  for (const auto& r : m.runs)
    if (r.peer && r.converged() && (best == 0 || r.median_us() < best)) best = r.median_us();
  return best > 0 && run.median_us() > 0 ? best / run.median_us() : 0;
}

std::size_t rows_of(const solve_comparison& c) { return count_runs(c.matrices); }

std::string to_text(const solve_comparison& c) { return layout_of_solves(c).text(); }
std::string to_markdown(const solve_comparison& c) { return layout_of_solves(c).markdown(); }

std::string to_csv(const solve_comparison& c) {
  return csv_of("matrix.", columns_of_systems(), c.matrices, run_columns_of(), rows_of_system);
}

json to_json(const solve_comparison& c) {
  json out = document("compare solve");
  out.update({{"device", {{"name", c.device}, {"backend", c.backend}}},
              {"precision", c.precision},
              {"rhs", c.rhs},
              {"max_iterations", c.max_iterations},
              {"tolerance", {{"relative", c.rtol}}},
              {"repetitions", c.repetitions},
              {"interrupted", c.interrupted}});
  out["matrices"] = json_of(columns_of_systems(), c.matrices, run_columns_of(), rows_of_system);
  return out;
}

}  // namespace dwell::app
