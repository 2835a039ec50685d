// SPDX-License-Identifier: MIT
// Methods for matrices that are not positive definite: answers beside Eigen's direct solutions,
// iteration counts beside Eigen's, the same bits from every executor, stops and breakdowns. Linked
// again into the tests of a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "method_problems.hpp"

namespace dwell::test {
namespace {

/// form: a method, or a method and a variant of it, "bicgstab/pipelined".
void ask(solve_options& o, const std::string& form) {
  const std::size_t slash = form.find('/');
  o.method = form.substr(0, slash);
  if (slash != std::string::npos) o.variant = form.substr(slash + 1);
}

class methods_of : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  template <class T>
  void solve_everywhere(preconditioner p) {
    const auto& [method, number] = GetParam();
    const problem& of = problems()[static_cast<std::size_t>(number)];
    const csr<double> a = of.build();
    if (method == "minres" && !of.symmetric) GTEST_SKIP() << "not symmetric";
    if (p == preconditioner::jacobi && !has_full_diagonal(a))
      GTEST_SKIP() << "zeros on the diagonal";
    const judged_system<T> s = judged<T>(a);
    // What is left to rounding: in f32 ill-conditioned systems stop where they can.
    const double rtol = sizeof(T) == 8 ? 1e-9 : 2e-4;
    std::map<std::tuple<std::string, int, int, int>, std::vector<T>> bits;
    for (const std::string& executor : place::executors())
      for (const cut& how : place::few_cuts()) {
        SCOPED_TRACE(
            fmt::format("{} of {} under {}, {}", method, of.name, executor, describe(how)));
        solve_options o = with(executor, how, rtol, p);
        ask(o, method);
        o.restart = 250;  // short cycles stagnate with indefinite matrices
        const solution<T> got = run(s.system, o);
        const solve_report& r = got.report;
        // Residuals of indefinite matrices jump beyond the digits of f32: it must say so.
        if (sizeof(T) == 4 && r.method == "bicgstab" && r.stopped == stop_reason::breakdown) {
          EXPECT_EQ(of.name, std::string("helmholtz"));
          EXPECT_NE(r.advice.find("f64"), std::string::npos);
          continue;
        }
        ASSERT_EQ(r.stopped, stop_reason::converged) << r.residual_relative_recursive;
        EXPECT_EQ(r.method, o.method);
        EXPECT_EQ(r.executor, executor);
        const double residual = residual_norm(s.system.a.view(), std::span<const T>(s.system.b),
                                              std::span<const T>(got.x)) /
                                norm2(widen(std::span<const T>(s.system.b)));
        EXPECT_NEAR(r.residual_relative_true, residual, 1e-6 * rtol + 1e-3 * residual);
        EXPECT_LE(residual, sizeof(T) == 8 ? 20 * rtol : 100 * rtol);
        if (sizeof(T) == 8) {
          double apart = 0, size = 0;
          for (std::size_t i = 0; i < s.x.size(); ++i) {
            apart += std::pow(static_cast<double>(got.x[i]) - s.x[i], 2);
            size += s.x[i] * s.x[i];
          }
          EXPECT_LE(std::sqrt(apart / size), 1e-4);
        }
        const auto [first, is_first] =
            bits.try_emplace({place::family(executor), how.teams, how.config, r.lanes}, got.x);
        if (!is_first) {
          EXPECT_TRUE(same_bits(first->second, got.x)) << "other bits than the same cut before";
        }
        if (HasFatalFailure()) return;
      }
  }
};

TEST_P(methods_of, f64) { solve_everywhere<double>(preconditioner::none); }
TEST_P(methods_of, f64_jacobi) { solve_everywhere<double>(preconditioner::jacobi); }
TEST_P(methods_of, f32) { solve_everywhere<float>(preconditioner::none); }

INSTANTIATE_TEST_SUITE_P(
    problems, methods_of,
    testing::Combine(testing::Values("minres", "bicgstab", "bicgstab/pipelined", "gmres"),
                     testing::Range(0, static_cast<int>(problems().size()))),
    [](const auto& info) {
      std::string method = std::get<0>(info.param);
      std::replace(method.begin(), method.end(), '/', '_');
      return method + "_" + problems()[static_cast<std::size_t>(std::get<1>(info.param))].name;
    });

TEST_F(methods_here, take_about_the_iterations_of_eigen) {
  for (const problem& of : problems()) {
    SCOPED_TRACE(of.name);
    const auto s = system_of(of.build());
    if (s.a.rows == 1) continue;
    if (of.symmetric) {
      const int theirs = eigen_iterations("minres", s.a, s.b, 1e-8, 5000);
      EXPECT_GT(theirs, 0);
      const auto got = run(s, by("minres"));
      EXPECT_NEAR(got.report.iterations, theirs, 0.03 * theirs + 3);
    }
    const int theirs = eigen_iterations("bicgstab", s.a, s.b, 1e-8, 5000);
    EXPECT_GT(theirs, 0);
    for (const char* variant : {"textbook", "pipelined"}) {
      solve_options o = by("bicgstab");
      o.variant = variant;
      const auto got = run(s, o);
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      EXPECT_EQ(got.report.variant, variant);
      // Rounding decides much of its count; half of it is the residual's jumps.
      EXPECT_LE(got.report.iterations, 1.5 * theirs + 10);
    }
    for (const int restart : {20, 400}) {
      solve_options o = by("gmres");
      o.restart = restart;
      o.max_iterations = 5000;
      const auto found = run(s, o);
      if (found.report.stopped != stop_reason::converged) {  // nor does theirs
        EXPECT_EQ(restart, 20);
        EXPECT_EQ(eigen_iterations("gmres", s.a, s.b, 1e-8, found.report.iterations, restart), -1);
        continue;
      }
      EXPECT_NEAR(found.report.iterations, eigen_iterations("gmres", s.a, s.b, 1e-8, 5000, restart),
                  0.05 * found.report.iterations + restart / 20.0);
    }
  }
}

TEST_F(methods_here, record_each_residual_from_the_start_on) {
  for (const char* method : {"minres", "bicgstab", "bicgstab/pipelined", "gmres"})
    for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
      SCOPED_TRACE(fmt::format("{}, {}", method, to_string(p)));
      const auto s = system_of(generate("helmholtz2d:31x23:1.2"));
      solve_options o = by("");
      ask(o, method);
      o.preconditioner = p;
      o.history = true;
      o.restart = 200;
      const auto start = random_vector(s.a.rows, 8);
      const auto got = run(s, o, start);
      const auto& h = got.report.history;
      ASSERT_EQ(h.size(), static_cast<std::size_t>(got.report.iterations) + 1);
      const double first =
          residual_norm(s.a.view(), std::span<const double>(s.b), std::span<const double>(start));
      EXPECT_NEAR(h.front(), first, 1e-9 * first);
      EXPECT_NEAR(h.back() / norm2(s.b), got.report.residual_relative_recursive, 1e-12);
      EXPECT_FALSE(got.report.residuals_disagree);
      if (method == std::string("gmres") ||
          (method == std::string("minres") && p == preconditioner::none))
        for (std::size_t k = 1; k < h.size(); ++k) {
          EXPECT_LE(h[k], h[k - 1] * (1 + 1e-12));
        }
      EXPECT_EQ(got.report.condition_estimate, 0) << "their coefficients show no spectrum";
    }
}

