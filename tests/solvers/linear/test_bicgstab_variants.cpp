// SPDX-License-Identifier: MIT
// The forms of Bi-CGSTAB: of random unsymmetric systems the answers of a direct solution, from runs
// that are longer than what lies between two replacements; true residuals as small as the
// textbook's; the names that are refused. Linked again into the tests of a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "method_problems.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

/// Convection and diffusion on a grid, both of random size, plus random couplings; dominance is
/// weak, so that solves take long.
csr<double> random_matrix(std::mt19937_64& draw) {
  const auto any = [&](int from, int to) { return std::uniform_int_distribution(from, to)(draw); };
  const int width = any(1, sanitized ? 14 : 34), height = any(1, sanitized ? 14 : 34);
  const double across = std::pow(10.0, any(-1, 2)), along = std::pow(10.0, any(-1, 2));
  std::vector<std::tuple<index, index, double>> all;
  const index n = width * height;
  std::vector<double> sum(static_cast<std::size_t>(n), 0.0);
  const auto couple = [&](index i, index j, double v) {
    all.emplace_back(i, j, v);
    sum[static_cast<std::size_t>(i)] += std::abs(v);
  };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const index i = y * width + x;
      if (x > 0) couple(i, i - 1, -1 - across);
      if (x + 1 < width) couple(i, i + 1, -1);
      if (y > 0) couple(i, i - width, -1);
      if (y + 1 < height) couple(i, i + width, -1 - along);
      if (any(0, 20) == 0)
        couple(i, any(0, n - 1), std::uniform_real_distribution(-1.0, 1.0)(draw));
    }
  for (index i = 0; i < n; ++i)
    all.emplace_back(i, i,
                     sum[static_cast<std::size_t>(i)] + (any(0, 9) == 0 ? 1.0 : any(1, 3) * 1e-2));
  csr<double> a = from_entries(n, all);
  for (index i = 0; i < n; ++i)  // a row without couplings
    if (sum[static_cast<std::size_t>(i)] == 0.0)
      for (auto k = a.row_ptr[static_cast<std::size_t>(i)];
           k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
        if (a.col[static_cast<std::size_t>(k)] == i) a.val[static_cast<std::size_t>(k)] = 1.0;
  return a;
}

solve_options pipelined(solve_options o) {
  o.method = "bicgstab";
  o.variant = "pipelined";
  return o;
}

class bicgstab_variants : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

TEST_F(bicgstab_variants, solve_random_systems) {
  int longest = 0;
  for (unsigned seed = 1; seed <= (sanitized ? 4u : 16u); ++seed) {
    std::mt19937_64 draw(seed);
    const csr<double> a = random_matrix(draw);
    const judged_system<double> s = judged<double>(a);
    double size = 0;
    for (const double v : s.x) size += v * v;
    for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
      std::map<std::tuple<std::string, int, int, int>, std::vector<double>> bits;
      for (const std::string& executor : place::executors())
        for (const cut& how : place::few_cuts()) {
          SCOPED_TRACE(fmt::format("seed {}, {} rows, {} under {}, {}", seed, a.rows, to_string(p),
                                   executor, describe(how)));
          const auto got = run(s.system, pipelined(with(executor, how, 1e-10, p)));
          ASSERT_EQ(got.report.stopped, stop_reason::converged);
          EXPECT_EQ(got.report.variant, "pipelined");
          EXPECT_EQ(got.report.refinements, 0) << "it has to converge truly by itself";
          const double residual =
              residual_norm(s.system.a.view(), std::span<const double>(s.system.b),
                            std::span<const double>(got.x)) /
              norm2(s.system.b);
          EXPECT_LE(residual, 1.01e-10);
          double apart = 0;
          for (std::size_t i = 0; i < s.x.size(); ++i) apart += std::pow(got.x[i] - s.x[i], 2);
          EXPECT_LE(std::sqrt(apart / size), 1e-5);
          longest = std::max(longest, got.report.iterations);
          const auto [first, is_first] = bits.try_emplace(
              {place::family(executor), how.teams, how.config, got.report.lanes}, got.x);
          if (!is_first) {
            EXPECT_TRUE(same_bits(first->second, got.x)) << "other bits than the same cut before";
          }
        }
    }
  }
  EXPECT_GT(longest, sanitized ? 10 : 60) << "no run was long enough for a replacement";
}

// Where the carried vectors alone would let the true residual rest far above the target.
TEST_F(bicgstab_variants, are_as_accurate_as_the_textbook) {
  for (const char* matrix :
       {"convection2d:60x50:1", "convection2d:60x50:50", "convection2d:80x80:500"}) {
    const linear_system<double> s{matrix, generate(matrix), {}};
    linear_system<double> t = s;
    t.b = random_vector(s.a.rows, 3);
    for (const double rtol : {1e-8, 1e-12}) {
      solve_options o = plain_options();
      o.rtol = rtol;
      o.method = "bicgstab";
      o.refine = false;
      o.variant = "textbook";
      const auto expected = run(t, o);
      const auto got = run(t, pipelined(o));
      SCOPED_TRACE(fmt::format("{} to {}: textbook {} iterations, {:.2g}; pipelined {}, {:.2g}",
                               matrix, rtol, expected.report.iterations,
                               expected.report.residual_relative_true, got.report.iterations,
                               got.report.residual_relative_true));
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      EXPECT_LE(got.report.residual_relative_true,
                std::max(1.01 * rtol, 2 * expected.report.residual_relative_true));
      EXPECT_FALSE(got.report.residuals_disagree);
      EXPECT_LE(got.report.iterations, 1.5 * expected.report.iterations + 20);
    }
  }
}

// A target that rounding does not allow: the run ends, and says what is true.
TEST_F(bicgstab_variants, end_where_rounding_ends) {
  const linear_system<double> s{"", generate("convection2d:60x50:5"), random_vector(3000, 5)};
  solve_options o = pipelined(plain_options());
  o.rtol = 1e-17;
  o.refine = false;
  const auto got = run(s, o);
  EXPECT_LT(got.report.iterations, o.max_iterations);
  EXPECT_LT(got.report.residual_relative_true, 1e-12);
  check_report(s, got);
}

TEST_F(bicgstab_variants, take_neither_sequences_nor_forms_of_cg) {
  const linear_system<double> s{"", generate("convection2d:20x15:5"), random_vector(300, 5)};
  solve_options o = pipelined(plain_options());
  o.preconditioner = preconditioner::ilu0;
  EXPECT_NE(refusal<unsupported_error>([&] {
              (void)run(s, o);
            }).find("expected variant auto or preconditioned, found pipelined"),
            std::string::npos);
  o.preconditioner = preconditioner::none;
  o.variant = "single-reduction";
  EXPECT_NE(refusal<input_error>([&] {
              (void)run(s, o);
            }).find("expected a variant (auto, textbook, pipelined), found 'single-reduction'"),
            std::string::npos);
}

}  // namespace
}  // namespace dwell::test
