// SPDX-License-Identifier: MIT
// Systems with complex numbers: answers beside Eigen's dense solutions, the same bits from every
// executor, what conjugation decides, the choice of a method, ends. Linked again into the tests of
// a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <complex>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "cg_runner.hpp"
#include "complex_systems.hpp"
#include "dense.hpp"
#include "dwell/linear/complex_solver.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

using number = std::complex<double>;

template <class R>
struct complex_solution {
  solve_report report;
  std::vector<std::complex<R>> x;
};

template <class R>
complex_solution<R> run(const complex_system<R>& s, const solve_options& o,
                        std::vector<std::complex<R>> x0 = {}) {
  complex_solution<R> got{{}, std::move(x0)};
  got.x.resize(s.b.size());
  got.report = solve(place::where(), s.a.view(), std::span<const std::complex<R>>(s.b),
                     std::span<std::complex<R>>(got.x), o);
  return got;
}

template <class V>
bool equal_bits(const std::vector<V>& a, const std::vector<V>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(V)) == 0;
}

solve_options by(const std::string& method, double rtol = 1e-10) {
  solve_options o = plain_options();
  o.method = method;
  o.rtol = rtol;
  return o;
}

class complex_here : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

class complex_methods : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  template <class R>
  void solve_everywhere(preconditioner p) {
    const std::string method = GetParam();
    const double rtol = sizeof(R) == 8 ? 1e-10 : 1e-5;
    unsigned seed = 1;
    for (const index n : {1, 2, 3, 31, 32, 33, 130, 257, 400}) {
      const auto a = random_complex(n, ++seed, method == "cg");
      const auto b = random_numbers(n, seed);
      const auto s = in_precision<R>(a, b);
      const auto direct = solve_complex(a, b);
      std::map<std::tuple<std::string, int, int, int>, std::vector<std::complex<R>>> bits;
      for (const std::string& executor : place::executors())
        for (const cut& how : place::few_cuts()) {
          SCOPED_TRACE(
              fmt::format("{} of {} rows under {}, {}", method, n, executor, describe(how)));
          solve_options o = with(executor, how, rtol, p);
          o.method = method;
          const auto got = run(s, o);
          const solve_report& r = got.report;
          ASSERT_EQ(r.stopped, stop_reason::converged) << r.advice;
          EXPECT_EQ(r.method, method);
          EXPECT_EQ(r.executor, executor);
          EXPECT_EQ(r.precision, sizeof(R) == 8 ? "complex f64" : "complex f32");
          const double residual = plain_residual(s, std::span<const std::complex<R>>(got.x));
          EXPECT_NEAR(r.residual_relative_true, residual, 1e-13 + 1e-3 * residual);
          EXPECT_LE(residual, 20 * rtol);
          ASSERT_LE(apart(got.x, direct), sizeof(R) == 8 ? 1e-7 : 1e-2);
          const auto [first, is_first] =
              bits.try_emplace({place::family(executor), how.teams, how.config, r.lanes}, got.x);
          if (!is_first) {
            EXPECT_TRUE(equal_bits(first->second, got.x)) << "other bits of the same cut";
          }
        }
    }
  }
};

TEST_P(complex_methods, f64) { solve_everywhere<double>(preconditioner::none); }
TEST_P(complex_methods, f64_jacobi) { solve_everywhere<double>(preconditioner::jacobi); }
TEST_P(complex_methods, f32) { solve_everywhere<float>(preconditioner::none); }
TEST_P(complex_methods, f32_jacobi) { solve_everywhere<float>(preconditioner::jacobi); }

// A solver that conjugates the matrix, or takes the transpose for it, solves another system.
TEST_P(complex_methods, tell_a_matrix_from_its_conjugate) {
  const auto a = random_complex(120, 77, GetParam() == "cg");
  const auto b = random_numbers(120, 78);
  auto conjugate = a;
  for (number& v : conjugate.val) v = std::conj(v);
  const auto direct = solve_complex(a, b), other = solve_complex(conjugate, b);
  ASSERT_GT(apart(other, direct), 0.1);
  for (const std::string& executor : place::executors()) {
    solve_options o = by(GetParam());
    o.executor = executor;
    EXPECT_LE(apart(run(in_precision<double>(a, b), o).x, direct), 1e-7);
    EXPECT_LE(apart(run(in_precision<double>(conjugate, b), o).x, other), 1e-7);
  }
}

