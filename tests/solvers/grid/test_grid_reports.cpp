// SPDX-License-Identifier: MIT
// What solves on grids say: tolerances by default, starts of every magnitude, bytes and times of
// solves that change their levels, advice that helps.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "dwell/solvers/grid/slow_end.hpp"
#include "grid_answers.hpp"
#include "refusal.hpp"
#include "sanitized.hpp"

namespace dwell {
namespace {

using testing::random_values;

template <class T>
double difference(const std::vector<T>& a, const std::vector<double>& b) {
  double left = 0, all = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    left += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
    all += b[i] * b[i];
  }
  return std::sqrt(left / all);
}

/// Right-hand sides and starts from the least to the largest numbers. Those that are too far above
/// are zeros.
template <class T>
void expect_starts_of_all_magnitudes(const std::string& method) {
  const int far = sizeof(T) == 8 ? 480 : 60, top = std::numeric_limits<T>::max_exponent - 4;
  int zeros = 0;
  for (unsigned seed = 1; seed <= unsigned(test::rounds(60)); ++seed) {
    std::mt19937 random(seed);
    const auto between = [&](int low, int high) {
      return low + int(random() % unsigned(high - low + 1));
    };
    const int dims = between(1, 3);
    grid_description<T> d;
    for (int a = 0; a < dims; ++a) d.cells.push_back(between(1, dims == 1 ? 60 : 12));
    grid_options o;
    o.method = method;
    o.max_iterations = 5000;
    grid_solver<T> solver(device::cpu(1 + int(seed % 2)), d, o);
    const int of_f = between(-top / 2, top - 20), of_start = between(-top / 2, top);
    SCOPED_TRACE(::testing::Message() << seed << ": f 2^" << of_f << ", start 2^" << of_start);
    std::vector<T> f = random_values<T>(solver.rows(), seed), u(f.size()), from_zeros(f.size());
    std::vector<T> start = random_values<T>(f.size(), seed + 1000);
    for (T& v : f) v = std::ldexp(v, of_f);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = std::ldexp(start[i], of_start);
    const grid_report r = solver.solve(f, u), plain = solver.solve(f, from_zeros);
    EXPECT_EQ(r.stopped, stop_reason::converged) << r.residual_relative_true;
    if (!r.met_by_rounding) {
      EXPECT_LE(r.residual_relative_true, r.residual_relative_wanted);
    }
    if (of_start - of_f < far + 8) continue;
    ++zeros;
    EXPECT_EQ(u, from_zeros);
    EXPECT_EQ(r.iterations, plain.iterations);
  }
  EXPECT_GT(zeros, 0);
}

TEST(GridReports, StartsOfEveryMagnitude) {
  for (const char* method : {"cg", "multigrid", "minres", "bicgstab"}) {
    SCOPED_TRACE(method);
    expect_starts_of_all_magnitudes<double>(method);
    expect_starts_of_all_magnitudes<float>(method);
  }
}

TEST(GridReports, ADefaultToleranceIsThatOfThePrecision) {
  for (const std::vector<int>& cells :
       {std::vector{30}, {2000}, {20, 30}, {150, 170}, {20, 30, 25}}) {
    grid_description<float> d{.cells = cells};
    grid_description<double> wide{.cells = cells};
    d.s = wide.s = cells.size() == 1 ? 1e-3 : 0;
    grid_solver<float> solver(device::cpu(2), d);
    grid_solver<double> exact(device::cpu(2), wide);
    std::vector<float> f(solver.rows(), 1.0F), u(f.size());
    std::vector<double> g(f.size(), 1.0), v(f.size()), w(f.size());
    const grid_report r = solver.solve(f, u);
    EXPECT_EQ(r.residual_relative_wanted, 1e-5);
    EXPECT_EQ(r.stopped, stop_reason::converged);
    EXPECT_EQ(r.met_by_rounding, r.residual_relative_true > 1e-5);
    EXPECT_FALSE(r.target_missed);
    EXPECT_EQ(r.advice, "");
    const grid_report of_exact = exact.solve(g, v);
    EXPECT_EQ(of_exact.residual_relative_wanted, 1e-8);
    EXPECT_LE(of_exact.residual_relative_true, 1e-8);
    EXPECT_LT(difference(u, v), 1e-5) << "it is right to the digits of f32";
    // A tolerance that is asked for is not met by rounding.
    std::fill(u.begin(), u.end(), 0.0F);
    solver.set_tolerances(1e-5);
    const grid_report asked = solver.solve(f, u);
    EXPECT_EQ(asked.iterations, r.iterations);
    EXPECT_FALSE(asked.met_by_rounding);
    EXPECT_EQ(asked.stopped,
              r.met_by_rounding ? stop_reason::accuracy_limit : stop_reason::converged);
    EXPECT_EQ(asked.advice.empty(), !r.met_by_rounding);
    solver.set_tolerances({});
    std::fill(u.begin(), u.end(), 0.0F);
    EXPECT_EQ(solver.solve(f, u).stopped, stop_reason::converged);
    exact.set_tolerances(1e-8);
    exact.solve(g, w);
    EXPECT_EQ(v, w);
    exact.set_tolerances(1e-3, 1e-2);
    std::fill(w.begin(), w.end(), 0.0);
    EXPECT_EQ(exact.solve(g, w).residual_relative_wanted, std::max(1e-3, 1e-2 / of_exact.rhs_norm));
  }
}

/// k of blocks that jump, on which averaged coarse operators are slow.
std::vector<double> jumping_blocks(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<double> k(std::size_t(n) * std::size_t(n));
  std::vector<double> of_block(std::size_t(n / 5 + 1) * std::size_t(n / 5 + 1));
  for (double& v : of_block) v = random() % 2 ? 1e4 : 1;
  for (int i = 0; i < n; ++i)
    for (int j = 0; j < n; ++j)
      k[std::size_t(i) * std::size_t(n) + std::size_t(j)] =
          of_block[std::size_t(i / 5) * std::size_t(n / 5 + 1) + std::size_t(j / 5)];
  return k;
}

TEST(GridReports, BytesAndTimesAreThoseOfTheWholeSolve) {
  for (const int n : {255, 300}) {
    const std::vector<double> k = jumping_blocks(n, unsigned(n));
    grid_description<double> d{.cells = {n, n}, .k_cells = k};
    const std::vector<double> f(k.size(), 1.0);
    const auto report_with = [&](const char* coarse) {
      grid_options o;
      o.coarse = coarse;
      std::vector<double> u(k.size());
      return grid_solver<double>(device::cpu(2), d, o).solve(f, u);
    };
    const grid_report averaged = report_with("averaged"), galerkin = report_with("galerkin"),
                      both = report_with("auto");
    ASSERT_NE(both.cycle.find("after 16 slow iterations"), std::string::npos) << both.cycle;
    ASSERT_GT(both.iterations, grids::slow_after);
    const double mean =
        (grids::slow_after * double(averaged.bytes_per_iteration) +
         (both.iterations - grids::slow_after) * double(galerkin.bytes_per_iteration)) /
        both.iterations;
    EXPECT_NEAR(double(both.bytes_per_iteration), mean, 1);
    for (const grid_report& r : {averaged, galerkin, both})
      EXPECT_DOUBLE_EQ(r.per_iteration_us * r.iterations, r.solve_s * 1e6);
    // Levels that the solve made are set-up, once.
    grid_solver<double> solver(device::cpu(2), d);
    std::vector<double> u(k.size()), v(k.size());
    const grid_report first = solver.solve(f, u), second = solver.solve(f, v);
    EXPECT_GT(first.setup_s, second.setup_s);
    EXPECT_EQ(u, v);
  }
}

/// Through attempts and levels that change, with the residuals of the history.
TEST(GridReports, EachIterationIsToldWhereTheIntervalIsZero) {
  const std::vector<double> k = jumping_blocks(255, 255);
  grid_description<double> jumps{.cells = {255, 255}, .k_cells = k}, plain{.cells = {40, 30}};
  for (const auto& d : {plain, jumps})
    for (const char* method : {"cg", "minres", "multigrid"}) {
      SCOPED_TRACE(method);
      grid_options o;
      o.method = method;
      o.history = true;
      o.rtol = 1e-13;
      o.atol = 1e-12;
      o.progress_interval = 0;
      std::vector<solve_progress> told;
      o.progress = [&](const solve_progress& now) { told.push_back(now); };
      grid_solver<double> solver(device::cpu(2), d, o);
      const std::vector<double> f(solver.rows(), 1.0);
      std::vector<double> u(f.size());
      const grid_report r = solver.solve(f, u);
      ASSERT_EQ(told.size(), std::size_t(r.iterations));
      for (std::size_t i = 0; i < told.size(); ++i) {
        EXPECT_EQ(told[i].iteration, int(i) + 1);
        // There the history has the residual from which other levels go on.
        if (r.cycle.find("slow") == std::string::npos || told[i].iteration != grids::slow_after) {
          EXPECT_DOUBLE_EQ(told[i].relative_residual, r.history[i + 1] / r.rhs_norm);
        }
        EXPECT_DOUBLE_EQ(told[i].target, r.residual_relative_wanted);
        if (i > 0) {
          EXPECT_GE(told[i].seconds, told[i - 1].seconds);
        }
      }
    }
}

/// A tenth of b is no answer, whatever left it.
TEST(GridReports, MuchIsNotMetByRounding) {
  const grid_description<float> d{.cells = {40000}};
  grid_solver<float> solver(device::cpu(2), d);
  const std::vector<float> f = random_values<float>(solver.rows(), 3);
  std::vector<float> b(f.size(), 1.0F), u(f.size());
  for (std::size_t i = 0; i < b.size(); ++i) b[i] += f[i];
  const grid_report r = solver.solve(b, u);
  EXPECT_GT(r.residual_relative_true, 0.1);
  EXPECT_EQ(r.stopped, stop_reason::accuracy_limit);
  EXPECT_FALSE(r.met_by_rounding);
  EXPECT_NE(r.advice, "");
}

TEST(GridReports, ValuesThatAreNotFiniteAreFound) {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937 random(seed);
    grid_description<double> d;
    const int dims = 1 + int(random() % 3);
    for (int a = 0; a < dims; ++a) d.cells.push_back(1 + int(random() % 9));
    grid_solver<double> solver(device::cpu(1), d);
    std::vector<double> good(solver.rows(), 1.0), bad = good;
    std::size_t at = random() % good.size();
    bad[at] = seed % 2 ? std::nan("") : -HUGE_VAL;
    std::string place;
    for (int a = dims; a-- > 0;) {
      const auto n = std::size_t(d.cells[std::size_t(a)]);
      place = std::to_string(at % n) + (place.empty() ? "" : ", ") + place;
      at /= n;
    }
    const std::string found =
        std::string(": expected finite numbers, found ") + (seed % 2 ? "nan" : "-inf") + " at [";
    std::vector<double> u = good, kept = good;
    EXPECT_EQ(test::refusal<input_error>([&] { solver.solve(bad, u); }),
              "grid: right-hand side" + found + place + "] (counted from 0)");
    EXPECT_EQ(u, kept);
    u = bad;
    EXPECT_EQ(test::refusal<input_error>([&] { solver.solve(good, u); }),
              "grid: start" + found + place + "] (counted from 0)");
  }
}

