// SPDX-License-Identifier: MIT
// Runs in pieces on a field that stays on a device have the bits of one run: in every way to run,
// of random cases, by two kernels in turn.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "each_stencil_way.hpp"
#include "place.hpp"
#include "runner_at.hpp"
#include "stencil_case.hpp"
#include "stencil_oracle.hpp"

#include "dwell/execution/device/plan_target.hpp"
#include "dwell/execution/stencil/launch/run.hpp"
#include "dwell/solvers/stencil/api/decide.hpp"
#include "dwell/stencil/stencil_runner.hpp"

namespace dwell::test {
namespace {

constexpr boundary edges[] = {boundary::fixed, boundary::periodic, boundary::reflect};

class stencil_pieces : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  /// Odd numbers of steps and even ones, fewer than a poll or a pass has and more, at every border.
  /// With a source: at every other border, the others without one, and at the next size vice versa.
  template <class T>
  static void check(std::size_t number_of_size, bool with_source) {
    const extents n = sizes()[number_of_size];
    stencil_options problem;
    problem.shape = GetParam();
    problem.weights = uneven_weights(problem.shape);
    const auto start = random_field<T>(n, 1), source = random_field<T>(n, 2);
    const auto* f = with_source ? &source : nullptr;
    const std::vector<int> pieces = {1, 2, 1, 5, 0, 3};
    for (std::size_t e = 0; e < std::size(edges); ++e) {
      const bool has_source = (number_of_size + e) % 2 == 1;
      if (has_source != with_source) continue;
      const boundary edge = edges[e];
      problem.edge = edge;
      std::vector<grid<T>> expected = {start};
      for (const int steps : pieces)
        expected.push_back(
            stencil_by_loops(problem.shape, expected.back(), steps, edge, problem.weights, f));
      for (const auto& way : stencil_place::ways(problem.shape)) {
        stencil_options o = problem;
        way.apply(o);
        const auto where = testing::PrintToString(way) + ", " + to_string(n) + ' ' +
                           to_string(edge) + (f ? ", source" : "");
        auto seen = runner_at(start, o, f), unseen = runner_at(start, o, f);
        for (std::size_t k = 0; k < pieces.size(); ++k) {
          EXPECT_EQ(seen.run(pieces[k]).steps, pieces[k]) << where;
          EXPECT_EQ(difference(seen.field(), expected[k + 1]), "") << where << ", piece " << k;
          unseen.run_async(pieces[k]);
        }
        EXPECT_EQ(difference(unseen.field(), expected.back()), "") << where << ", unseen";
        EXPECT_EQ(unseen.wait().steps, 12) << where;
      }
    }
  }
  static std::vector<extents> sizes() {
    if (find_stencil_shape(GetParam()).dims == 2) return {{1, 1}, {3, 7}, {17, 257}, {45, 136}};
    return {{1, 1, 1}, {7, 3, 5}, {9, 40, 59}, {13, 30, 32}};
  }
};

TEST_P(stencil_pieces, have_the_bits_of_one_run) {
  for (std::size_t n = 0; n < sizes().size(); ++n) check<double>(n, false);
}
TEST_P(stencil_pieces, have_them_with_a_source) {
  for (std::size_t n = 0; n < sizes().size(); ++n) check<double>(n, true);
}
TEST_P(stencil_pieces, have_them_in_single_precision) {
  for (const bool with_source : {false, true}) check<float>(2, with_source);
}

INSTANTIATE_TEST_SUITE_P(shapes, stencil_pieces, testing::ValuesIn(shape_names()),
                         [](const auto& param) { return param.param; });

class stencil_cuts : public each_stencil_way {};

/// Any case, cut anywhere, against executor naive in one run.
template <class T>
void cut_anywhere(const stencil_case& c) {
  const auto start = random_field<T>(c.size, c.values), source = random_field<T>(c.size, 77);
  const auto* f = c.source ? &source : nullptr;
  grid<T> expected = start;
  solve(stencil_place::where(), expected, c.naive_options(), f);
  stencil_options o = c.options();
  try {
    stencil_runner<T> runner(stencil_place::where(), c.size, o, c.source);
    runner.set_field(start);
    if (f) runner.set_source(*f);
    if (!c.until) {
      const int first = c.steps / 3;
      runner.run(first);
      runner.run(c.steps - first);
    } else {
      runner.run();
    }
    EXPECT_EQ(difference(runner.field(), expected), "") << testing::PrintToString(c);
  } catch (const error&) {  // some cases are there to be refused: solve() must refuse them, too
    grid<T> u = start;
    EXPECT_THROW(solve(stencil_place::where(), u, o, f), error) << testing::PrintToString(c);
  }
}

TEST_F(stencil_cuts, of_random_cases) {
  for (unsigned k = 0; k < (sanitized ? 40u : 300u); ++k) {
    stencil_case c = draw_case(2029, k, stencil_place::where());
    if (c.single)
      cut_anywhere<float>(c);
    else
      cut_anywhere<double>(c);
  }
}

/// Runs of few steps by launches, others in one launch, on one field.
TEST_F(stencil_cuts, change_between_launches_and_one_launch) {
  const auto where = stencil_place::where();
  const plan_target target = target_of(where);
  const extents n(33, 128);  // rows lie alike under both
  const auto start = random_field<double>(n, 8);
  const auto problem = problem_of(find_stencil_shape("2d5pt"), n, 8, boundary::fixed, false);
  const stencil_request request{stencil_kernels(), precision::f64, target, problem};
  const auto decided = [&](const char* executor) {
    stencil_options o;
    o.executor = executor;
    return decide(request, o);
  };
  const stencil_decision whole = decided("perks"), single = decided("host-loop");
  stencil_run<double> run(where, *whole.kernel, whole.plans.front().plan, n, boundary::fixed,
                          false);
  ASSERT_TRUE(run.add_launches(*single.kernel, single.plans.front().plan, 3));
  run.set_field(start.cells());
  run.args().poll_every = run.args().mark_every = 64;
  int done = 0;
  for (const int steps : {1, 7, 3, 4, 2, 1, 9}) {
    run.args().steps = steps;
    EXPECT_TRUE(run.start(find_stencil_shape("2d5pt").weights, {})) << "nobody can end it early";
    done += steps;
  }
  EXPECT_GT(run.wait({}).seconds, 0);
  grid<double> u(n);
  run.get_field(u.cells());
  EXPECT_EQ(difference(u, stencil_by_loops("2d5pt", start, done, boundary::fixed)), "");
}

}  // namespace
}  // namespace dwell::test
