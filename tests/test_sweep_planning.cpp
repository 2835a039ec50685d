// SPDX-License-Identifier: MIT
// Plans for Sweeps on an H200, without a device: tiles and teams of executors that keep nothing,
// and what is projected for them, a roof over all that was measured (docs/results/stencil-h200.md);
// and where perks keeps nothing either.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "dwell/execution/core/sweep_patch.hpp"
#include "dwell/execution/core/sweep_run.hpp"
#include "dwell/execution/model/limits.hpp"
#include "dwell/execution/perks/perks_rungs.hpp"
#include "dwell/execution/policies/sweep_keep.hpp"
#include "dwell/execution/policies/sweep_none.hpp"
#include "dwell/solvers/stencil/shapes/gradient2d.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star3d13.hpp"

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
                   low = plain_plan({9, 256}, 1, false);
  EXPECT_EQ(even.rung, 0);
  EXPECT_EQ(odd.rung, 1);                   // rows do not begin at whole pieces
  EXPECT_EQ(low.rung, 1);                   // 7 rows change, a patch has 8
  EXPECT_TRUE(tiles_cover(even, 98, 255));  // from the grid's first column on
  EXPECT_TRUE(tiles_cover(odd, 98, 253));
  EXPECT_TRUE(tiles_cover(low, 7, 254));
}

TEST(sweep_none, multiprocessors_have_as_many_resident_teams_each) {
  EXPECT_EQ(plain_plan({8192, 8192}, 1, true).teams, 3 * 132);
  EXPECT_EQ(plain_plan({8192, 8192}, 2, true).teams, 3 * 132);
  EXPECT_EQ(plain_plan({1344, 1232}, 2, true).teams, 2 * 132);  // 420 tiles: 4 turns, not 6
  EXPECT_EQ(plain_plan({40, 40}, 2, true).teams, 2);            // a team per tile
}

TEST(sweep_none, steps_turn_where_l2_holds_a_part_of_the_field) {
  EXPECT_TRUE(plain_plan({2816, 2400}, 1, true).turns);
  EXPECT_TRUE(plain_plan({2816, 2399}, 1, false).turns);
  EXPECT_FALSE(plain_plan({1344, 1232}, 1, true).turns);
  EXPECT_FALSE(plain_plan({8192, 8192}, 1, true).turns);
  EXPECT_FALSE(plain_plan({2816, 2400}, 6, true).turns);
  EXPECT_FALSE(plain_plan({168, 352, 256}, 1, true).turns);
}

