// SPDX-License-Identifier: MIT
// Plans for Sweeps on an H200, without a device.
#pragma once
#include <vector>

#include "dwell/execution/core/sweep_patch.hpp"
#include "dwell/execution/core/sweep_run.hpp"
#include "dwell/execution/model/limits.hpp"
#include "dwell/execution/perks/perks_rungs.hpp"
#include "dwell/execution/policies/sweep_keep.hpp"

namespace dwell::test {

/// Of a fixed border in f64, unless said otherwise.
inline sweep_problem_facts problem_of(const extents& size, int radius, int flops) {
  return {size, inner_box(size, radius), radius, 8, boundary::fixed, flops, false, false};
}

/// The kernels of perks for a shape, and behind them those for steps of the whole field, with a
/// barrier after each and without, as on a GPU.
template <class S>
std::vector<sweep_rung_facts> kernels_of_perks() {
  std::vector<sweep_rung_facts> all;
  for (const sweep_rung& r : perks_rungs<S, double>)
    all.push_back({r, 255, 0, 132, perks_scratch_bytes<S, double>(r)});
  for (const bool flows : {false, true})
    for (sweep_rung r : thread_rungs<S, double>) {
      r.flows = flows;
      all.push_back({r, 128, 0, r.teams_per_unit * 132, 0});
    }
  return all;
}
template <class S>
std::vector<sweep_choice> plans_of_perks(const extents& size, const sweep_wish& wish) {
  auto problem = problem_of(size, radius_of<S>, flops_of<S>);
  problem.star = is_star<S>;
  problem.linear = is_linear<S>;
  return policies::sweep_candidates(problem, wish, kernels_of_perks<S>(), facts_of("h200"));
}

}  // namespace dwell::test