// The numbers of a system whose elements are all turned by one angle, or whose right-hand side is,
// are turned too: sums that lack a conjugation are not.
TEST_P(complex_methods, do_not_depend_on_a_common_angle) {
  const auto a = random_complex(150, 5, GetParam() == "cg");
  const auto b = random_numbers(150, 6);
  const auto plain = run(in_precision<double>(a, b), by(GetParam()));
  const number turn = std::polar(1.0, 0.7);
  auto turned = b;
  for (number& v : turned) v *= turn;
  const auto got = run(in_precision<double>(a, turned), by(GetParam()));
  EXPECT_NEAR(got.report.iterations, plain.report.iterations, 1);
  auto expected = plain.x;
  for (number& v : expected) v *= turn;
  EXPECT_LE(apart(got.x, expected), 1e-8);
  if (GetParam() == "cg") return;
  auto angled = a;
  for (number& v : angled.val) v *= turn;
  EXPECT_NEAR(run(in_precision<double>(angled, b), by(GetParam())).report.iterations,
              plain.report.iterations, 1);
}

TEST_P(complex_methods, take_the_iterations_of_a_real_solve_where_numbers_are_real) {
  auto a = random_complex(300, 9, true);
  csr<double> real{a.rows, a.cols, a.row_ptr, a.col, {}};
  for (number& v : a.val) v = v.real(), real.val.push_back(v.real());
  auto b = random_numbers(300, 10);
  std::vector<double> real_b, real_x(300);
  for (number& v : b) v = v.real(), real_b.push_back(v.real());
  const auto got = run(in_precision<double>(a, b), by(GetParam()));
  solve_options o = by(GetParam());
  o.variant = "textbook";
  const auto r = solve(place::where(), real.view(), std::span<const double>(real_b),
                       std::span<double>(real_x), o);
  EXPECT_NEAR(got.report.iterations, r.iterations, 1);
  for (std::size_t i = 0; i < real_x.size(); ++i) {
    EXPECT_NEAR(got.x[i].real(), real_x[i], 1e-8);
    EXPECT_EQ(got.x[i].imag(), 0.0);
  }
}

TEST_P(complex_methods, go_at_any_scale) {
  const auto a = random_complex(90, 11, GetParam() == "cg");
  const auto b = random_numbers(90, 12);
  const auto plain = run(in_precision<double>(a, b), by(GetParam()));
  for (const auto& [of_a, of_b] : {std::pair{300, -600}, {-400, 500}, {0, -900}}) {
    auto scaled = a;
    auto rhs = b;
    for (number& v : scaled.val) v = {std::ldexp(v.real(), of_a), std::ldexp(v.imag(), of_a)};
    for (number& v : rhs) v = {std::ldexp(v.real(), of_b), std::ldexp(v.imag(), of_b)};
    const auto got = run(in_precision<double>(scaled, rhs), by(GetParam()));
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_EQ(got.report.iterations, plain.report.iterations);
    for (std::size_t i = 0; i < got.x.size(); ++i) {
      const number unscaled(std::ldexp(got.x[i].real(), of_a - of_b),
                            std::ldexp(got.x[i].imag(), of_a - of_b));
      if (std::isnormal(got.x[i].real()) && std::isnormal(got.x[i].imag())) {
        EXPECT_LE(std::abs(unscaled - plain.x[i]), 1e-12);
      }
    }
  }
}

TEST_P(complex_methods, say_so_where_a_row_is_lost_beside_others) {
  // Diagonals, and b the row sums: the answer is 1 in every element.
  std::mt19937 random(24);
  int lost = 0, solved = 0;
  for (int k = 0; k < 60; ++k) {
    const auto n = static_cast<index>(2 + random() % 6);
    const double most = k % 2 ? 300 : 3;
    complex_entries entries;
    std::vector<number> b;
    for (index i = 0; i < n; ++i) {
      const double size =
          std::pow(10.0, std::uniform_real_distribution<double>(-most, most)(random));
      entries[{i, i}] = GetParam() == "cg" ? number(size) : number(0, size);
      b.push_back(entries[{i, i}]);
    }
    const auto got = run(in_precision<double>(rows_of(n, entries), b), by(GetParam()));
    SCOPED_TRACE(k);
    double error = 0, largest = 0;
    for (const number& x : got.x) {
      error = std::max(error, std::abs(x - 1.0) / (1 + std::abs(x)));
      largest = std::max(largest, std::abs(x));
    }
    const solve_report& r = got.report;
    EXPECT_NEAR(r.componentwise_backward_error, error, 1e-6 * error + 4e-15);
    if (r.stopped == stop_reason::converged && !r.target_missed && largest < 2) {
      EXPECT_EQ(r.rows_missed, error > 0.05) << error;
    }
    error < 1e-6 ? ++solved : ++lost;
  }
  EXPECT_GT(solved, 5);
  EXPECT_GT(lost, 5);
}

