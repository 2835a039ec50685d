// SPDX-License-Identifier: MIT
// Plans for stencils on an H200, without a device.
#pragma once
#include <string>
#include <vector>

#include "dwell/device/limits.hpp"
#include "dwell/execution/stencil/launch/rows_perks_cuda.hpp"
#include "dwell/execution/stencil/launch/run.hpp"
#include "dwell/execution/stencil/plan/policies/plan.hpp"
#include "dwell/execution/stencil/step/register_tile.hpp"

namespace dwell::test {

/// Problem with a fixed border in f64, unless said otherwise.
inline stencil_problem problem_of(const extents& size, int radius, int flops) {
  return {size, inner_box(size, radius), radius, 8, boundary::fixed, flops, false, false};
}

/// The kernels of perks for a shape.
template <class S>
const std::vector<engine_facts>& kernels_of_perks() {
  static const std::vector<engine_facts> facts = [] {
    const device_facts h200 = facts_of("h200");
    std::vector<engine_facts> all;
    for (std::size_t k = 0; k < cuda::caching_kernels<S, double>().all().size(); ++k)
      all.push_back(cuda::assume_caching<S, double>(h200, static_cast<int>(k)));
    return all;
  }();
  return facts;
}
template <class S>
std::vector<stencil_choice> plans_of_perks(const extents& size,
                                           const stencil_plan_request& request) {
  auto problem = problem_of(size, radius_of<S>, flops_of<S>);
  problem.star = is_star<S>;
  problem.linear = is_linear<S>;
  return policies::stencil_candidates(problem, request, kernels_of_perks<S>(), facts_of("h200"));
}
/// The engine of the best plan.
template <class S>
std::string engine_of_perks(const extents& size, const stencil_plan_request& request) {
  const int config = plans_of_perks<S>(size, request).front().plan.config;
  return kernels_of_perks<S>()[static_cast<std::size_t>(config)].engine->name();
}

}  // namespace dwell::test
