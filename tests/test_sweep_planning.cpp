// SPDX-License-Identifier: MIT
// Plans for Sweeps on an H200, without a device: tiles and teams of executors that keep nothing,
// and what is projected for them, a roof over all that was measured (docs/results/stencil-h200.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "dwell/execution/policies/sweep_none.hpp"
#include "dwell/solvers/stencil/shapes/box2d25.hpp"
#include "dwell/solvers/stencil/shapes/box3d27.hpp"
#include "dwell/solvers/stencil/shapes/gradient2d.hpp"
#include "dwell/solvers/stencil/shapes/star2d25.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star3d13.hpp"
#include "dwell/solvers/stencil/shapes/star3d7.hpp"
#include "sweep_oracle.hpp"
#include "sweep_plans.hpp"

namespace dwell::test {
namespace {

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
      {{1344, 1232}, 1, 9, 265, 279},    {{2816, 2400}, 1, 9, 225, 223},
      {{1344, 1232}, 2, 17, 244, 248},   {{960, 960}, 6, 49, 119, 132},
      {{1344, 1232}, 3, 97, 112, 93},    {{2816, 2016}, 3, 97, 128, 122},
      {{48, 352, 256}, 1, 13, 183, 192}, {{45, 352, 256}, 1, 53, 151, 152},
      {{8192, 8192}, 1, 9, 257, 259},    {{4096, 4096}, 6, 49, 189, 182},
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

/// Of patches of two columns and eight rows, and of columns, as a GPU has them.
sweep_plan plain_plan(const extents& size, int radius, bool resident) {
  const sweep_rung patches{.lanes = 256, .teams_per_unit = 3, .across = 2, .down = 8};
  const sweep_rung columns{.lanes = 256, .teams_per_unit = 3, .across = 1, .down = 8};
  const std::vector<sweep_rung_facts> rungs = {{patches, 80, 0, 3 * 132, 0},
                                               {columns, 80, 0, 3 * 132, 0}};
  return policies::sweep_none(problem_of(size, radius, 9), resident, rungs, facts_of("h200")).plan;
}

TEST(sweep_none, grids_that_patches_do_not_suit_get_columns) {
  const auto tiles_cover = [](const sweep_plan& p, int y, int x) {
    return p.tiles_x * p.tile_x >= x && p.tiles_y * p.tile_y >= y;
  };
  const sweep_plan even = plain_plan({100, 256}, 1, false), odd = plain_plan({100, 255}, 1, false),
                   low = plain_plan({9, 256}, 1, false), thin = plain_plan({100, 31}, 1, false);
  EXPECT_EQ(even.rung, 0);
  EXPECT_EQ(odd.rung, 0);                   // its rows are padded
  EXPECT_EQ(thin.rung, 1);                  // which those of a few cells are not
  EXPECT_EQ(low.rung, 1);                   // 7 rows change, a patch has 8
  EXPECT_TRUE(tiles_cover(even, 98, 255));  // from the grid's first column on
  EXPECT_TRUE(tiles_cover(odd, 98, 254));
  EXPECT_TRUE(tiles_cover(thin, 98, 29));
  EXPECT_TRUE(tiles_cover(low, 7, 254));
}

/// Whether plain steps of a field go by the kernel for patches on a GPU.
template <class S, class T>
bool by_patches(const extents& size) {
  std::vector<sweep_rung_facts> rungs;
  for (const sweep_rung& r : thread_rungs<S, T>)
    rungs.push_back({r, 80, 0, r.teams_per_unit * 132, 0});
  const auto plan =
      policies::sweep_none(problem_of(size, radius_of<S>, 9), false, rungs, facts_of("h200")).plan;
  return rungs[static_cast<std::size_t>(plan.rung)].shape.across > 1;
}
template <class... Shapes>
void expect_patches() {
  (..., [] {
    EXPECT_TRUE((by_patches<Shapes, double>(whole_patches(Shapes::dims)))) << Shapes::name;
    EXPECT_TRUE((by_patches<Shapes, float>(whole_patches(Shapes::dims)))) << Shapes::name;
  }());
}

/// Else tests on a GPU would compare one of the two texts of a step only, and say nothing.
TEST(sweep_none, the_field_that_tests_have_for_patches_meets_them) {
  expect_patches<star2d5, star2d25, box2d25, gradient2d, star3d7, star3d13, box3d27>();
}

/// Else most multiprocessors have nothing to do.
TEST(sweep_none, small_fields_have_lower_tiles) {
  for (const bool resident : {false, true}) {
    const sweep_plan small = plain_plan({300, 1011}, 1, resident),
                     large = plain_plan({1344, 1232}, 1, resident);
    EXPECT_EQ(small.tile_y, 8);  // 8 x 38 tiles, and 396 teams fit
    EXPECT_EQ(small.tiles_y, 38);
    EXPECT_EQ(large.tile_y, 32);
  }
}

TEST(sweep_none, rows_are_padded_to_sectors) {
  EXPECT_EQ(padded_row(259, 8), 260);
  EXPECT_EQ(padded_row(258, 8), 260);
  EXPECT_EQ(padded_row(260, 8), 260);
  EXPECT_EQ(padded_row(257, 4), 264);
  EXPECT_EQ(padded_row(31, 8), 31);
  EXPECT_EQ(padded_row(std::numeric_limits<int>::max(), 8), std::numeric_limits<int>::max());
}

TEST(sweep_none, multiprocessors_have_as_many_resident_teams_each) {
  EXPECT_EQ(plain_plan({8192, 8192}, 1, true).teams, 3 * 132);
  EXPECT_EQ(plain_plan({8192, 8192}, 2, true).teams, 3 * 132);
  EXPECT_EQ(plain_plan({1344, 1232}, 2, true).teams, 2 * 132);  // 420 tiles: 4 turns, not 6
  EXPECT_EQ(plain_plan({40, 40}, 2, true).teams, 9);            // a team per tile
}

TEST(sweep_none, steps_turn_where_l2_holds_a_part_of_the_field) {
  EXPECT_TRUE(plain_plan({2816, 2400}, 1, true).turns);
  EXPECT_TRUE(plain_plan({2816, 2399}, 1, false).turns);
  EXPECT_FALSE(plain_plan({1344, 1232}, 1, true).turns);
  EXPECT_FALSE(plain_plan({8192, 8192}, 1, true).turns);
  EXPECT_FALSE(plain_plan({2816, 2400}, 6, true).turns);
  EXPECT_FALSE(plain_plan({168, 352, 256}, 1, true).turns);
}

TEST(sweep_none, what_cannot_be_numbered_is_refused) {
  EXPECT_EQ(plain_plan({65537, 65537}, 1, false).rung, 0);
  EXPECT_THROW(plain_plan({3, 1 << 30}, 1, false),
               unsupported_error);  // 2^25 tiles, 256 lanes each
  EXPECT_EQ(plain_plan({3, 1 << 30}, 1, true).rung, 1);
  auto mirrored = problem_of({1, (1 << 30) + 1}, 1, 9);
  const std::vector<sweep_rung_facts> rungs = {{{256, 4}, 64, 0, 4 * 132, 0}};
  policies::sweep_none(mirrored, true, rungs, facts_of("h200"));
  mirrored.edge = boundary::reflect;
  EXPECT_THROW(policies::sweep_none(mirrored, true, rungs, facts_of("h200")), unsupported_error);
}

TEST(sweep_none, resident_teams_draw_tiles_of_which_there_are_many) {
  const auto by_ticket = [](const extents& size, int radius, bool resident = true) {
    return plain_plan(size, radius, resident).by_ticket;
  };
  EXPECT_TRUE(by_ticket({8192, 8192}, 1));
  EXPECT_TRUE(by_ticket({8192, 8191}, 1));
  EXPECT_FALSE(by_ticket({8192, 8192}, 1, false));  // a block for every tile
  EXPECT_TRUE(by_ticket({2816, 2400}, 1));
  EXPECT_FALSE(by_ticket({2048, 2048}, 1));  // three turns
  EXPECT_TRUE(by_ticket({168, 352, 256}, 2));
  EXPECT_FALSE(by_ticket({168, 352, 256}, 1));
  EXPECT_TRUE(by_ticket({168, 352, 259}, 1));  // every third tile has two columns
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

TEST(sweep_roof, arithmetic_takes_as_long_as_the_device_is_slow) {
  const auto seconds = [](const device_facts& device, std::size_t scalar_bytes) {
    auto wide = problem_of({1344, 1232}, 3, 97);
    wide.scalar_bytes = scalar_bytes;
    return policies::sweep_roof(wide, false, device).arithmetic;
  };
  const auto cycles = [&](const device_facts& device, double ghz, std::size_t scalar_bytes) {
    const double cells = 1338 * 1226, fmas = cells * 49;
    return fmas / (seconds(device, scalar_bytes) * ghz * 1e9 * device.units);
  };
  for (const auto& [name, ghz, f64, f32] :
       {std::tuple("v100", 1.53, 32, 64), {"a100", 1.41, 32, 64}, {"h200", 1.98, 64, 128}}) {
    EXPECT_NEAR(cycles(facts_of(name), ghz, 8), f64, 1e-6) << name;
    EXPECT_NEAR(cycles(facts_of(name), ghz, 4), f32, 1e-6) << name;
  }
  // One that is not in the table: a GPU with little double precision.
  device_facts small = facts_of("h100");
  small.name = "NVIDIA L40S";
  small.compute_capability = 89;
  small.units = 142;
  EXPECT_NEAR(seconds(small, 8) / seconds(small, 4), 64, 1e-6);
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
