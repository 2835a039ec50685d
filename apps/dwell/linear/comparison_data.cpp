// SPDX-License-Identifier: MIT
// What follows from the measured times, and the forms for programs.
#include <fmt/format.h>

#include <algorithm>

#include "compare/forms.hpp"
#include "linear/comparison.hpp"
#include "linear/comparison_columns.hpp"
#include "linear/comparison_means.hpp"

#include "dwell/linear/solve.hpp"

namespace dwell::app {

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

double of_projected(const compared_run& run) {
  const double us = run.median_us();
  return us > 0 ? run.prospect.projected * 1e6 / us : 0;
}
double of_floor(const compared_run& run) {
  const double us = run.median_us();
  return us > 0 ? run.floor_us / us : 0;
}

std::string to_csv(const comparison& c) {
  const auto systems = system_columns();
  const auto runs = system_run_columns(c);
  const auto heads = csv_heads(runs);
  std::string out = csv_of("matrix.", systems, c.matrices, runs,
                           [&](const compared_matrix& m) { return rows_of(c, m); });
  // Lines of their own, under the heads that fit.
  const auto means = means_over_peers(c);
  for (const auto& mean : means)
    for (int k = 0; k < 2; ++k) {
      if (mean.systems[k] == 0) continue;
      std::vector<std::string> of_run(heads.size());
      const auto put = [&](const char* head, const std::string& text) {
        of_run[static_cast<std::size_t>(std::find(heads.begin(), heads.end(), head) -
                                        heads.begin())] = text;
      };
      put("executor", "perks");
      put("requested.variant", mean.variant);
      put("requested.policy", mean.policy);
      put("outcome", "mean");
      put("over_best_peer", csv_field(mean.geometric_mean[k]));
      std::vector<std::string> system(systems.size());
      system[0] = fmt::format("geometric mean of {} {}", mean.systems[k], k ? "large" : "small");
      out += line_of(system, of_run);
    }
  return out;
}

json to_json(const comparison& c) {
  json out = document("compare cg");
  out.update({{"device", {{"name", c.device}, {"backend", c.backend}}},
              {"precision", c.precision},
              {"preconditioner", c.preconditioner},
              {"rhs", c.rhs},
              {"fixed_iterations", c.fixed},
              {"max_iterations", c.iterations},
              {"tolerance", {{"relative", c.fixed ? json(nullptr) : json(c.rtol)}}},
              {"repetitions", c.repetitions},
              {"partition", text_or_null(c.partition)},
              {"interrupted", c.interrupted}});
  out["matrices"] = json_of(system_columns(), c.matrices, system_run_columns(c),
                            [&](const compared_matrix& m) { return rows_of(c, m); });
  out["perks_over_best_peer"] = {{"most_small_nonzeros", most_small_nonzeros},
                                 {"means", array_of(mean_columns(), means_over_peers(c))}};
  return out;
}

}  // namespace dwell::app
