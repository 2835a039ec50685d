// SPDX-License-Identifier: MIT
// Iterative refinement: systems whose carried residual meets the tolerance while the true one does
// not, by every method that drifts; counts, histories, progress, limits and interrupts over several
// attempts. Linked again into the tests of a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "plain_options.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

template <class T = double>
linear_system<T> system_of(const csr<double>& a) {
  linear_system<T> s{"", convert<T>(a.view()), {}};
  const auto b = random_vector(a.rows, 3);
  s.b.assign(b.begin(), b.end());
  return s;
}

template <class T>
double true_residual(const linear_system<T>& s, const std::vector<T>& x) {
  return residual_norm(s.a.view(), std::span<const T>(s.b), std::span<const T>(x)) /
         norm2(widen(std::span<const T>(s.b)));
}

/// 1e-7 is met by the second attempt; 1e-10 by none, and the second one takes hundreds of
/// iterations.
solve_options drifting(double rtol) {
  solve_options o = plain_options();
  o.rtol = rtol;
  o.variant = textbook();
  o.preconditioner = preconditioner::jacobi;
  return o;
}

class refinement : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

TEST_F(refinement, meets_the_tolerance_that_one_attempt_misses) {
  const auto s = system_of(jumping(48));
  for (const std::string& executor : place::executors()) {
    SCOPED_TRACE(executor);
    solve_options o = drifting(1e-7);
    o.executor = executor;
    o.history = true;
    o.refine = false;
    const auto once = run(s, o);
    EXPECT_EQ(once.report.stopped, stop_reason::converged);
    EXPECT_EQ(once.report.refinements, 0);
    EXPECT_TRUE(once.report.target_missed);
    EXPECT_GT(true_residual(s, once.x), o.rtol);
    o.refine = true;
    const auto again = run(s, o);
    check_report(s, again);
    const solve_report& r = again.report;
    EXPECT_EQ(r.stopped, stop_reason::converged) << r.residual_relative_true;
    EXPECT_GE(r.refinements, 1);
    EXPECT_FALSE(r.target_missed);
    EXPECT_LE(true_residual(s, again.x), o.rtol);
    EXPECT_GT(r.iterations, once.report.iterations);
    EXPECT_EQ(r.condition_estimate, once.report.condition_estimate);
    EXPECT_LT(r.error_estimate, once.report.error_estimate);
    ASSERT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1);
    EXPECT_TRUE(
        std::equal(once.report.history.begin(), once.report.history.end(), r.history.begin()));
    o.fixed_iterations = true;
    o.max_iterations = once.report.iterations;
    EXPECT_EQ(run(s, o).report.refinements, 0);
  }
}

TEST_F(refinement, every_method_in_f32) {
  const auto s = system_of<float>(generate("poisson2d:30x30"));
  for (const auto& method : iterative_methods()) {
    SCOPED_TRACE(method.name);
    solve_options o = plain_options();
    o.method = method.name;
    if (method.name == "cg") o.variant = textbook();
    o.rtol = 1e-6;
    o.refine = false;
    const auto once = run(s, o);
    o.refine = true;
    const auto again = run(s, o);
    EXPECT_LE(again.report.residual_relative_true, once.report.residual_relative_true);
    EXPECT_EQ(again.report.stopped == stop_reason::converged, true_residual(s, again.x) <= o.rtol);
    EXPECT_EQ(again.report.target_missed, again.report.stopped == stop_reason::accuracy_limit);
    if (method.name == "cg") {
      EXPECT_TRUE(once.report.target_missed);
      EXPECT_EQ(again.report.stopped, stop_reason::converged);
      EXPECT_GE(again.report.refinements, 1);
    }
  }
}

TEST_F(refinement, does_nothing_where_the_tolerance_is_met) {
  const auto s = system_of(generate("poisson2d:33x21"));
  solve_options o = plain_options();
  const auto on = run(s, o);
  o.refine = false;
  const auto off = run(s, o);
  EXPECT_EQ(on.report.refinements, 0);
  EXPECT_EQ(on.report.iterations, off.report.iterations);
  EXPECT_TRUE(same_bits(on.x, off.x));
}

TEST_F(refinement, ends_at_the_limit_of_accuracy) {
  const auto s = system_of(jumping(48));
  solve_options o = drifting(1e-10);
  o.refine = false;
  const auto once = run(s, o);
  o.refine = true;
  const auto got = run(s, o);
  check_report(s, got);
  EXPECT_EQ(got.report.stopped, stop_reason::accuracy_limit);
  EXPECT_TRUE(got.report.target_missed);
  EXPECT_LE(got.report.residual_relative_true, once.report.residual_relative_true);
  EXPECT_NE(got.report.advice.find("larger tolerance"), std::string::npos) << got.report.advice;
}

