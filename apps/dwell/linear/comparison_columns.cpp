// SPDX-License-Identifier: MIT
// Keys, heads and units of each column.
#include "linear/comparison_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/units.hpp"

#include "dwell/linear/solve.hpp"

namespace dwell::app {

namespace {

json if_measured(const cg_row& r, json value) { return r.run->measured() ? value : json(nullptr); }

columns<cg_row> of_run(const columns<measured_run>& some) {
  return columns_of_part<cg_row>(some,
                                 [](const cg_row& r) -> const measured_run& { return *r.run; });
}

double milliseconds_of_solve(const measured_run& r) {
  return 1e-3 * static_cast<const compared_run&>(r).iterations;
}

}  // namespace

std::vector<cg_row> rows_of(const comparison& c, const compared_matrix& m) {
  std::vector<cg_row> rows;
  for (const auto& r : m.runs) rows.push_back({&c, &m, &r});
  return rows;
}

columns<compared_matrix> system_columns() {
  using row = compared_matrix;
  return {{"name", "system", unit::word, [](const row& m) { return m.name; }},
          {"rows", "rows", unit::count, [](const row& m) { return m.rows; }},
          {"nonzeros", "nonzeros", unit::count, [](const row& m) { return m.nonzeros; }},
          {"refusal", "", unit::word, [](const row& m) { return text_or_null(m.refusal); }},
          {"rhs_note", "", unit::word, [](const row& m) { return text_or_null(m.rhs_note); }},
          {"bytes_per_iteration", "", unit::bytes, [](const row& m) {
             return m.bytes_per_iteration > 0 ? json(m.bytes_per_iteration) : json(nullptr);
           }}};
}

columns<cg_row> system_run_columns(const comparison& c) {
  using row = cg_row;
  const bool fixed = c.fixed;
  const auto if_fixed = [&](const char* head) { return fixed ? head : ""; };
  const auto modelled = [&](const char* head) { return fixed && c.backend == "cuda" ? head : ""; };
  auto all = of_run(run_columns(true));
  append(all, of_run(ranks_column(!c.partition.empty())));
  append(all, columns<row>{{"policy_chosen", "", unit::word,
                            [](const row& r) { return text_or_null(r.run->policy_chosen); }}});
  if (!fixed) append(all, of_run(scaled_time_columns("solve ms", milliseconds_of_solve)));
  append(all, of_run(time_columns("time.per_iteration_us", if_fixed("us/iteration"))));
  append(
      all,
      columns<row>{
          {"time.solve_s", "", unit::milli,
           [](const row& r) { return if_measured(r, r.run->solve_us() * 1e-6); }},
          {"speed_up", "speed-up", unit::number,
           [](const row& r) { return number_or_null(speed_up(*r.all, *r.matrix, *r.run)); }},
          {"over_best_peer", "over peer", unit::number,
           [](const row& r) { return number_or_null(over_best_peer(*r.all, *r.matrix, *r.run)); }},
          {"bandwidth_bytes_per_s", if_fixed("GB/s"), unit::giga,
           [](const row& r) { return number_or_null(bandwidth(*r.matrix, *r.run)); }},
          {"floor_us", "", unit::us, [](const row& r) { return number_or_null(r.run->floor_us); }},
          {"fraction_of_floor", if_fixed("of floor"), unit::percent,
           [](const row& r) { return number_or_null(of_floor(*r.run)); }},
          {"attainable_us", modelled("P us"), unit::number,
           [](const row& r) { return number_or_null(r.run->prospect.attainable * 1e6); }},
          {"projected_us", modelled("PP us"), unit::number,
           [](const row& r) { return number_or_null(r.run->prospect.projected * 1e6); }},
          {"measured_over_projected", modelled("of PP"), unit::percent,
           [](const row& r) { return number_or_null(of_projected(*r.run)); }},
          {"binds", modelled("binds"), unit::word,
           [](const row& r) { return text_or_null(r.run->prospect.binds); }},
          {"iterations", fixed ? "" : "iterations", unit::count,
           [](const row& r) { return if_measured(r, r.run->iterations); }},
          {"", fixed ? "" : "us/iteration", unit::number,
           [](const row& r) { return if_measured(r, r.run->median_us()); }},
          {"stop_reason", "", unit::word,
           [](const row& r) { return if_measured(r, r.run->stopped); }},
          {"residual.relative_true", "true residual", unit::residual,
           [](const row& r) {  // NaN: not known
             return std::isnan(r.run->residual) ? json(nullptr) : if_measured(r, r.run->residual);
           }}});
  return all;
}

columns<mean_over_peers> mean_columns() {
  using row = mean_over_peers;
  columns<row> all = {
      {"requested.variant", "variant", unit::word, [](const row& m) { return m.variant; }},
      {"requested.policy", "policy", unit::word, [](const row& m) { return m.policy; }}};
  for (int k = 0; k < 2; ++k) {
    const std::string key = k == 0 ? "small" : "large";
    append(all,
           columns<row>{
               {key + ".systems", "", unit::count, [k](const row& m) { return m.systems[k]; }},
               {key + ".geometric_mean",
                k == 0 ? fmt::format("up to {} nonzeros", format_count(most_small_nonzeros))
                       : "more nonzeros",
                unit::number, [k](const row& m) { return number_or_null(m.geometric_mean[k]); },
                [k](const row& m) {
                  if (m.systems[k] == 0) return std::string("-");
                  return fmt::format(
                      "{} ({})", number_cell(m.geometric_mean[k]),
                      format_plural(static_cast<std::int64_t>(m.systems[k]), "system"));
                }}});
  }
  return all;
}

columns<compared_matrix> overview_columns(const comparison& c) {
  auto all = system_columns();
  std::vector<std::string> labels;
  for (const auto& m : c.matrices)
    for (const auto& r : m.runs)
      if (r.measured() && std::find(labels.begin(), labels.end(), label(r)) == labels.end())
        labels.push_back(label(r));
  for (const auto& name : labels)
    all.push_back({"", name, unit::number, [name, fixed = c.fixed](const compared_matrix& m) {
                     for (const auto& r : m.runs)
                       if (label(r) == name && r.arrived(fixed))
                         return json(r.cost_us(fixed) * (fixed ? 1 : 1e-3));
                     return json(nullptr);
                   }});
  return all;
}

}  // namespace dwell::app
