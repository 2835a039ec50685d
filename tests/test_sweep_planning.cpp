// SPDX-License-Identifier: MIT
// What is projected for executors that keep nothing of a field, without a device: a roof, over all
// that was measured on the H200 (docs/results/stencil-h200.md).
#include <gtest/gtest.h>

#include <vector>

#include "dwell/execution/core/sweep_run.hpp"
#include "dwell/execution/model/limits.hpp"
#include "dwell/execution/policies/sweep_none.hpp"

namespace dwell::test {
namespace {

/// Of a fixed border in f64, unless said otherwise.
sweep_problem_facts problem_of(const extents& size, int radius, int flops) {
  return {size, inner_box(size, radius), radius, 8, boundary::fixed, flops, false, false};
}

sweep_projection roof_of(const sweep_problem_facts& problem) {
  const std::vector<sweep_rung_facts> rungs = {{{256, 4}, 64, 0, 4 * 132, 0}};
  return policies::sweep_none(problem, false, rungs, facts_of("h200")).projected;
}

TEST(sweep_roof, no_run_that_was_measured_is_faster) {
  const struct {
    extents size;
    int radius, flops;
    double graph, persistent;  // GCells/s, the better of host-loop and graph first
  } measured[] = {
      {{1344, 1232}, 1, 9, 261, 219},    {{2816, 2400}, 1, 9, 223, 223},
      {{1344, 1232}, 2, 17, 244, 200},   {{960, 960}, 6, 49, 104, 78},
      {{1344, 1232}, 3, 97, 111, 93},    {{2816, 2016}, 3, 97, 127, 122},
      {{48, 352, 256}, 1, 13, 181, 189}, {{45, 352, 256}, 1, 53, 140, 138},
  };
  for (const auto& m : measured) {
    const auto problem = problem_of(m.size, m.radius, m.flops);
    const auto cells =
        static_cast<double>(changing_cells(problem.size, problem.inner, problem.edge));
    const double roof = cells / roof_of(problem).seconds * 1e-9;
    EXPECT_GT(roof, m.graph) << to_string(m.size) << ", " << m.flops << " operations";
    EXPECT_GT(roof, m.persistent) << to_string(m.size) << ", " << m.flops << " operations";
    EXPECT_LT(roof, 4 * m.graph) << to_string(m.size) << ", " << m.flops << " operations";
  }
}

TEST(sweep_roof, wide_stencils_are_bound_by_arithmetic) {
  const sweep_projection star = roof_of(problem_of({1344, 1232}, 1, 9));
  EXPECT_LT(star.arithmetic, star.l2);
  const auto wide = problem_of({1344, 1232}, 3, 97);
  const sweep_projection box = roof_of(wide);
  EXPECT_GT(box.arithmetic, box.l2);
  EXPECT_EQ(box.seconds, box.arithmetic + box.exchange);
  auto single = wide;  // twice the rate, half the bytes
  single.scalar_bytes = 4;
  EXPECT_NEAR(roof_of(single).arithmetic, box.arithmetic / 2, 1e-12);
  EXPECT_NEAR(roof_of(single).l2, box.l2 / 2, 1e-12);
}

TEST(sweep_roof, cells_of_a_fixed_border_cost_nothing_and_a_source_a_load) {
  auto problem = problem_of({100, 200}, 2, 17);
  EXPECT_EQ(changing_cells(problem.size, problem.inner, boundary::fixed), 96u * 196u);
  EXPECT_EQ(changing_cells(problem.size, problem.inner, boundary::reflect), 100u * 200u);
  const sweep_projection plain = roof_of(problem);
  problem.source = true;
  EXPECT_NEAR(roof_of(problem).l2, 1.5 * plain.l2, 1e-12);
  problem.source = false;
  problem.edge = boundary::periodic;
  EXPECT_NEAR(roof_of(problem).l2, plain.l2 * (100 * 200) / (96 * 196), 1e-12);
}

}  // namespace
}  // namespace dwell::test