TEST_P(complex_methods, solve_again_and_from_an_answer) {
  const auto a = random_complex(200, 13, GetParam() == "cg");
  const auto s = in_precision<double>(a, random_numbers(200, 14));
  solve_options o = by(GetParam());
  o.history = true;
  complex_solver<double> solver(place::where(), s.a.view(), o);
  EXPECT_EQ(solver.rows(), 200);
  EXPECT_EQ(solver.nonzeros(), a.nonzeros());
  std::vector<number> x(200), again(200);
  const auto first = solver.solve(s.b, x);
  ASSERT_EQ(static_cast<int>(first.history.size()), first.iterations + 1);
  EXPECT_NEAR(first.history.front(), first.rhs_norm, 1e-12 * first.rhs_norm);
  EXPECT_LE(first.history.back(), 1e-10 * first.rhs_norm);
  EXPECT_EQ(solver.solve(s.b, again).iterations, first.iterations);
  EXPECT_TRUE(equal_bits(x, again));
  EXPECT_EQ(solver.solve(s.b, again).iterations, 0) << "the start is the answer";
  EXPECT_TRUE(equal_bits(x, again));
  solver.set_tolerances(1e-3);
  std::fill(again.begin(), again.end(), number(0.0));
  EXPECT_LT(solver.solve(s.b, again).iterations, first.iterations);
}

TEST_P(complex_methods, of_a_zero_right_hand_side_have_zeros_from_any_start) {
  for (const index n : {1, 5, 64, 300})
    for (const preconditioner p : {preconditioner::none, preconditioner::jacobi}) {
      SCOPED_TRACE(fmt::format("{} rows, {}", n, to_string(p)));
      const auto a = random_complex(n, 40 + unsigned(n), GetParam() == "cg");
      const std::vector<number> zero(static_cast<std::size_t>(n));
      const auto s = in_precision<double>(a, zero);
      solve_options o = by(GetParam());
      o.preconditioner = p;
      const auto got = run(s, o, random_numbers(n, 41));
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      EXPECT_EQ(got.report.iterations, 0);
      EXPECT_FALSE(got.report.target_missed);
      EXPECT_EQ(got.report.residual_relative_true, 0.0);
      EXPECT_EQ(got.report.advice, "");
      EXPECT_TRUE(equal_bits(got.x, zero));
    }
}

TEST_P(complex_methods, end_where_they_are_told_to) {
  const auto a = random_complex(300, 15, GetParam() == "cg", 1e-4);
  const auto s = in_precision<double>(a, random_numbers(300, 16));
  solve_options o = by(GetParam(), 1e-13);
  o.max_iterations = 4;
  const auto limited = run(s, o);
  EXPECT_EQ(limited.report.stopped, stop_reason::iteration_limit);
  EXPECT_EQ(limited.report.iterations, 4);
  EXPECT_NE(limited.report.advice.find("more iterations"), std::string::npos);
  std::atomic<bool> interrupt{true};
  o.max_iterations = 10000;
  o.interrupt = &interrupt;
  EXPECT_EQ(run(s, o).report.stopped, stop_reason::interrupted);
  o.interrupt = nullptr;
  std::vector<int> heard;
  o.progress = [&](const solve_progress& now) { heard.push_back(now.iteration); };
  o.progress_interval = 0;
  const auto told = run(s, o);
  ASSERT_GT(heard.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k) EXPECT_EQ(heard[k], static_cast<int>(k));
  o = by(GetParam());
  o.fixed_iterations = true;
  o.max_iterations = 7;
  EXPECT_EQ(run(s, o).report.iterations, 7);
}

