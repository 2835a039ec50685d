// SPDX-License-Identifier: MIT
// What perks caches of a field on an H200, planned without a device: tiles, blocks and warps'
// subdomains, and where steps of the whole field are faster.
#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "dwell/execution/stencil/plan/policies/measured.hpp"
#include "dwell/solvers/stencil/shapes/gradient2d.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star2d9.hpp"
#include "dwell/solvers/stencil/shapes/star3d13.hpp"
#include "stencil_plans.hpp"

namespace dwell::test {
namespace {

/// 3d13pt, whose passes do one step each, beyond the chip; tiles that stay within it.
TEST(stencil_candidates, nothing_is_cached_where_steps_of_the_whole_field_are_faster) {
  const auto engine = [](const char* policy, const extents& size) {
    return engine_of_perks<star3d13>(size, {policy});
  };
  EXPECT_EQ(engine("auto", {168, 352, 256}), "dataflow_step");
  EXPECT_EQ(engine("model", {168, 352, 256}), "dataflow_step");
  EXPECT_EQ(engine("none", {168, 352, 256}), "stream3d");  // none is of tiles that stream
  EXPECT_EQ(engine("both", {168, 352, 256}), "reference_block3d");
  EXPECT_EQ(engine("auto", {42, 352, 256}), "block3d");
  EXPECT_EQ(plans_of_perks<star3d13>({168, 352, 256}, {"auto"}).front().plan.teams, 2 * 132);
  // A request that only tiles can meet gets tiles.
  EXPECT_EQ(engine_of_perks<star3d13>({168, 352, 256}, {"auto", 120}), "stream3d");
  EXPECT_EQ(engine_of_perks<star3d13>({168, 352, 256}, {"auto", 0, 1}), "stream3d");
  for (const auto& c : plans_of_perks<star2d5>({4096, 4096}, {"auto"}))
    EXPECT_GT(c.projected.seconds, 0);
  EXPECT_EQ(engine_of_perks<star2d5>({4096, 4096}, {"auto"}), "stream2d");
}

/// Tiles that lie in registers save more than many lanes hide; others do not.
TEST(stencil_candidates, of_shapes_that_are_not_linear_only_tiles_in_registers_are_cached) {
  EXPECT_EQ(engine_of_perks<gradient2d>({1200, 1232}, {"auto"}), "register_tile2d");
  EXPECT_EQ(engine_of_perks<gradient2d>({1520, 1232}, {"auto"}), "dataflow_step");
  EXPECT_EQ(engine_of_perks<gradient2d>({3072, 2688}, {"auto"}), "dataflow_step");
}

/// Steps of the whole field wait for each other where cells beyond the border lie anywhere in the
/// field, and where teams have many tiles each.
TEST(stencil_candidates, steps_of_the_whole_field_are_dataflow_where_teams_have_few_tiles) {
  const auto configs = kernels_of_perks<star3d13>();
  const auto chosen = [&](const extents& size, boundary edge) {
    auto problem = problem_of(size, 2, flops_of<star3d13>);
    problem.star = true;
    problem.edge = edge;
    return policies::stencil_candidates(problem, {"auto"}, configs, facts_of("h200")).front().plan;
  };
  const auto dataflow = [&](const stencil_plan& p) {
    return configs[static_cast<std::size_t>(p.config)].engine->shape().tile_flags;
  };
  const stencil_plan some = chosen({168, 352, 256}, boundary::fixed);
  EXPECT_TRUE(dataflow(some));
  EXPECT_FALSE(some.by_ticket);  // all such teams draw
  EXPECT_EQ(some.tile_z, 8);
  EXPECT_FALSE(dataflow(chosen({168, 352, 256}, boundary::periodic)));
  const stencil_plan many = chosen({512, 512, 512}, boundary::fixed);
  EXPECT_FALSE(dataflow(many));
  EXPECT_TRUE(many.by_ticket);
  // Few tiles are lower ones, but whole register tiles.
  const stencil_plan few = chosen({30, 200, 128}, boundary::fixed);
  EXPECT_TRUE(dataflow(few));
  EXPECT_EQ(few.tile_z, 2);
  EXPECT_EQ(few.tiles_z, 13);
}

/// A cell that reaches farther than the next tile would be read before it is there.
TEST(stencil_candidates, tiles_that_wait_for_those_around_them_are_no_thinner_than_the_radius) {
  const auto configs = kernels_of_perks<star3d13>();
  for (const int radius : {2, 3, 4, 5, 8, 9, 20}) {
    auto problem = problem_of({60, 200, 128}, radius, flops_of<star3d13>);
    problem.star = true;
    int seen = 0;
    for (const auto& c : policies::stencil_candidates(problem, {"auto"}, configs, facts_of("h200")))
      if (configs[static_cast<std::size_t>(c.plan.config)].engine->shape().tile_flags) {
        ++seen;
        EXPECT_GE(std::min({c.plan.tile_x, c.plan.tile_y, c.plan.tile_z}), radius);
      }
    EXPECT_EQ(seen, radius <= 8 ? 1 : 0);  // the planes of the highest tile
  }
}

/// The last tile of a column ends with the field: it would begin in a thin tile's neighbour, and
/// read what is around that one.
TEST(stencil_candidates,
     tiles_that_wait_for_those_around_them_are_no_thinner_than_a_register_tile) {
  const auto configs = kernels_of_perks<star3d13>();
  using tile = tile_shape<star3d13, double>;
  int seen = 0;
  for (const int planes : {60, 61, 62, 63})
    for (const int rows : {196, 197, 198, 212, 213}) {
      auto problem = problem_of({planes, rows, 128}, 2, flops_of<star3d13>);
      problem.star = true;
      for (const auto& c :
           policies::stencil_candidates(problem, {"auto"}, configs, facts_of("h200"))) {
        const stencil_plan& p = c.plan;
        if (!configs[static_cast<std::size_t>(p.config)].engine->shape().tile_flags) continue;
        ++seen;
        EXPECT_EQ(p.tile_z % tile::deep, 0);
        EXPECT_EQ(p.tile_y % tile::down, 0);
        EXPECT_GE(planes - 4 - (p.tiles_z - 1) * p.tile_z, tile::deep);
        EXPECT_GE(rows - 4 - (p.tiles_y - 1) * p.tile_y, tile::down);
      }
    }
  EXPECT_EQ(seen, 20);
}

/// Two teams of a multiprocessor share its shared memory.
TEST(stencil_candidates, teams_beside_each_other_share_the_scratch) {
  const device_facts h200 = facts_of("h200");
  for (const int teams : {132, 2 * 132, 3 * 132}) {
    stencil_plan_request request{"shared"};
    request.teams = teams;
    const stencil_plan p = plans_of_perks<star2d5>({4096, 4096}, request).front().plan;
    EXPECT_GT(p.scratch_rows, 0);
    const std::size_t bytes = caching_engines::with<star2d5, double>(
        p.config, [&]<class Engine, auto C>() {
          return kernel_scratch_bytes<Engine, star2d5, double>(C) +
                 Engine::template layer_bytes<star2d5, double>(C, p);
        });
    EXPECT_LE(static_cast<std::size_t>(teams / 132) * (bytes + 1024), h200.shared_per_unit);
  }
}

/// Warps' subdomains: as many as the multiprocessors have warps, nearly; at a fixed border lower
/// ones.
TEST(stencil_candidates, warps_beside_a_fixed_border_have_fewer_rows) {
  const auto plan = plans_of_perks<star2d5>({2816, 2400}, {"auto"}).front().plan;
  EXPECT_EQ(plan.teams, 132);
  EXPECT_GT(plan.side_subdomains_y, plan.subdomains_y);
  const int subdomains = (plan.subdomains_x - 2) * plan.subdomains_y + 2 * plan.side_subdomains_y;
  EXPECT_LE(subdomains, 8 * 132);
  EXPECT_GT(subdomains, 8 * 130);
  EXPECT_LE(2400 / 4, 28 * plan.subdomains_x);  // 28 lanes of a warp own columns, four each
}

/// Beyond the end of a periodic row that ends within a piece lanes read one piece more than the
/// halo: it must be the next subdomain's, since cells that others publish are not waited for.
TEST(stencil_candidates, on_a_periodic_row_lanes_read_no_farther_than_the_next_subdomain) {
  using shape = star2d9;
  const auto kernels = kernels_of_perks<shape>();
  int beside_others = 0;
  for (int nx = 20; nx <= 80; ++nx)
    for (const int teams : {2, 7}) {
      auto problem = problem_of({9, nx}, radius_of<shape>, flops_of<shape>);
      problem.inner = {0, 1, 0, 9, 0, nx};
      problem.edge = boundary::periodic;
      problem.star = is_star<shape>;
      stencil_plan_request request{"none", teams};
      request.passes = passing::temporal;
      for (const auto& c :
           policies::stencil_candidates(problem, request, kernels, facts_of("h200"))) {
        const engine_shape& r = kernels[static_cast<std::size_t>(c.plan.config)].engine->shape();
        if (!r.temporal || c.plan.subdomains_x == 1) continue;
        ++beside_others;
        const int halo = pieces(c.plan.depth * radius_of<shape>, r.across);
        const int read = halo + (nx % r.across != 0 ? 1 : 0);
        EXPECT_GE(nx / r.across / c.plan.subdomains_x, read)
            << nx << " columns by " << teams << " teams, depth " << c.plan.depth;
      }
    }
  EXPECT_GT(beside_others, 0);
}

/// Plans under policy "measured", with times that the test makes up.
class stencil_measured : public testing::Test {
 protected:
  const std::vector<stencil_choice> plans = plans_of_perks<star2d5>({1344, 1232}, {"measured"});
  stencil_choice choose(const stencil_plan_trial& try_plan) const {
    return policies::stencil_measured(plans, try_plan);
  }
  static bool same(const stencil_choice& a, const stencil_choice& b) {
    return a.plan.config == b.plan.config && a.plan.depth == b.plan.depth &&
           a.projected.seconds == b.projected.seconds;
  }
};

TEST_F(stencil_measured, takes_the_least_wherever_it_is) {
  int most = 0;
  (void)choose([&](const stencil_choice&) { return ++most; });
  ASSERT_GE(most, 2);
  EXPECT_LE(most, 6) << "the most promising ones";
  for (int fast = 0; fast < most; ++fast) {
    int tried = 0;
    const auto how = choose([&](const stencil_choice&) { return tried++ == fast ? 1e-6 : 2e-6; });
    EXPECT_EQ(tried, most) << "each once";
    EXPECT_TRUE(same(how, plans[static_cast<std::size_t>(fast)])) << fast << ": " << how.reason;
    EXPECT_EQ(how.policy, "measured");
  }
}

TEST_F(stencil_measured, ends_when_it_is_told_to) {
  int tried = 0;
  const auto how = choose([&](const stencil_choice&) -> std::optional<double> {
    if (++tried == 2) return std::nullopt;
    return 1e-6;
  });
  EXPECT_EQ(tried, 2);
  EXPECT_TRUE(same(how, plans.front())) << "the best so far";
}

/// The PERKS artifact's fields are fully cached on an H200, in blocks of whole register tiles.
TEST(stencil_candidates, blocks_that_fit_are_fully_cached) {
  const auto engine = [](const extents& size) { return engine_of_perks<star3d13>(size, {"auto"}); };
  EXPECT_EQ(engine({42, 352, 256}), "block3d");
  EXPECT_EQ(engine({42, 352, 260}), "block3d");            // the border's columns are in no block
  EXPECT_EQ(engine({42, 352, 255}), "reference_block3d");  // rows do not consist of whole pieces
  EXPECT_EQ(engine({84, 352, 256}), "dataflow_step");      // twice as many as fit
}

}  // namespace
}  // namespace dwell::test