TEST_F(methods_here, stop_as_asked) {
  const auto s = system_of(generate("helmholtz2d:31x23:1.2"));
  for (const char* method : {"minres", "bicgstab", "bicgstab/pipelined", "gmres"})
    for (const std::string& executor : place::executors()) {
      SCOPED_TRACE(fmt::format("{} under {}", method, executor));
      solve_options o = by("");
      ask(o, method);
      o.executor = executor;
      o.max_iterations = 7;
      EXPECT_EQ(run(s, o).report.stopped, stop_reason::iteration_limit);
      EXPECT_EQ(run(s, o).report.iterations, 7);
      o.max_iterations = 0;
      EXPECT_EQ(run(s, o).report.iterations, 0);
      o.max_iterations = 3000;
      o.fixed_iterations = true;
      EXPECT_EQ(run(s, o).report.iterations, 3000) << "far past convergence";
      o.fixed_iterations = false;
      std::atomic<bool> now = true;
      o.interrupt = &now;
      EXPECT_EQ(run(s, o).report.stopped, stop_reason::interrupted);
      o.interrupt = nullptr;
      auto zero = s;
      zero.b.assign(zero.b.size(), 0.0);
      const auto got = run(zero, o);
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      EXPECT_EQ(got.report.iterations, 0);
    }
}

