// SPDX-License-Identifier: MIT
// What perks keeps of a field on an H200, planned without a device: tiles, bricks and warps'
// shares, and where steps of the whole field are faster.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "dwell/solvers/stencil/shapes/gradient2d.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star2d9.hpp"
#include "dwell/solvers/stencil/shapes/star3d13.hpp"
#include "sweep_plans.hpp"

namespace dwell::test {
namespace {

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
    int seen = 0;
    for (const auto& c : policies::sweep_candidates(problem, {"auto"}, rungs, facts_of("h200")))
      if (rungs[static_cast<std::size_t>(c.plan.rung)].shape.flows) {
        ++seen;
        EXPECT_GE(std::min({c.plan.tile_x, c.plan.tile_y, c.plan.tile_z}), radius);
      }
    EXPECT_EQ(seen, radius <= 8 ? 1 : 0);  // the planes of the highest tile
  }
}

/// The last patch of a column ends with the field: it would begin in a thin tile's neighbour, and
/// read what is around that one.
TEST(sweep_keep, tiles_that_wait_for_those_around_them_are_no_thinner_than_a_patch) {
  const auto rungs = kernels_of_perks<star3d13>();
  using patch = lane_patch<star3d13, double>;
  int seen = 0;
  for (const int planes : {60, 61, 62, 63})
    for (const int rows : {196, 197, 198, 212, 213}) {
      auto problem = problem_of({planes, rows, 128}, 2, flops_of<star3d13>);
      problem.star = true;
      for (const auto& c : policies::sweep_candidates(problem, {"auto"}, rungs, facts_of("h200"))) {
        const sweep_plan& p = c.plan;
        if (!rungs[static_cast<std::size_t>(p.rung)].shape.flows) continue;
        ++seen;
        EXPECT_EQ(p.tile_z % patch::deep, 0);
        EXPECT_EQ(p.tile_y % patch::down, 0);
        EXPECT_GE(planes - 4 - (p.tiles_z - 1) * p.tile_z, patch::deep);
        EXPECT_GE(rows - 4 - (p.tiles_y - 1) * p.tile_y, patch::down);
      }
    }
  EXPECT_EQ(seen, 20);
}

/// Two teams of a multiprocessor share its shared memory.
TEST(sweep_keep, teams_beside_each_other_share_the_scratch) {
  const device_facts h200 = facts_of("h200");
  for (const int teams : {132, 2 * 132, 3 * 132}) {
    sweep_wish wish{"shared"};
    wish.teams = teams;
    const sweep_plan p = plans_of_perks<star2d5>({4096, 4096}, wish).front().plan;
    EXPECT_GT(p.scratch_rows, 0);
    const auto rung = static_cast<std::size_t>(p.rung);
    const std::size_t bytes =
        perks_scratch_bytes<star2d5, double>(perks_rungs<star2d5, double>[rung]) +
        perks_layer_bytes<star2d5, double>(p);
    EXPECT_LE(static_cast<std::size_t>(teams / 132) * (bytes + 1024), h200.shared_per_unit);
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

/// Beyond the end of a periodic row that ends within a piece lanes read one piece more than the
/// rim: it must be the next share's, since what others show is not waited for.
TEST(sweep_keep, on_a_periodic_row_lanes_read_no_farther_than_the_next_share) {
  using shape = star2d9;
  const auto kernels = kernels_of_perks<shape>();
  int beside_others = 0;
  for (int nx = 20; nx <= 80; ++nx)
    for (const int teams : {2, 7}) {
      auto problem = problem_of({9, nx}, radius_of<shape>, flops_of<shape>);
      problem.inner = {0, 1, 0, 9, 0, nx};
      problem.edge = boundary::periodic;
      problem.star = is_star<shape>;
      sweep_wish wish{"none", teams};
      wish.passes = passing::temporal;
      for (const auto& c : policies::sweep_candidates(problem, wish, kernels, facts_of("h200"))) {
        const sweep_rung& r = kernels[static_cast<std::size_t>(c.plan.rung)].shape;
        if (r.levels == 0 || c.plan.shares_x == 1) continue;
        ++beside_others;
        const int rim = pieces(c.plan.depth * radius_of<shape>, r.across);
        const int read = rim + (nx % r.across != 0 ? 1 : 0);
        EXPECT_GE(nx / r.across / c.plan.shares_x, read)
            << nx << " columns by " << teams << " teams, depth " << c.plan.depth;
      }
    }
  EXPECT_GT(beside_others, 0);
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

}  // namespace
}  // namespace dwell::test
