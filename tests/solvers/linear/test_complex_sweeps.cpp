// SPDX-License-Identifier: MIT
// Incomplete factors of complex matrices by sweeps, as GPUs have them: beside plain loops, answers
// beside Eigen's dense solutions with the same bits from every executor, beside the same sweeps on
// one thread of the host and those of a real matrix, as what follows jacobi, and what they refuse.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "cg_runner.hpp"
#include "complex_factors.hpp"
#include "complex_systems.hpp"
#include "dense.hpp"
#include "dwell/base/error.hpp"
#include "dwell/linear/complex_solver.hpp"
#include "plain_options.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

using number = std::complex<double>;

struct solution {
  solve_report report;
  std::vector<number> x;
};
solution run(const device& where, const csr<number>& a, const std::vector<number>& b,
             const solve_options& o) {
  solution got;
  got.x.resize(b.size());
  got.report = solve(where, a.view(), std::span<const number>(b), std::span<number>(got.x), o);
  return got;
}

/// Sweeps over factors and substitutions.
solve_options by_sweeps(const std::string& method, int factors, int substitutions) {
  solve_options o = plain_options();
  o.method = method;
  o.preconditioner = preconditioner::ilu0;
  o.preconditioning.factor_sweeps = factors;
  o.preconditioning.sweeps = substitutions;
  o.rtol = 1e-10;
  return o;
}

class complex_sweeps : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

// Sweeps, if there are as many as rows, are the factorization itself, and so are the substitutions.
TEST_P(complex_sweeps, come_to_the_factors_of_plain_loops) {
  if (GetParam() != "gmres") GTEST_SKIP() << "the first iteration of gmres goes along M b";
  unsigned seed = 140;
  for (const index n : {1, 2, 5, 12, 17}) {
    const auto a = random_complex(n, ++seed, false);
    const auto b = random_numbers(n, seed);
    solve_options o = by_sweeps("gmres", 16, 16);
    o.max_iterations = 1;
    o.fixed_iterations = true;
    EXPECT_LE(apart_but_for_a_factor(run(place::where(), a, b, o).x, by_plain_factors(a, b)), 1e-5)
        << n;
  }
}

TEST_P(complex_sweeps, solve_under_every_executor) {
  unsigned seed = 160;
  for (const index n : {1, 2, 31, 33, 130, 400}) {
    const auto a = random_complex(n, ++seed, false);
    const auto b = random_numbers(n, seed);
    const auto direct = solve_complex(a, b);
    std::map<std::tuple<std::string, int, int, int>, std::vector<number>> bits;
    for (const std::string& executor : place::executors())
      for (const cut& how : place::few_cuts()) {
        SCOPED_TRACE(fmt::format("{} rows under {}, {}", n, executor, describe(how)));
        solve_options o = with(executor, how, 1e-10, preconditioner::ilu0);
        o.method = GetParam();
        o.preconditioning.factor_sweeps = 5;
        o.preconditioning.sweeps = 1 + static_cast<int>(seed % 4);
        const auto got = run(place::where(), a, b, o);
        ASSERT_EQ(got.report.stopped, stop_reason::converged) << got.report.advice;
        EXPECT_EQ(got.report.preconditioner, preconditioner::ilu0);
        ASSERT_LE(apart(got.x, direct), 1e-7);
        const auto [first, is_first] = bits.try_emplace(
            {place::family(executor), how.teams, how.config, got.report.lanes}, got.x);
        if (!is_first) {
          EXPECT_TRUE(same_bits(first->second, got.x)) << "other bits of the same cut";
        }
      }
  }
}

// But for what rounding decides, of Bi-CGSTAB more.
TEST_P(complex_sweeps, take_the_iterations_of_one_thread) {
  for (const unsigned seed : {180U, 181U, 182U}) {
    const auto a = absorbing_helmholtz(24, 0.1 * (seed - 179));
    const auto b = random_numbers(a.rows, seed);
    const solve_options o = by_sweeps(GetParam(), 5, 3);
    const auto here = run(place::where(), a, b, o), host = run(device::cpu(1), a, b, o);
    EXPECT_EQ(here.report.stopped, host.report.stopped);
    EXPECT_EQ(here.report.stopped, stop_reason::converged);
    EXPECT_NEAR(here.report.iterations, host.report.iterations,
                1 + host.report.iterations / (GetParam() == "gmres" ? 20 : 3));
    EXPECT_LE(apart(here.x, host.x), 1e-7);
  }
}

TEST_P(complex_sweeps, take_the_iterations_of_a_real_solve_where_numbers_are_real) {
  auto a = random_complex(300, 183, false);
  csr<double> real{a.rows, a.cols, a.row_ptr, a.col, {}};
  for (number& v : a.val) v = std::abs(v), real.val.push_back(v.real());
  auto b = random_numbers(300, 184);
  std::vector<double> real_b, real_x(300);
  for (number& v : b) v = v.real(), real_b.push_back(v.real());
  const solve_options o = by_sweeps(GetParam(), 5, 3);
  const auto got = run(place::where(), a, b, o);
  const auto r = solve(place::where(), real.view(), std::span<const double>(real_b),
                       std::span<double>(real_x), o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_NEAR(got.report.iterations, r.iterations, 1);
  for (std::size_t i = 0; i < real_x.size(); ++i) {
    EXPECT_NEAR(got.x[i].real(), real_x[i], 1e-7);
    EXPECT_EQ(got.x[i].imag(), 0.0);
  }
}

TEST_P(complex_sweeps, follow_jacobi_that_breaks_down) {
  const auto s = pairs_that_turn(160, 72);
  solve_options o = by_sweeps(GetParam(), 5, 3);
  o.rtol = 1e-8;
  o.preconditioner = preconditioner::automatic;
  const auto got = run(place::where(), s.a, s.b, o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  if (GetParam() != "bicgstab") return;  // gmres solves it with jacobi
  ASSERT_GE(got.report.attempts.size(), 2U);
  EXPECT_NE(got.report.attempts[0].ended.find("broke down"), std::string::npos)
      << got.report.attempts[0].ended;
  EXPECT_EQ(got.report.attempts[1].preconditioner, preconditioner::ilu0);
}

TEST_P(complex_sweeps, say_what_they_do_not_take) {
  const auto said = [](const csr<number>& a) {
    return refusal<input_error>(
        [&] { run(place::where(), a, random_numbers(a.rows, 1), by_sweeps(GetParam(), 2, 3)); });
  };
  // (1, i; -i, 1) is singular: its second pivot vanishes.
  EXPECT_EQ(said({2, 2, {0, 2, 4}, {0, 1, 0, 1}, {1.0, {0, 1}, {0, -1}, 1.0}}),
            "ilu0: expected finite factors with pivots other than zero, found pivot 0+0i in row 2 "
            "(counted from 1, the matrix scaled to a unit diagonal, after factor_sweeps = 2); "
            "another number of sweeps or preconditioner may do");
  const std::string wide = said({2, 2, {0, 2, 4}, {0, 1, 0, 1}, {{0, 1e40}, 1.0, 1.0, 2.0}});
  EXPECT_NE(wide.find("whose sizes differ by at most 2^100, found 2^"), std::string::npos) << wide;
}

INSTANTIATE_TEST_SUITE_P(all, complex_sweeps, testing::Values("bicgstab", "gmres"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace dwell::test
