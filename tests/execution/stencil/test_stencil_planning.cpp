// SPDX-License-Identifier: MIT
// Plans for stencils on an H200, without a device: tiles and teams of executors that cache nothing,
// and what is projected for them, a roof over all that was measured (docs/results/stencil-h200.md).
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "dwell/execution/stencil/plan/policies/none.hpp"
#include "dwell/solvers/stencil/shapes/box2d25.hpp"
#include "dwell/solvers/stencil/shapes/box3d27.hpp"
#include "dwell/solvers/stencil/shapes/gradient2d.hpp"
#include "dwell/solvers/stencil/shapes/star2d25.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star3d13.hpp"
#include "dwell/solvers/stencil/shapes/star3d7.hpp"
#include "stencil_oracle.hpp"
#include "stencil_plans.hpp"

namespace dwell::test {
namespace {

stencil_projection roof_of(const stencil_problem& problem) {
  const engine_row row = step_row(std::array{step_config{256, 4}});
  const std::vector<engine_facts> configs = {{row.all()[0], 64, 0, 4 * 132, 0}};
  return policies::plan_uncached(problem, false, configs, facts_of("h200")).projected;
}

TEST(stencil_roof, no_run_that_was_measured_is_faster) {
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

/// Plan of register tiles of two columns and eight rows, and of columns, as a GPU has them.
stencil_plan plain_plan(const extents& size, int radius, bool cooperative) {
  const step_config register_tiles{.lanes = 256, .teams_per_unit = 3, .across = 2, .down = 8};
  const step_config columns{.lanes = 256, .teams_per_unit = 3, .across = 1, .down = 8};
  const engine_row row = step_row(std::array{register_tiles, columns});
  const std::vector<engine_facts> configs = {{row.all()[0], 80, 0, 3 * 132, 0},
                                             {row.all()[1], 80, 0, 3 * 132, 0}};
  return policies::plan_uncached(problem_of(size, radius, 9), cooperative, configs,
                                 facts_of("h200"))
      .plan;
}

TEST(plan_uncached, grids_that_register_tiles_do_not_suit_get_columns) {
  const auto tiles_cover = [](const stencil_plan& p, int y, int x) {
    return p.tiles_x * p.tile_x >= x && p.tiles_y * p.tile_y >= y;
  };
  const stencil_plan even = plain_plan({100, 256}, 1, false),
                     odd = plain_plan({100, 255}, 1, false), low = plain_plan({9, 256}, 1, false),
                     thin = plain_plan({100, 31}, 1, false);
  EXPECT_EQ(even.config, 0);
  EXPECT_EQ(odd.config, 0);                 // its rows are padded
  EXPECT_EQ(thin.config, 1);                // which those of a few cells are not
  EXPECT_EQ(low.config, 1);                 // 7 rows change, a tile has 8
  EXPECT_TRUE(tiles_cover(even, 98, 255));  // from the grid's first column on
  EXPECT_TRUE(tiles_cover(odd, 98, 254));
  EXPECT_TRUE(tiles_cover(thin, 98, 29));
  EXPECT_TRUE(tiles_cover(low, 7, 254));
}

/// Whether plain steps of a field go by the kernel for register tiles on a GPU.
template <class S, class T>
bool by_register_tiles(const extents& size) {
  const engine_row row = step_row(thread_configs<S, T>);
  std::vector<engine_facts> configs;
  for (const stencil_engine* e : row.all())
    configs.push_back({e, 80, 0, e->shape().teams_per_unit * 132, 0});
  const auto plan =
      policies::plan_uncached(problem_of(size, radius_of<S>, 9), false, configs, facts_of("h200"))
          .plan;
  return configs[static_cast<std::size_t>(plan.config)].engine->shape().across > 1;
}
template <class... Shapes>
void expect_register_tiles() {
  (..., [] {
    EXPECT_TRUE((by_register_tiles<Shapes, double>(whole_tiles(Shapes::dims)))) << Shapes::name;
    EXPECT_TRUE((by_register_tiles<Shapes, float>(whole_tiles(Shapes::dims)))) << Shapes::name;
  }());
}

/// Else tests on a GPU would compare one of the two code paths of a step only, and say nothing.
TEST(plan_uncached, the_field_that_tests_have_for_register_tiles_meets_them) {
  expect_register_tiles<star2d5, star2d25, box2d25, gradient2d, star3d7, star3d13, box3d27>();
}

/// Else most multiprocessors have nothing to do.
TEST(plan_uncached, small_fields_have_lower_tiles) {
  for (const bool cooperative : {false, true}) {
    const stencil_plan small = plain_plan({300, 1011}, 1, cooperative),
                       large = plain_plan({1344, 1232}, 1, cooperative);
    EXPECT_EQ(small.tile_y, 8);  // 8 x 38 tiles, and 396 teams fit
    EXPECT_EQ(small.tiles_y, 38);
    EXPECT_EQ(large.tile_y, 32);
  }
}

/// The kernels of naive: a block for each row, or as many as are asked for.
TEST(plan_uncached, blocks_take_rows_where_a_kernel_has_no_tiles) {
  const engine_row row = step_row(std::array{step_config{256, 1}});
  const std::vector<engine_facts> configs = {{row.all()[0], 40, 0, 6 * 132, 0}};
  const auto teams = [&](const extents& size, int asked) {
    return policies::plan_uncached(problem_of(size, 1, 9), false, configs, facts_of("h200"), asked)
        .plan.teams;
  };
  EXPECT_EQ(teams({300, 1011}, 0), 300);
  EXPECT_EQ(teams({20, 30, 40}, 0), 600);
  EXPECT_EQ(teams({1, 1}, 0), 1);
  EXPECT_EQ(teams({300, 1011}, 7), 7);
  EXPECT_EQ(teams({1 << 20, 1 << 15, 1}, 0), 1 << 30);
}

TEST(plan_uncached, rows_are_padded_to_sectors) {
  EXPECT_EQ(padded_row(259, 8), 260);
  EXPECT_EQ(padded_row(258, 8), 260);
  EXPECT_EQ(padded_row(260, 8), 260);
  EXPECT_EQ(padded_row(257, 4), 264);
  EXPECT_EQ(padded_row(31, 8), 31);
  EXPECT_EQ(padded_row(std::numeric_limits<int>::max(), 8), std::numeric_limits<int>::max());
}

TEST(plan_uncached, multiprocessors_have_as_many_resident_teams_each) {
  EXPECT_EQ(plain_plan({8192, 8192}, 1, true).teams, 3 * 132);
  EXPECT_EQ(plain_plan({8192, 8192}, 2, true).teams, 3 * 132);
  EXPECT_EQ(plain_plan({1344, 1232}, 2, true).teams,
            2 * 132);                                 // 420 tiles: 4 a multiprocessor, not 6
  EXPECT_EQ(plain_plan({40, 40}, 2, true).teams, 9);  // a team per tile
}

TEST(plan_uncached, steps_alternate_where_l2_holds_a_part_of_the_field) {
  EXPECT_TRUE(plain_plan({2816, 2400}, 1, true).alternates);
  EXPECT_TRUE(plain_plan({2816, 2399}, 1, false).alternates);
  EXPECT_FALSE(plain_plan({1344, 1232}, 1, true).alternates);
  EXPECT_FALSE(plain_plan({8192, 8192}, 1, true).alternates);
  EXPECT_FALSE(plain_plan({2816, 2400}, 6, true).alternates);
  EXPECT_FALSE(plain_plan({168, 352, 256}, 1, true).alternates);
}

TEST(plan_uncached, what_cannot_be_numbered_is_refused) {
  EXPECT_EQ(plain_plan({65537, 65537}, 1, false).config, 0);
  EXPECT_THROW(plain_plan({3, 1 << 30}, 1, false),
               unsupported_error);  // 2^25 tiles, 256 lanes each
  EXPECT_EQ(plain_plan({3, 1 << 30}, 1, true).config, 1);
  auto mirrored = problem_of({1, (1 << 30) + 1}, 1, 9);
  const engine_row row = step_row(std::array{step_config{256, 4}});
  const std::vector<engine_facts> configs = {{row.all()[0], 64, 0, 4 * 132, 0}};
  policies::plan_uncached(mirrored, true, configs, facts_of("h200"));
  mirrored.edge = boundary::reflect;
  EXPECT_THROW(policies::plan_uncached(mirrored, true, configs, facts_of("h200")),
               unsupported_error);
}

TEST(plan_uncached, resident_teams_draw_tiles_of_which_there_are_many) {
  const auto by_ticket = [](const extents& size, int radius, bool cooperative = true) {
    return plain_plan(size, radius, cooperative).by_ticket;
  };
  EXPECT_TRUE(by_ticket({8192, 8192}, 1));
  EXPECT_TRUE(by_ticket({8192, 8191}, 1));
  EXPECT_FALSE(by_ticket({8192, 8192}, 1, false));  // a block for every tile
  EXPECT_TRUE(by_ticket({2816, 2400}, 1));
  EXPECT_FALSE(by_ticket({2048, 2048}, 1));  // three tiles a team
  EXPECT_TRUE(by_ticket({168, 352, 256}, 2));
  EXPECT_TRUE(by_ticket({168, 352, 256}, 1));
  EXPECT_FALSE(by_ticket({84, 128, 256}, 1));
}

TEST(stencil_roof, wide_stencils_are_bound_by_arithmetic) {
  const stencil_projection star = roof_of(problem_of({1344, 1232}, 1, 9));
  EXPECT_LT(star.arithmetic, star.l2);
  const auto wide = problem_of({1344, 1232}, 3, 97);
  const stencil_projection box = roof_of(wide);
  EXPECT_GT(box.arithmetic, box.l2);
  EXPECT_EQ(box.seconds, box.arithmetic + box.exchange);
  auto single = wide;  // twice the rate, half the bytes
  single.scalar_bytes = 4;
  EXPECT_NEAR(roof_of(single).arithmetic, box.arithmetic / 2, 1e-12);
  EXPECT_NEAR(roof_of(single).l2, box.l2 / 2, 1e-12);
}

TEST(stencil_roof, arithmetic_takes_as_long_as_the_device_is_slow) {
  const auto seconds = [](const device_facts& device, std::size_t scalar_bytes) {
    auto wide = problem_of({1344, 1232}, 3, 97);
    wide.scalar_bytes = scalar_bytes;
    return policies::stencil_roof(wide, false, device).arithmetic;
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

TEST(stencil_roof, cells_of_a_fixed_border_cost_nothing_and_a_source_a_load) {
  auto problem = problem_of({100, 200}, 2, 17);
  EXPECT_EQ(changing_cells(problem.size, problem.inner, boundary::fixed), 96u * 196u);
  EXPECT_EQ(changing_cells(problem.size, problem.inner, boundary::reflect), 100u * 200u);
  const stencil_projection plain = roof_of(problem);
  problem.source = true;
  EXPECT_NEAR(roof_of(problem).l2, 1.5 * plain.l2, 1e-12);
  problem.source = false;
  problem.edge = boundary::periodic;
  EXPECT_NEAR(roof_of(problem).l2, plain.l2 * (100 * 200) / (96 * 196), 1e-12);
}

}  // namespace
}  // namespace dwell::test
