// SPDX-License-Identifier: MIT
// The caller's progress function under every executor of this place: what it is told of first,
// every iteration on request, and an end by what it returns.
#include <gtest/gtest.h>

#include <climits>
#include <cmath>
#include <functional>

#include "dwell/datasets/generators.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "each_executor.hpp"

namespace dwell::test {
namespace {

class monitored : public each_executor {
 protected:
  static linear_system<double> endless() {
    const index n = sanitized ? 30001 : 300001;
    return {"endless", tridiagonal(n, 2, -1), random_vector(n, 3)};
  }
};

TEST_P(monitored, the_first_call_has_the_true_start_residual) {
  // From a start that is a million times too large; a residual of zero was told for what was not
  // known yet.
  const auto s = endless();
  auto x0 = random_vector(s.a.rows, 8);
  for (double& e : x0) e *= 1e6;
  const double start =
      residual_norm(s.a.view(), std::span<const double>(s.b), std::span<const double>(x0)) /
      norm2(s.b);
  for (const double interval : {0.0, 1e-9}) {
    SCOPED_TRACE(interval);
    solve_options o = options(0);
    o.max_iterations = INT_MAX / 2;
    if (place::on() == backend::cuda) o.max_iterations = 10000000;
    o.progress_interval = interval;
    std::vector<solve_progress> told;
    o.progress = [&](const solve_progress& p) {
      told.push_back(p);
      return told.size() < 5 && p.relative_residual >= 1e-3;
    };
    const auto got = run(s, o, x0);
    EXPECT_EQ(got.report.stopped, stop_reason::interrupted) << to_string(got.report.stopped);
    ASSERT_EQ(told.size(), 5u) << "stopped by a residual of " << told.back().relative_residual;
    for (const auto& p : told) {
      EXPECT_GT(p.relative_residual, 1e-3) << p.iteration;
      if (p.iteration == 0) {
        EXPECT_NEAR(p.relative_residual, start, 1e-9 * start);
      }
    }
    if (interval == 0.0) {
      EXPECT_EQ(told[0].iteration, 0);
    }
  }
}

TEST_P(monitored, every_iteration_on_request) {
  const auto s = system("power_law_1500");
  solve_options o = options();
  o.history = true;
  const auto silent = run(s, o);
  for (const bool history : {true, false}) {
    o.history = history;
    o.progress_interval = 0;
    std::vector<solve_progress> told;
    o.progress = [&](const solve_progress& p) { told.push_back(p); };
    const auto got = run(s, o);
    EXPECT_TRUE(same_bits(got.x, silent.x)) << "a monitor changes nothing";
    EXPECT_EQ(got.report.history.empty(), !history);
    ASSERT_EQ(told.size(), static_cast<std::size_t>(got.report.iterations) + 1);
    for (std::size_t k = 0; k < told.size(); ++k) {
      ASSERT_EQ(told[k].iteration, static_cast<int>(k));
      ASSERT_NEAR(told[k].relative_residual, silent.report.history[k] / silent.report.rhs_norm,
                  // In the pipelined form that of the last iteration may be told as carried along
                  // or as computed anew.
                  1e-3 * told[k].relative_residual);
    }
  }
}

// What the solve before has written is not told again.
TEST_P(monitored, every_iteration_of_a_second_solve) {
  const csr<double> a = generate("poisson2d:31x17");
  const auto n = static_cast<std::size_t>(a.rows);
  solve_options o = options();
  o.progress_interval = 0;
  std::vector<double> told;
  o.progress = [&](const solve_progress& p) { told.push_back(p.relative_residual); };
  linear_solver<double> solver(place::where(), a.view(), o);
  for (const int seed : {3, 4}) {
    const std::vector<double> b = random_vector(a.rows, seed);
    std::vector<double> x(n, 0.0);
    told.clear();
    const solve_report r = solver.solve(std::span<const double>(b), std::span<double>(x));
    ASSERT_EQ(told.size(), static_cast<std::size_t>(r.iterations) + 1);
    // The last one, as above, may be told before the pipelined form computes it anew.
    const double apart = o.variant == "pipelined" ? 1e-3 : 1e-6;
    EXPECT_NEAR(told.back(), r.residual_relative_recursive, apart * told.back());
    EXPECT_NEAR(told.front(), 1.0, 1e-12);
  }
}

TEST_P(monitored, what_it_returns_stops_the_solve) {
  const auto s = endless();
  for (const double interval : {0.0, 0.01}) {
    SCOPED_TRACE(interval);
    solve_options o = options(0);
    o.max_iterations = 10000000;
    o.progress_interval = interval;
    int calls = 0;
    o.progress = [&](const solve_progress&) { return ++calls < 3; };
    const auto got = run(s, o);
    EXPECT_EQ(got.report.stopped, stop_reason::interrupted) << to_string(got.report.stopped);
    EXPECT_EQ(calls, 3) << "none after it wanted an end";
    EXPECT_GE(got.report.iterations, interval == 0.0 ? 2 : 0);
    check_report(s, got);
  }
}

TEST_P(monitored, functions_of_any_kind) {
  const auto s = system("mesh_33x47");
  solve_options o = options();
  o.progress_interval = 0;
  int calls = 0;
  const std::function<void(const solve_progress&)> nothing = [&](const solve_progress&) {
    ++calls;
  };
  const std::function<void(const solve_progress&)> empty;
  o.progress = nothing;
  const auto got = run(s, o);
  EXPECT_EQ(calls, got.report.iterations + 1);
  // A number is no verdict.
  calls = 0;
  o.progress = [&](const solve_progress&) { return calls++; };
  EXPECT_EQ(run(s, o).report.stopped, stop_reason::converged);
  EXPECT_EQ(calls, got.report.iterations + 1);
  for (const solve_options& without : {[&] {
                                         o.progress = empty;
                                         return o;
                                       }(),
                                       [&] {
                                         o.progress = nullptr;
                                         return o;
                                       }()}) {
    EXPECT_FALSE(without.progress);
    EXPECT_EQ(run(s, without).report.stopped, stop_reason::converged);
  }
}

INSTANTIATE_TEST_SUITE_P(every_executor, monitored, testing::ValuesIn(executors_and_variants()),
                         executor_name);

}  // namespace
}  // namespace dwell::test