TEST(sweep_none, resident_teams_draw_tiles_of_which_there_are_many) {
  const auto by_ticket = [](const extents& size, int radius, bool resident = true) {
    return plain_plan(size, radius, resident).by_ticket;
  };
  EXPECT_TRUE(by_ticket({8192, 8192}, 1));
  EXPECT_FALSE(by_ticket({8192, 8191}, 1));         // columns
  EXPECT_FALSE(by_ticket({8192, 8192}, 1, false));  // a block for every tile
  EXPECT_TRUE(by_ticket({2816, 2400}, 1));
  EXPECT_FALSE(by_ticket({2048, 2048}, 1));  // three turns
  EXPECT_TRUE(by_ticket({168, 352, 256}, 2));
  EXPECT_FALSE(by_ticket({168, 352, 256}, 1));
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

/// 3d13pt, whose passes do one step each, beyond the chip; tiles that stay within it.
TEST(sweep_keep, nothing_is_kept_where_steps_of_the_whole_field_are_faster) {
  const int tiles = static_cast<int>(perks_rungs<star3d13, double>.size());
  const auto rung = [](const char* policy, const extents& size) {
    return plans_of_perks<star3d13>(size, {policy}).front().plan.rung;
  };
  EXPECT_GE(rung("auto", {168, 352, 256}), tiles);
  EXPECT_GE(rung("model", {168, 352, 256}), tiles);
  EXPECT_LT(rung("none", {168, 352, 256}), tiles);  // none is of tiles that stream
  EXPECT_LT(rung("both", {168, 352, 256}), tiles);
  EXPECT_LT(rung("auto", {42, 352, 256}), tiles);
  const auto whole = plans_of_perks<star3d13>({168, 352, 256}, {"auto"}).front();
  EXPECT_EQ(whole.plan.teams, 2 * 132);
  EXPECT_EQ(whole.reason.rfind("steps of the whole field", 0), 0u) << whole.reason;
  // What is asked of tiles is asked for.
  EXPECT_LT(plans_of_perks<star3d13>({168, 352, 256}, {"auto", 120}).front().plan.rung, tiles);
  EXPECT_LT(plans_of_perks<star3d13>({168, 352, 256}, {"auto", 0, 1}).front().plan.rung, tiles);
  for (const auto& c : plans_of_perks<star2d5>({4096, 4096}, {"auto"}))
    EXPECT_GT(c.projected.seconds, 0);
  EXPECT_GT(plans_of_perks<star2d5>({4096, 4096}, {"auto"}).front().plan.shares_x, 0);
}

/// Tiles that are in registers whole save more than lanes that are many hide; others do not.
TEST(sweep_keep, of_shapes_that_are_not_linear_only_what_fits_registers_is_kept) {
  const int tiles = static_cast<int>(perks_rungs<gradient2d, double>.size());
  const auto rung = [](const extents& size) {
    return plans_of_perks<gradient2d>(size, {"auto"}).front().plan.rung;
  };
  EXPECT_LT(rung({1200, 1232}), tiles);
  EXPECT_GE(rung({1520, 1232}), tiles);
  EXPECT_GE(rung({3072, 2688}), tiles);
}

/// Steps of the whole field wait for each other where borders look anywhere, and where teams have
/// many tiles each.
TEST(sweep_keep, steps_of_the_whole_field_flow_where_teams_have_few_tiles) {
  const auto rungs = kernels_of_perks<star3d13>();
  const auto chosen = [&](const extents& size, boundary edge) {
    auto problem = problem_of(size, 2, flops_of<star3d13>);
    problem.star = true;
    problem.edge = edge;
    return policies::sweep_candidates(problem, {"auto"}, rungs, facts_of("h200")).front().plan;
  };
  const auto flows = [&](const sweep_plan& p) {
    return rungs[static_cast<std::size_t>(p.rung)].shape.flows;
  };
  const sweep_plan some = chosen({168, 352, 256}, boundary::fixed);
  EXPECT_TRUE(flows(some));
  EXPECT_FALSE(some.by_ticket);  // all such teams draw
  EXPECT_EQ(some.tile_z, 8);
  EXPECT_FALSE(flows(chosen({168, 352, 256}, boundary::periodic)));
  const sweep_plan many = chosen({512, 512, 512}, boundary::fixed);
  EXPECT_FALSE(flows(many));
  EXPECT_TRUE(many.by_ticket);
  // Few tiles are lower ones, but whole patches.
  const sweep_plan few = chosen({30, 200, 128}, boundary::fixed);
  EXPECT_TRUE(flows(few));
  EXPECT_EQ(few.tile_z, 2);
  EXPECT_EQ(few.tiles_z, 13);
}

/// A cell that reaches farther than the next tile would be read before it is there.
TEST(sweep_keep, tiles_that_wait_for_those_around_them_are_no_thinner_than_the_radius) {
  const auto rungs = kernels_of_perks<star3d13>();
  for (const int radius : {2, 3, 4, 5, 8, 9, 20}) {
    auto problem = problem_of({60, 200, 128}, radius, flops_of<star3d13>);
    problem.star = true;
    for (const auto& c : policies::sweep_candidates(problem, {"auto"}, rungs, facts_of("h200")))
      if (rungs[static_cast<std::size_t>(c.plan.rung)].shape.flows)
        EXPECT_GE(std::min({c.plan.tile_x, c.plan.tile_y, c.plan.tile_z}), radius);
  }
}

/// Warps' shares: as many as the multiprocessors have warps, nearly; at a fixed border lower ones.
TEST(sweep_keep, warps_beside_a_fixed_border_have_fewer_rows) {
  const auto plan = plans_of_perks<star2d5>({2816, 2400}, {"auto"}).front().plan;
  EXPECT_EQ(plan.teams, 132);
  EXPECT_GT(plan.side_shares_y, plan.shares_y);
  const int shares = (plan.shares_x - 2) * plan.shares_y + 2 * plan.side_shares_y;
  EXPECT_LE(shares, 8 * 132);
  EXPECT_GT(shares, 8 * 130);
  EXPECT_LE(2400 / 4, 28 * plan.shares_x);  // 28 lanes of a warp own columns, four each
}

/// The PERKS artifact's fields are on an H200 whole, in bricks of whole patches.
TEST(sweep_keep, bricks_that_fit_are_resident) {
  static_assert(!perks_rungs<star3d13, double>[0].rest);
  const auto rung = [](const extents& size) {
    return plans_of_perks<star3d13>(size, {"auto"}).front().plan.rung;
  };
  EXPECT_EQ(rung({42, 352, 256}), 0);
  EXPECT_EQ(rung({42, 352, 260}), 0);  // the border's columns, 2 on either side, are in no brick
  EXPECT_NE(rung({42, 352, 255}), 0);  // rows do not consist of whole pieces
  EXPECT_NE(rung({84, 352, 256}), 0);  // twice as many as fit
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