TEST_F(refinement, limit_counts_all_attempts) {
  const auto s = system_of(jumping(48));
  solve_options o = drifting(1e-10);
  o.refine = false;
  const auto once = run(s, o);
  o.refine = true;
  o.history = true;
  o.max_iterations = once.report.iterations + 20;
  const auto got = run(s, o);
  check_report(s, got);
  EXPECT_EQ(got.report.stopped, stop_reason::iteration_limit);
  EXPECT_EQ(got.report.iterations, o.max_iterations);
  EXPECT_EQ(got.report.refinements, 1);
  EXPECT_FALSE(got.report.target_missed);
  EXPECT_EQ(got.report.history.size(), static_cast<std::size_t>(o.max_iterations) + 1);
  // An attempt that is cut off must not leave a worse answer than the one before.
  EXPECT_LE(got.report.residual_relative_true, once.report.residual_relative_true);
  o.max_iterations = once.report.iterations;  // nothing is left for a second attempt
  const auto none = run(s, o);
  EXPECT_EQ(none.report.stopped, stop_reason::iteration_limit);
  EXPECT_EQ(none.report.refinements, 0);
  EXPECT_TRUE(same_bits(none.x, once.x));
}

TEST_F(refinement, progress_counts_on) {
  const auto s = system_of(jumping(48));
  solve_options o = drifting(1e-7);
  std::vector<int> told;
  double least = 1;
  o.progress_interval = 0;
  o.progress = [&](const solve_progress& p) {
    told.push_back(p.iteration);
    least = std::min(least, p.seconds);
  };
  const auto got = run(s, o);
  EXPECT_GE(got.report.refinements, 1);
  ASSERT_EQ(told.size(), static_cast<std::size_t>(got.report.iterations) + 1);
  for (std::size_t k = 0; k < told.size(); ++k) EXPECT_EQ(told[k], static_cast<int>(k));
  EXPECT_GE(least, 0);
}

TEST_F(refinement, interrupt_between_and_during_attempts) {
  const auto s = system_of(jumping(48));
  solve_options o = drifting(1e-10);
  o.refine = false;
  const auto once = run(s, o);
  o.refine = true;
  o.progress_interval = 0;
  std::atomic<bool> stop{false};
  o.interrupt = &stop;
  const int first = once.report.iterations;
  // By the last call of the first attempt at the latest: the second one sees it soon.
  o.progress = [&](const solve_progress& p) { stop = stop || p.iteration == first; };
  const auto flagged = run(s, o);
  EXPECT_TRUE(
      flagged.report.stopped == stop_reason::interrupted ||
      (place::on() != backend::cpu && flagged.report.stopped == stop_reason::accuracy_limit));
  EXPECT_GE(flagged.report.iterations, first);
  EXPECT_EQ(flagged.report.refinements, 1);
  EXPECT_LE(flagged.report.residual_relative_true, once.report.residual_relative_true);
  stop = false;
  o.progress = [&](const solve_progress& p) { return p.iteration < first; };
  const auto refused = run(s, o);
  EXPECT_EQ(refused.report.stopped, stop_reason::interrupted);
  EXPECT_EQ(refused.report.iterations, first);
  EXPECT_EQ(refused.report.refinements, 0);
  EXPECT_TRUE(same_bits(refused.x, once.x));
  // In the midst of the second one, unless that is over before the call arrives.
  stop = false;
  o.progress = [&](const solve_progress& p) { stop = stop || p.iteration > first; };
  const auto midst = run(s, o);
  EXPECT_GT(midst.report.iterations, first);
  EXPECT_TRUE(midst.report.stopped == stop_reason::interrupted ||
              midst.report.stopped == stop_reason::accuracy_limit);
  EXPECT_LE(midst.report.residual_relative_true, once.report.residual_relative_true);
  // Near the least residual there is, half of its size is the rounding of computing it.
  EXPECT_NEAR(true_residual(s, midst.x), midst.report.residual_relative_true,
              0.5 * midst.report.residual_relative_true);
}

TEST_F(refinement, columns_that_miss_are_refined_alone) {
  const auto s = system_of(jumping(48));
  const auto n = static_cast<std::size_t>(s.a.rows);
  std::vector<double> b, x(4 * n);
  for (const std::uint64_t seed : {3, 4, 5, 6}) {
    const auto one = random_vector(s.a.rows, seed);
    b.insert(b.end(), one.begin(), one.end());
  }
  std::fill_n(b.begin() + static_cast<std::ptrdiff_t>(n), n, 0.0);  // this one needs nothing
  solve_options o = drifting(1e-7);
  o.columns_at_once = 4;
  linear_solver<double> solver(place::where(), s.a.view(), o);
  const auto reports = solver.solve(std::span<const double>(b), n, std::span<double>(x), n, 4);
  int refined = 0;
  for (std::size_t k = 0; k < 4; ++k) {
    SCOPED_TRACE(k);
    EXPECT_EQ(reports[k].columns_together, 4);
    EXPECT_EQ(reports[k].stopped, stop_reason::converged);
    EXPECT_FALSE(reports[k].target_missed);
    linear_system<double> one = s;
    const auto at = static_cast<std::ptrdiff_t>(k * n), end = at + static_cast<std::ptrdiff_t>(n);
    one.b.assign(b.begin() + at, b.begin() + end);
    if (k != 1) {
      EXPECT_LE(true_residual(one, std::vector<double>(x.begin() + at, x.begin() + end)), o.rtol);
    }
    refined += reports[k].refinements;
  }
  EXPECT_EQ(reports[1].refinements, 0);
  EXPECT_GE(refined, 2);
}

}  // namespace
}  // namespace dwell::test
