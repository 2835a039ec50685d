// SPDX-License-Identifier: MIT
// Incomplete factors of complex matrices on a CPU: the factors beside plain loops, answers beside
// Eigen's dense solutions with the same bits from every executor, what does not change iterations,
// refusals.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstddef>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "cg_runner.hpp"
#include "complex_factors.hpp"
#include "complex_systems.hpp"
#include "dense.hpp"
#include "dwell/base/complex_value.hpp"
#include "dwell/base/error.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/linear/complex_solver.hpp"
#include "dwell/solvers/preconditioners/ilu0/ilu0.hpp"
#include "plain_options.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

using number = std::complex<double>;

template <class R>
struct ilu0_solution {
  solve_report report;
  std::vector<std::complex<R>> x;
};

template <class R>
ilu0_solution<R> run(const complex_system<R>& s, const solve_options& o) {
  ilu0_solution<R> got;
  got.x.resize(s.b.size());
  got.report = solve(place::where(), s.a.view(), std::span<const std::complex<R>>(s.b),
                     std::span<std::complex<R>>(got.x), o);
  return got;
}

solve_options by(const std::string& method, double rtol = 1e-10) {
  solve_options o;
  o.method = method;
  o.preconditioner = preconditioner::ilu0;
  o.rtol = rtol;
  return o;
}

std::size_t at(index i) { return static_cast<std::size_t>(i); }

// The first iteration of GMRES goes along what the factors make of b.
TEST(ilu0_complex, has_the_factors_of_plain_loops) {
  unsigned seed = 40;
  for (const index n : {1, 2, 5, 31, 33, 64, 90}) {
    const auto a = random_complex(n, ++seed, false);
    const auto b = random_numbers(n, seed);
    solve_options o = by("gmres");
    o.max_iterations = 1;
    o.fixed_iterations = true;
    const auto got = run(in_precision<double>(a, b), o).x;
    EXPECT_LE(apart_but_for_a_factor(got, by_plain_factors(a, b)), 1e-5) << n;
  }
}

/// Elements on the diagonal and beside it: nothing is left out of the factors.
csr<number> tridiagonal(index n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  complex_entries entries;
  for (index i = 0; i < n; ++i)
    for (index j = std::max(0, i - 1); j <= std::min(n - 1, i + 1); ++j) {
      const double re = part(random);
      entries[{i, j}] = number(re, part(random)) + (i == j ? std::polar(3.0, re) : number(0.0));
    }
  return rows_of(n, entries);
}

TEST(ilu0_complex, solves_at_once_where_the_factors_are_complete) {
  for (const std::string method : {"bicgstab", "gmres"})
    for (const index n : {40, 3000}) {
      const auto s = in_precision<double>(tridiagonal(n, 3), random_numbers(n, 4));
      solve_options o = by(method, 1e-6);
      const auto got = run(s, o);
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      // In f32, and of colours in place of levels the pattern is that of another order.
      EXPECT_LE(got.report.iterations, n == 40 ? 2 : 12) << method;
      o.preconditioner = preconditioner::none;
      EXPECT_GT(run(s, o).report.iterations, 2 * got.report.iterations) << method;
    }
}