TEST_P(complex_methods, never_leave_an_answer_worse_than_the_start) {
  // Singular, and inconsistent: nothing converges.
  auto a = random_complex(60, 17, true);
  for (index k = a.row_ptr[30]; k < a.row_ptr[31]; ++k)
    a.val[static_cast<std::size_t>(k)] = a.col[static_cast<std::size_t>(k)] == 30 ? 1e-310 : 0.0;
  for (index i = 0; i < 60; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (i != 30 && a.col[static_cast<std::size_t>(k)] == 30)
        a.val[static_cast<std::size_t>(k)] = 0.0;
  const auto s = in_precision<double>(a, random_numbers(60, 18));
  const auto start = random_numbers(60, 19);
  const auto got = run(s, by(GetParam()), start);
  EXPECT_NE(got.report.stopped, stop_reason::converged);
  const double before = plain_residual(s, std::span<const number>(start));
  EXPECT_LE(plain_residual(s, std::span<const number>(got.x)), before * (1 + 1e-14));
}

INSTANTIATE_TEST_SUITE_P(all, complex_methods, testing::Values("cg", "bicgstab", "gmres"),
                         [](const auto& info) { return info.param; });

TEST_F(complex_here, methods_solve_helmholtz_with_an_absorbing_boundary) {
  const auto a = absorbing_helmholtz(20, 0.4);
  const auto b = random_numbers(400, 20);
  const auto direct = solve_complex(a, b);
  for (const std::string method : {"bicgstab", "gmres"}) {
    solve_options o = by(method, 1e-9);
    o.restart = 200;
    const auto got = run(in_precision<double>(a, b), o);
    EXPECT_EQ(got.report.stopped, stop_reason::converged) << method;
    EXPECT_LE(apart(got.x, direct), 1e-6) << method;
  }
}

TEST_F(complex_here, gmres_ends_after_as_many_steps_as_rows) {
  const auto a = absorbing_helmholtz(6, 1.1);
  const auto b = random_numbers(36, 21);
  solve_options o = by("gmres", 1e-12);
  o.restart = 36;
  const auto got = run(in_precision<double>(a, b), o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_LE(got.report.iterations, 37);
}

TEST_F(complex_here, gmres_says_that_a_matrix_is_singular) {
  const csr<number> a{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1.0, {0, 1}, {0, -1}, 1.0}};
  const std::vector<number> b = {{3, 4}, 1.0};
  const auto got = run(in_precision<double>(a, b), by("gmres"));
  EXPECT_EQ(got.report.stopped, stop_reason::breakdown);
  EXPECT_NE(got.report.advice.find("singular"), std::string::npos);
}

TEST_F(complex_here, auto_takes_the_method_that_the_matrix_allows) {
  solve_options o;
  o.method = "auto";
  const auto definite = random_complex(80, 22, true), general = random_complex(80, 23, false);
  auto report = run(in_precision<double>(definite, random_numbers(80, 24)), o).report;
  EXPECT_EQ(report.method, "cg");
  EXPECT_EQ(report.preconditioner, preconditioner::jacobi);
  EXPECT_NE(report.method_reason.find("Hermitian"), std::string::npos);
  report = run(in_precision<double>(general, random_numbers(80, 25)), o).report;
  EXPECT_EQ(report.method, "bicgstab");
  auto indefinite = definite;  // Hermitian, its diagonal positive
  for (index i = 0; i < 80; ++i)
    for (index k = indefinite.row_ptr[static_cast<std::size_t>(i)];
         k < indefinite.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (indefinite.col[static_cast<std::size_t>(k)] == i)
        indefinite.val[static_cast<std::size_t>(k)] *= 0.1;
  o.restart = 80;
  const auto s = in_precision<double>(indefinite, random_numbers(80, 26));
  const auto got = run(s, o);
  EXPECT_EQ(got.report.method, "gmres");
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  ASSERT_EQ(got.report.attempts.size(), 2U);
  EXPECT_EQ(got.report.attempts[0].method, "cg");
  EXPECT_LE(plain_residual(s, std::span<const number>(got.x)), 1e-8);
}

TEST_F(complex_here, a_matrix_that_was_taken_for_hermitian_is_named) {
  auto a = random_complex(100, 27, false);
  for (index i = 0; i < 100; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (a.col[static_cast<std::size_t>(k)] == i)
        a.val[static_cast<std::size_t>(k)] = std::abs(a.val[static_cast<std::size_t>(k)]) * 0.4;
  solve_options o = by("cg", 1e-12);
  o.assume_symmetric = true;
  o.max_iterations = 60;
  const auto got = run(in_precision<double>(a, random_numbers(100, 28)), o);
  ASSERT_NE(got.report.stopped, stop_reason::converged);
  EXPECT_NE(got.report.advice.find("not Hermitian"), std::string::npos) << got.report.advice;
}

TEST_F(complex_here, refinement_brings_the_true_residual_down) {
  const auto a = random_complex(300, 29, true, 1e-3);
  const auto s = in_precision<float>(a, random_numbers(300, 30));
  solve_options o = by("cg", 3e-7);
  const auto got = run(s, o);
  o.refine = false;
  const auto plain = run(s, o);
  EXPECT_LE(got.report.residual_relative_true, plain.report.residual_relative_true);
  if (got.report.stopped == stop_reason::converged) {
    EXPECT_LE(got.report.residual_relative_true, 3e-7);
  } else {
    EXPECT_EQ(got.report.stopped, stop_reason::accuracy_limit);
  }
}

}  // namespace
}  // namespace dwell::test
