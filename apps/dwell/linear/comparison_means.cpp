// SPDX-License-Identifier: MIT
// The best peer of a system, and means of speed-ups over it.
#include "linear/comparison_means.hpp"

#include <algorithm>
#include <cmath>

namespace dwell::app {

double over_best_peer(const comparison& c, const compared_matrix& m, const compared_run& run) {
  if (run.peer || !run.arrived(c.fixed)) return 0;
  double best = 0;
  for (const auto& r : m.runs)
    if (r.peer && r.arrived(c.fixed) && (best == 0 || r.cost_us(c.fixed) < best))
      best = r.cost_us(c.fixed);
  return best / run.cost_us(c.fixed);
}

std::vector<mean_over_peers> means_over_peers(const comparison& c) {
  std::vector<mean_over_peers> all;
  if (c.matrices.size() < 2) return all;
  for (const auto& m : c.matrices)
    for (const auto& r : m.runs) {
      const auto& asked = r.how.requested;
      const double factor = asked.policy.empty() ? 0 : over_best_peer(c, m, r);
      if (factor <= 0) continue;
      auto found = std::find_if(all.begin(), all.end(), [&](const mean_over_peers& a) {
        return a.variant == asked.variant && a.policy == asked.policy;
      });
      if (found == all.end()) found = all.insert(all.end(), {asked.variant, asked.policy});
      const int large = m.nonzeros > most_small_nonzeros;
      ++found->systems[large];
      found->geometric_mean[large] += std::log(factor);  // for now the sum of logarithms
    }
  for (auto& a : all)
    for (int k = 0; k < 2; ++k)
      a.geometric_mean[k] =
          a.systems[k] ? std::exp(a.geometric_mean[k] / static_cast<double>(a.systems[k])) : 0.0;
  return all;
}

}  // namespace dwell::app