class ilu0_complex_methods : public testing::TestWithParam<std::string> {
 protected:
  template <class R>
  void solve_everywhere() {
    const double rtol = sizeof(R) == 8 ? 1e-10 : 1e-5;
    unsigned seed = 60;
    for (const index n : {1, 2, 31, 33, 130, 400}) {
      const auto a = random_complex(n, ++seed, false);
      const auto b = random_numbers(n, seed);
      const auto s = in_precision<R>(a, b);
      const auto direct = solve_complex(a, b);
      std::map<std::tuple<std::string, int, int, int>, std::vector<std::complex<R>>> bits;
      for (const std::string& executor : place::executors())
        for (const cut& how : place::few_cuts()) {
          SCOPED_TRACE(fmt::format("{} rows under {}, {}", n, executor, describe(how)));
          solve_options o = with(executor, how, rtol, preconditioner::ilu0);
          o.method = GetParam();
          const auto got = run(s, o);
          ASSERT_EQ(got.report.stopped, stop_reason::converged) << got.report.advice;
          EXPECT_EQ(got.report.preconditioner, preconditioner::ilu0);
          EXPECT_LE(plain_residual(s, std::span<const std::complex<R>>(got.x)), 20 * rtol);
          ASSERT_LE(apart(got.x, direct), sizeof(R) == 8 ? 1e-7 : 1e-2);
          const auto [first, is_first] = bits.try_emplace(
              {place::family(executor), how.teams, how.config, got.report.lanes}, got.x);
          if (!is_first) {
            EXPECT_TRUE(same_bits(first->second, got.x)) << "other bits of the same cut";
          }
        }
    }
  }
};

TEST_P(ilu0_complex_methods, f64) { solve_everywhere<double>(); }
TEST_P(ilu0_complex_methods, f32) { solve_everywhere<float>(); }

// Rows turned by angles of their own turn L's and b's: what GMRES and Bi-CGSTAB see does not
// change but for these.
TEST_P(ilu0_complex_methods, do_not_see_angles_of_rows) {
  const auto a = random_complex(250, 80, false);
  const auto b = random_numbers(250, 81), angles = random_numbers(250, 82);
  auto turned = a;
  auto rhs = b;
  for (index i = 0; i < a.rows; ++i) {
    const number turn = angles[at(i)] / std::abs(angles[at(i)]);
    for (index k = a.row_ptr[at(i)]; k < a.row_ptr[at(i) + 1]; ++k) turned.val[at(k)] *= turn;
    rhs[at(i)] *= turn;
  }
  const auto plain = run(in_precision<double>(a, b), by(GetParam()));
  const auto got = run(in_precision<double>(turned, rhs), by(GetParam()));
  EXPECT_NEAR(got.report.iterations, plain.report.iterations, 1);
  EXPECT_LE(apart(got.x, plain.x), 1e-8);
}

TEST_P(ilu0_complex_methods, take_the_iterations_of_a_real_solve_where_numbers_are_real) {
  auto a = random_complex(300, 83, false);
  csr<double> real{a.rows, a.cols, a.row_ptr, a.col, {}};
  for (number& v : a.val) v = std::abs(v), real.val.push_back(v.real());
  auto b = random_numbers(300, 84);
  std::vector<double> real_b, real_x(300);
  for (number& v : b) v = v.real(), real_b.push_back(v.real());
  const auto got = run(in_precision<double>(a, b), by(GetParam()));
  const auto r = solve(place::where(), real.view(), std::span<const double>(real_b),
                       std::span<double>(real_x), by(GetParam()));
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_NEAR(got.report.iterations, r.iterations, 1);
  for (std::size_t i = 0; i < real_x.size(); ++i) {
    EXPECT_NEAR(got.x[i].real(), real_x[i], 1e-7);
    EXPECT_EQ(got.x[i].imag(), 0.0);
  }
}

TEST_P(ilu0_complex_methods, take_fewer_iterations_than_jacobi) {
  const auto s = in_precision<double>(absorbing_helmholtz(30, 0.2), random_numbers(900, 85));
  solve_options o = by(GetParam(), 1e-8);
  o.restart = 100;
  const auto factors = run(s, o);
  o.preconditioner = preconditioner::jacobi;
  const auto jacobi = run(s, o);
  EXPECT_EQ(factors.report.stopped, stop_reason::converged);
  EXPECT_LT(2 * factors.report.iterations, jacobi.report.iterations);
}