TEST(GridReports, AdviceHelps) {
  grid_description<double> d{.cells = {90, 80}};
  const std::vector<double> f = random_values<double>(90 * 80, 5), k = jumping_blocks(255, 255);
  const auto solved = [](const grid_description<double>& of, const std::vector<double>& b,
                         const grid_options& o) {
    std::vector<double> u(b.size());
    return grid_solver<double>(device::cpu(2), of, o).solve(b, u);
  };
  for (const char* method : {"jacobi", "multigrid", "cg", "minres", "chebyshev"}) {
    SCOPED_TRACE(method);
    grid_options o;
    o.method = method;
    const bool alone = o.method == "jacobi" || o.method == "multigrid";
    if (!alone) o.preconditioner = "none";
    o.max_iterations = o.method == "multigrid" ? 5 : 30;
    const grid_report r = solved(d, f, o);
    EXPECT_EQ(r.stopped, stop_reason::iteration_limit);
    EXPECT_NE(r.advice.find(alone ? "method cg" : "preconditioner multigrid"), std::string::npos)
        << r.advice;
    grid_options better = o;
    if (alone) better.method = "cg";
    if (!alone) better.preconditioner = "multigrid";
    better.max_iterations = 30;
    const grid_report then = solved(d, f, better);
    EXPECT_EQ(then.stopped, stop_reason::converged);
    EXPECT_EQ(then.advice, "");
  }
  grid_options few;
  few.max_iterations = 3;
  EXPECT_NE(solved(d, f, few).advice.find("more iterations"), std::string::npos);
  few.coarse = "averaged";
  few.max_iterations = 25;
  grid_description<double> jumps{.cells = {255, 255}, .k_cells = k};
  const std::vector<double> ones(k.size(), 1.0);
  const grid_report slow = solved(jumps, ones, few);
  EXPECT_EQ(slow.stopped, stop_reason::iteration_limit);
  EXPECT_NE(slow.advice.find("coarse galerkin"), std::string::npos) << slow.advice;
  few.coarse = "galerkin";
  EXPECT_EQ(solved(jumps, ones, few).stopped, stop_reason::converged);
  grid_options most;
  most.rtol = 0;
  const grid_report rounding = solved(d, f, most);
  EXPECT_EQ(rounding.stopped, stop_reason::accuracy_limit);
  EXPECT_NE(rounding.advice.find("larger tolerance"), std::string::npos);
  most.rtol = 10 * rounding.residual_relative_true;
  EXPECT_EQ(solved(d, f, most).stopped, stop_reason::converged);
}

}  // namespace
}  // namespace dwell
