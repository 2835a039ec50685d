// SPDX-License-Identifier: MIT
// Steps of the whole field by teams that stay on a GPU: tiles drawn by ticket, with teams far too
// few to take all tiles in one round; tiles that wait for the tiles around them only; and perks
// where it finds nothing worth caching.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "dwell/execution/stencil/launch/run.hpp"
#include "dwell/execution/stencil/plan/planning.hpp"
#include "dwell/execution/stencil/plan/policies/none.hpp"
#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

namespace dwell::test {
namespace {

class whole_steps : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  /// Extents of whole register tiles in either precision.
  static extents many_tiles() {
    return find_stencil_shape(GetParam()).dims == 2 ? extents(301, 512) : extents(37, 41, 260);
  }
  static stencil_options options(int steps) {
    stencil_options o;
    o.shape = GetParam();
    o.steps = steps;
    return o;
  }
  template <class T>
  static void by_few_teams();
  template <class T>
  static void by_launches();
  template <class T>
  static void by_dataflow_tiles();
};

template <class T>
void whole_steps::by_few_teams() {
  auto o = options(9);
  o.executor = "persistent";
  const auto start = random_field<T>(many_tiles(), 3);
  const auto expected = stencil_by_loops(o.shape, start, o.steps, o.edge);
  for (const int teams : {1, 2, 3, 4}) {
    o.teams = teams;
    auto u = start;
    const auto report = solve(stencil_place::where(), u, o);
    EXPECT_EQ(report.teams, teams);
    EXPECT_EQ(difference(u, expected), "") << report.precision << ", " << teams << " teams";
  }
}
TEST_P(whole_steps, of_many_tiles_for_few_teams) {
  by_few_teams<double>();
  by_few_teams<float>();
}

template <class T>
void whole_steps::by_launches() {
  auto o = options(2);
  const auto start = random_field<T>(many_tiles(), 3);
  for (const char* executor : {"host-loop", "graph"}) {
    o.executor = executor;
    o.teams = 0;
    auto u = start;
    const int tiles = solve(stencil_place::where(), u, o).teams;
    ASSERT_GT(tiles, 1);
    o.teams = tiles - 1;
    try {
      solve(stencil_place::where(), u, o);
      ADD_FAILURE() << executor << " ran with " << o.teams << " of " << tiles << " blocks";
    } catch (const unsupported_error& e) {
      EXPECT_NE(std::string(e.what()).find("a thread block for each tile"), std::string::npos)
          << e.what();
    }
    o.teams = tiles;
    u = start;
    const auto report = solve(stencil_place::where(), u, o);
    EXPECT_EQ(report.teams, tiles);
    EXPECT_EQ(difference(u, stencil_by_loops(o.shape, start, o.steps, o.edge)), "")
        << executor << ", " << report.precision;
  }
}
TEST_P(whole_steps, of_launches_have_a_block_for_each_tile) {
  by_launches<double>();
  by_launches<float>();
}

template <class T>
void whole_steps::by_dataflow_tiles() {
  const device where = stencil_place::where();
  const auto& v =
      find_kernel(stencil_kernels(), GetParam(), "perks", precision_of<T>, backend::cuda);
  const std::vector<engine_facts> configs = kernels_of(v, target_of(where));
  const auto first_dataflow =
      std::find_if(configs.begin(), configs.end(),
                   [](const engine_facts& f) { return f.engine->shape().tile_flags; });
  ASSERT_NE(first_dataflow, configs.end());
  const bool flat = v.shape.dims == 2;
  const std::vector<extents> sizes =
      flat ? std::vector<extents>{many_tiles(), {299, 509}, {17, 700}, {14, 15}}
           : std::vector<extents>{many_tiles(), {35, 43, 257}, {7, 9, 300}, {6, 7, 9}};
  for (const extents& n : sizes) {
    const auto start = random_field<T>(n, 4), source = random_field<T>(n, 5);
    for (const grid<T>* f : {static_cast<const grid<T>*>(nullptr), &source}) {
      const auto expected = stencil_by_loops(GetParam(), start, 11, boundary::fixed, {}, f);
      for (const int teams : {1, 2, 5, 0})
        for (const bool alternates : {false, true}) {
          const stencil_problem problem{n, inner_box(n, v.shape.radius), v.shape.radius, sizeof(T)};
          stencil_plan plan =
              policies::plan_uncached(problem, true, {first_dataflow, configs.end()}, where.facts())
                  .plan;
          plan.config += static_cast<int>(first_dataflow - configs.begin());
          if (!v.compiled_ahead())  // planned with what is assumed of it
            plan.teams = std::min(plan.teams, probe_needed(v, plan, f != nullptr, where).max_teams);
          if (teams > 0) plan.teams = std::min(teams, plan.teams);
          plan.alternates = alternates;
          stencil_run<T> run(where, v, plan, n, boundary::fixed, f != nullptr);
          run.set_field(start.cells());
          if (f) run.set_source(f->cells());
          run.args().steps = 11;
          run.args().poll_every = 4;
          const stencil_state end = run.run(v.shape.weights, {}).state;
          auto u = start;
          run.get_field(u.cells());
          EXPECT_EQ(end.done, 11);
          EXPECT_EQ(difference(u, expected), "")
              << to_string(n) << " of " << sizeof(T) << " bytes, " << plan.teams
              << " teams, source " << (f != nullptr);
        }
    }
  }
}
/// perks' dataflow kernels, which a plan takes for fields of some sizes only.
TEST_P(whole_steps, whose_tiles_wait_for_those_around_them) {
  by_dataflow_tiles<double>();
  by_dataflow_tiles<float>();
}
INSTANTIATE_TEST_SUITE_P(shapes, whole_steps, testing::ValuesIn(shape_names()),
                         [](const auto& param) { return param.param; });

template <class T>
void expect_turns(const std::vector<const char*>& shapes, const std::vector<extents>& sizes) {
  for (const char* shape : shapes)
    for (const extents& n : sizes)
      for (const boundary edge : {boundary::fixed, boundary::periodic}) {
        stencil_options o;
        o.shape = shape;
        o.steps = 3;
        o.edge = edge;
        const auto start = random_field<T>(n, 6);
        const auto expected = stencil_by_loops(o.shape, start, o.steps, o.edge);
        for (const char* executor : {"host-loop", "graph", "persistent"}) {
          o.executor = executor;
          auto u = start;
          const auto report = solve(stencil_place::where(), u, o);
          EXPECT_TRUE(report.alternates) << report.reason;
          EXPECT_EQ(difference(u, expected), "") << shape << ' ' << to_string(n) << ' ' << executor;
        }
      }
}
/// Fields that are more than L2 holds, in whole register tiles and not.
TEST(whole_steps_2d, go_forwards_and_backwards) {
  for (const char* shape : {"2d5pt", "2d25pt", "gradient2d"})
    if (const auto why = stencil_place::absent(shape); !why.empty()) GTEST_SKIP() << why;
  expect_turns<double>({"2d5pt", "2d25pt", "gradient2d"}, {{2111, 2224}, {2113, 2221}});
  expect_turns<float>({"2d5pt"}, {{3011, 3152}, {3013, 3149}});
}

/// Fields of which cached tiles would hold too small a part.
template <class T>
grid<T> large_field(unsigned seed) {
  return random_field<T>(extents(sizeof(T) == 8 ? 84 : 168, 352, 256), seed);
}
template <class T>
void expect_whole_steps() {
  stencil_options o;
  o.shape = "3d13pt";
  o.executor = "perks";
  o.steps = 5;
  auto u = large_field<T>(4);
  const auto expected = stencil_by_loops(o.shape, u, o.steps, o.edge);
  const auto report = solve(stencil_place::where(), u, o);
  EXPECT_EQ(difference(u, expected), "");
  EXPECT_EQ(report.streamed, u.cells().size());
  EXPECT_TRUE(report.engine == "step" || report.engine == "dataflow_step") << report.reason;
}
TEST(perks, takes_whole_steps_where_tiles_are_slower) {
  if (const auto why = stencil_place::absent("3d13pt"); !why.empty()) GTEST_SKIP() << why;
  expect_whole_steps<double>();
  expect_whole_steps<float>();
}

/// With a test of the change, which looks at both copies of the field.
template <class T>
void expect_whole_steps_until_the_change_is_small() {
  stencil_options o;
  o.shape = "3d13pt";
  o.steps = 40;
  o.until = 2e-2;
  o.check_every = 3;
  auto u = large_field<T>(5), v = u;
  o.executor = "perks";
  const auto report = solve(stencil_place::where(), u, o);
  EXPECT_TRUE(report.engine == "step" || report.engine == "dataflow_step") << report.reason;
  o.executor = "graph";
  const auto same = solve(stencil_place::where(), v, o);
  EXPECT_EQ(report.steps, same.steps);
  EXPECT_EQ(report.change, same.change);
  EXPECT_EQ(difference(u, v), "");
}
TEST(perks, takes_whole_steps_until_the_change_is_small) {
  if (const auto why = stencil_place::absent("3d13pt"); !why.empty()) GTEST_SKIP() << why;
  expect_whole_steps_until_the_change_is_small<double>();
  expect_whole_steps_until_the_change_is_small<float>();
}

}  // namespace
}  // namespace dwell::test