TEST_P(ilu0_complex_methods, go_at_any_scale) {
  const auto a = random_complex(90, 86, false);
  const auto b = random_numbers(90, 87);
  const auto plain = run(in_precision<double>(a, b), by(GetParam()));
  for (const auto& [of_a, of_b] : {std::pair{300, -600}, {-400, 500}, {0, -900}}) {
    auto scaled = a;
    auto rhs = b;
    for (number& v : scaled.val) v = {std::ldexp(v.real(), of_a), std::ldexp(v.imag(), of_a)};
    for (number& v : rhs) v = {std::ldexp(v.real(), of_b), std::ldexp(v.imag(), of_b)};
    const auto got = run(in_precision<double>(scaled, rhs), by(GetParam()));
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_NEAR(got.report.iterations, plain.report.iterations, 1);
  }
}

TEST_P(ilu0_complex_methods, solve_again_with_the_same_factors) {
  const auto s = in_precision<double>(random_complex(200, 88, false), random_numbers(200, 89));
  complex_solver<double> solver(place::where(), s.a.view(), by(GetParam()));
  EXPECT_GT(solver.setup().preconditioner_s, 0.0);
  std::vector<number> x(200), again(200);
  const auto first = solver.solve(s.b, x);
  EXPECT_EQ(solver.solve(s.b, again).iterations, first.iterations);
  EXPECT_TRUE(same_bits(x, again));
}

INSTANTIATE_TEST_SUITE_P(all, ilu0_complex_methods, testing::Values("bicgstab", "gmres"),
                         [](const auto& info) { return info.param; });

TEST(ilu0_complex, says_what_it_does_not_take) {
  const auto said = [](const csr<number>& a, const solve_options& o) {
    const auto b = random_numbers(a.rows, 1);
    std::vector<number> x(b.size());
    return refusal<error>([&] {
      solve(device::cpu(1), a.view(), std::span<const number>(b), std::span<number>(x), o);
    });
  };
  const auto expect_said = [](const std::string& found, const std::string& words) {
    EXPECT_NE(found.find(words), std::string::npos) << found;
  };
  const auto a = random_complex(30, 90, false);
  EXPECT_EQ(said(a, by("auto")), "accepted");
  expect_said(said(random_complex(30, 90, true), by("cg")),
              "preconditioner ilu0: expected method bicgstab or gmres, for it is not symmetric");
  solve_options o = by("bicgstab");
  o.variant = "textbook";
  expect_said(said(a, o), "preconditioner ilu0: expected variant auto, found textbook");
  const csr<number> without{2, 2, {0, 1, 3}, {1, 0, 1}, {1.0, 1.0, 1.0}};
  expect_said(said(without, by("gmres")), "expected a diagonal without zeros for preconditioner");
  // (1, i; -i, 1) is singular: its second pivot vanishes.
  const csr<number> singular{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1.0, {0, 1}, {0, -1}, 1.0}};
  expect_said(said(singular, by("gmres")), "found pivot 0+0i in row 2");
  const csr<number> wide{2, 2, {0, 2, 4}, {0, 1, 0, 1}, {{0, 1e40}, 1.0, 1.0, 2.0}};
  expect_said(said(wide, by("gmres")), "whose sizes differ by at most 2^100, found 2^");
}

// Rows of parts count two positions for each element.
TEST(ilu0_complex, says_how_many_elements_it_takes) {
  csr_arrays<complex_value<double>> a;
  a.rows = a.cols = 1;
  a.nonzeros = 1 << 30;
  EXPECT_EQ(refusal<unsupported_error>([&] { ilu0_preconditioner(device::cpu(1), a, {}); }),
            "ilu0: expected at most 1073741823 elements of a complex matrix, found 1073741824");
}

/// Waves along lines, hardly damped and hardly coupled: jacobi rests, and the factors of a line
/// leave nothing out. The lines lie beside each other, so that many rows make a level.
csr<number> waves_on_lines(index lines, index length) {
  complex_entries entries;
  for (index i = 0; i < lines * length; ++i) {
    entries[{i, i}] = number(2.0 - 0.04, 1e-3);
    if (i >= lines) entries[{i, i - lines}] = -1.0;
    if (i + lines < lines * length) entries[{i, i + lines}] = -1.0;
    if (i % lines > 0) entries[{i, i - 1}] = number(0.0, 1e-5);
  }
  return rows_of(lines * length, entries);
}