TEST_F(methods_here, break_down_by_name) {
  solve_options pipelined = by("bicgstab");
  pipelined.variant = "pipelined";
  // (r, A r) = 0 for every r.
  const csr<double> turn{2, 2, {0, 1, 2}, {1, 0}, {1.0, -1.0}};
  const linear_system<double> s{"", turn, {1.0, 2.0}};
  EXPECT_EQ(run(s, by("bicgstab")).report.stopped, stop_reason::breakdown);
  EXPECT_EQ(run(s, pipelined).report.stopped, stop_reason::breakdown);
  // No x has A x = b, and none brings b nearer.
  const csr<double> flat{3, 3, {0, 1, 2, 3}, {0, 1, 2}, {0.0, 0.0, 0.0}};
  const linear_system<double> t{"", flat, {1.0, 1.0, 0.0}};
  EXPECT_EQ(run(t, by("minres")).report.stopped, stop_reason::breakdown);
  EXPECT_EQ(run(t, by("bicgstab")).report.stopped, stop_reason::breakdown);
  EXPECT_EQ(run(t, pipelined).report.stopped, stop_reason::breakdown);
  EXPECT_EQ(run(t, by("gmres")).report.stopped, stop_reason::breakdown);
  EXPECT_EQ(run(s, by("gmres")).report.stopped, stop_reason::converged) << "two steps are all";
  EXPECT_EQ(run(s, by("gmres")).report.iterations, 2);
  // The shadow vector loses the residual at the second step: it is replaced.
  const csr<double> swap{3, 3, {0, 2, 4, 5}, {0, 1, 0, 1, 2}, {1.0, 2.0, -2.0, 1.0, 3.0}};
  const linear_system<double> u{"", swap, {1.0, 0.0, 1.0}};
  EXPECT_EQ(run(u, by("bicgstab")).report.stopped, stop_reason::converged);
  EXPECT_EQ(run(u, pipelined).report.stopped, stop_reason::converged);
}

TEST_F(methods_here, of_a_singular_consistent_system) {
  // Neumann: row sums of zero, and a right-hand side without a constant part.
  csr<double> a = generate("poisson2d:20x20");
  for (index i = 0; i < a.rows; ++i) {
    double sum = 0;
    std::size_t diagonal = 0;
    for (auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
         k < static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i) + 1]); ++k)
      if (a.col[k] == i)
        diagonal = k;
      else
        sum -= a.val[k];
    a.val[diagonal] = sum;
  }
  linear_system<double> s = system_of(a);
  double mean = 0;
  for (const double v : s.b) mean += v / a.rows;
  for (double& v : s.b) v -= mean;
  const auto got = run(s, by("minres"));
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_LT(got.report.residual_relative_true, 2e-8);
}

TEST_F(methods_here, restart_as_asked) {
  const auto s = system_of(generate("convection2d:40x30:20"));
  int before = std::numeric_limits<int>::max();
  for (const int restart : {5, 20, 120}) {
    solve_options o = by("gmres");
    o.restart = restart;
    const auto got = run(s, o);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_LT(got.report.iterations, before);
    EXPECT_FALSE(got.report.residuals_disagree);
    before = got.report.iterations;
  }
  // More basis vectors than rows are not made.
  const auto small = system_of(generate("poisson2d:3x3"));
  EXPECT_EQ(run(small, by("gmres")).report.stopped, stop_reason::converged);
}

TEST_F(methods_here, take_other_values_of_the_pattern) {
  const csr<double> a = generate("convection2d:25x20:10"),
                    other = generate("convection2d:25x20:90");
  const auto s = system_of(other);
  solve_options o = by("bicgstab");
  o.preconditioner = preconditioner::jacobi;
  linear_solver<double> solver(place::where(), a.view(), o);
  solver.update_values(std::span<const double>(other.val));
  std::vector<double> x(s.b.size(), 0.0);
  EXPECT_EQ(solver.solve(std::span<const double>(s.b), std::span<double>(x)).stopped,
            stop_reason::converged);
  EXPECT_TRUE(same_bits(x, run(s, o).x));
}

}  // namespace
}  // namespace dwell::test
