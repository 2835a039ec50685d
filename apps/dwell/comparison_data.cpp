// SPDX-License-Identifier: MIT
// What follows from the measured times, and the forms for programs.
#include <fmt/format.h>

#include "comparison.hpp"
#include "comparison_layout.hpp"
#include "comparison_means.hpp"

#include "dwell/solvers/cg/cg.hpp"

namespace dwell::app {

namespace {

json to_json(const comparison& c, const compared_matrix& m, const compared_run& r) {
  const auto if_measured = [&](const json& value) { return r.measured() ? value : json(nullptr); };
  json j = json_of_run(r, "per_iteration_us");
  j.update({{"variant", text_or_null(r.variant)},
            {"plan_variant", text_or_null(r.plan_variant)},
            {"over_best_peer", number_or_null(over_best_peer(c, m, r))},
            {"solve_us", if_measured(r.solve_us())},
            {"speed_up", number_or_null(speed_up(c, m, r))},
            {"bandwidth_bytes_per_s", number_or_null(bandwidth(m, r))},
            {"floor_us", number_or_null(r.floor_us)},
            {"fraction_of_floor", number_or_null(of_floor(r))},
            {"iterations", if_measured(r.iterations)},
            {"stop_reason", if_measured(r.stopped)},
            {"residual_relative_true", if_measured(r.residual)}});
  return j;
}

}  // namespace

bool compared_run::arrived(bool fixed) const {
  return median_us() > 0 && iterations > 0 &&
         (fixed || stopped == to_string(stop_reason::converged));
}

double speed_up(const comparison& c, const compared_matrix& m, const compared_run& run) {
  if (m.runs.empty() || m.runs[0].median_us() <= 0 || run.median_us() <= 0) return 0;
  return m.runs[0].cost_us(c.fixed) / run.cost_us(c.fixed);
}

double bandwidth(const compared_matrix& m, const compared_run& run) {
  const double us = run.median_us();
  return us > 0 ? static_cast<double>(m.bytes_per_iteration) / us * 1e6 : 0;
}

double of_floor(const compared_run& run) {
  const double us = run.median_us();
  return us > 0 ? run.floor_us / us : 0;
}

std::string to_csv(const comparison& c) {
  std::string out = fmt::format(
      "matrix,rows,nonzeros,{},solve_us,speed_up,bandwidth_bytes_per_s,floor_us,fraction_of_floor,"
      "iterations,stop_reason,residual_relative_true,remark,variant,plan_variant,over_best_peer\n",
      csv_run_heads);
  for (const auto& m : c.matrices) {
    if (!m.refusal.empty())
      out +=
          fmt::format("{},,,,,,,refused,,,,,,,,,,,,{},,,\n", csv_text(m.name), csv_text(m.refusal));
    for (const auto& r : m.runs)
      out += fmt::format("{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_text(m.name),
                         m.rows, m.nonzeros, csv_run_fields(r), csv_number(r.solve_us()),
                         csv_number(speed_up(c, m, r)), csv_number(bandwidth(m, r)),
                         csv_number(r.floor_us), csv_number(of_floor(r)),
                         r.measured() ? std::to_string(r.iterations) : "", r.stopped,
                         r.measured() ? fmt::format("{}", r.residual) : "",
                         csv_text(r.measured() ? r.detail : r.why), r.variant, r.plan_variant,
                         csv_number(over_best_peer(c, m, r)));
  }
  for (const auto& mean : means_over_peers(c))
    for (int k = 0; k < 2; ++k)
      if (mean.systems[k])
        out += fmt::format("geometric mean of {} {},,,,perks,{},,mean,,,,,,,,,,,,,{},,{}\n",
                           mean.systems[k], k ? "large" : "small", mean.policy, mean.variant,
                           csv_number(mean.geometric_mean[k]));
  return out;
}

json to_json(const comparison& c) {
  json matrices = json::array();
  for (const auto& m : c.matrices) {
    json runs = json::array();
    for (const auto& r : m.runs) runs.push_back(to_json(c, m, r));
    matrices.push_back({{"name", m.name},
                        {"rows", m.rows},
                        {"nonzeros", m.nonzeros},
                        {"refusal", text_or_null(m.refusal)},
                        {"bytes_per_iteration",
                         m.bytes_per_iteration > 0 ? json(m.bytes_per_iteration) : json(nullptr)},
                        {"runs", runs}});
  }
  json means = json::array();
  for (const auto& mean : means_over_peers(c)) {
    const auto of = [&](int k) {
      return json{{"systems", mean.systems[k]},
                  {"geometric_mean", number_or_null(mean.geometric_mean[k])}};
    };
    means.push_back(
        {{"variant", mean.variant}, {"policy", mean.policy}, {"small", of(0)}, {"large", of(1)}});
  }
  return {
      {"version", DWELL_VERSION},
      {"device", {{"name", c.device}, {"backend", c.backend}}},
      {"precision", c.precision},
      {"preconditioner", c.preconditioner},
      {"rhs", c.rhs},
      {"fixed_iterations", c.fixed},
      {"iterations", c.iterations},
      {"rtol", c.fixed ? json(nullptr) : json(c.rtol)},
      {"repetitions", c.repetitions},
      {"interrupted", c.interrupted},
      {"matrices", matrices},
      {"perks_over_best_peer", {{"most_small_nonzeros", most_small_nonzeros}, {"means", means}}}};
}

}  // namespace dwell::app