TEST(ilu0_complex, follows_jacobi_that_rests_where_the_choice_is_open) {
  const index n = 64 * 80;
  const auto a = waves_on_lines(64, 80);
  const auto s = in_precision<double>(a, random_numbers(n, 71));
  for (const std::string method : {"auto", "bicgstab", "gmres"}) {
    SCOPED_TRACE(method);
    solve_options o = by(method, 1e-8);
    o.preconditioner = preconditioner::automatic;
    o.teams = 1;
    complex_solver<double> solver(place::where(), s.a.view(), o);
    std::vector<number> x[2];
    for (auto& one : x) {  // the second solve begins as the first did
      one.assign(s.b.size(), number(0.0));
      const auto r = solver.solve(std::span<const number>(s.b), std::span<number>(one));
      EXPECT_EQ(r.stopped, stop_reason::converged);
      EXPECT_FALSE(r.target_missed);
      EXPECT_EQ(r.method, method == "gmres" ? "gmres" : "bicgstab");
      EXPECT_EQ(r.preconditioner, preconditioner::ilu0);
      EXPECT_NE(r.preconditioner_reason.find("with jacobi stagnated"), std::string::npos)
          << r.preconditioner_reason;
      ASSERT_GE(r.attempts.size(), 2U);
      EXPECT_EQ(r.attempts[0].preconditioner, preconditioner::jacobi);
      EXPECT_EQ(r.attempts[0].ended, r.preconditioner_reason);
      EXPECT_LT(r.attempts[0].iterations, 600);
      EXPECT_LT(r.attempts[1].iterations, 60);
      double moved = 0;
      for (const solve_attempt& one : r.attempts) {
        solve_options alone = by(one.method, 1e-8);
        alone.preconditioner = one.preconditioner;
        alone.teams = 1;
        alone.max_iterations = 1;
        moved += one.iterations * double(run(s, alone).report.bytes_per_iteration);
      }
      EXPECT_NEAR(double(r.bytes_per_iteration), moved / r.iterations, 1.0);
    }
    EXPECT_TRUE(same_bits(x[0], x[1]));
  }
  // What was asked for is kept, also by a matrix that is Hermitian and has cg.
  solve_options o = by("bicgstab", 1e-8);
  o.preconditioner = preconditioner::jacobi;
  o.max_iterations = 700;
  auto report = run(s, o).report;
  EXPECT_EQ(report.preconditioner, preconditioner::jacobi);
  EXPECT_EQ(report.iterations, 700);
  o.preconditioner = preconditioner::automatic;  // so is the form, which factors do not have
  o.variant = "textbook";
  report = run(s, o).report;
  EXPECT_EQ(report.preconditioner, preconditioner::jacobi);
  EXPECT_EQ(report.variant, "textbook");
  o = by("auto");
  o.preconditioner = preconditioner::automatic;
  report =
      run(in_precision<double>(random_complex(200, 8, true), random_numbers(200, 9)), o).report;
  EXPECT_EQ(report.method, "cg");
  EXPECT_EQ(report.preconditioner, preconditioner::jacobi);
}

TEST(ilu0_complex, follows_jacobi_that_breaks_down) {
  const auto s = pairs_that_turn(160, 72);
  solve_options o = by("auto", 1e-8);
  o.preconditioner = preconditioner::automatic;
  const auto got = run(s, o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  ASSERT_GE(got.report.attempts.size(), 2U);
  EXPECT_NE(got.report.attempts[0].ended.find("broke down"), std::string::npos)
      << got.report.attempts[0].ended;
  EXPECT_EQ(got.report.attempts[1].preconditioner, preconditioner::ilu0);
}

}  // namespace
}  // namespace dwell::test
