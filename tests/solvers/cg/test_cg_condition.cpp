// SPDX-License-Identifier: MIT
// What the report says an answer is worth: the condition that the coefficients show, against
// eigenvalues that are known; whether the residual stagnates at the limit; what to try.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "dwell/formats/matrix_market.hpp"
#include "each_executor.hpp"
#include "plain_options.hpp"
#include "real_matrices.hpp"

namespace dwell::test {
namespace {

class conditions : public each_executor {};

TEST_P(conditions, of_a_tridiagonal_matrix) {
  // Eigenvalues 2 - 2 cos(k pi / (n + 1)).
  const index n = 60;
  const linear_system<double> s{"tridiagonal", tridiagonal(n, 2, -1), random_vector(n, 3)};
  const double t = std::tan(std::numbers::pi / (2 * (n + 1)));
  const double expected = 1 / (t * t);
  const auto got = run(s, options(1e-12));
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_NEAR(got.report.condition_estimate, expected, 0.03 * expected);
  EXPECT_EQ(got.report.error_estimate,
            got.report.condition_estimate * got.report.residual_relative_true);
  EXPECT_FALSE(got.report.no_digit_safe);
  EXPECT_EQ(got.report.advice, "");
}

TEST_P(conditions, f32_and_jacobi) {
  // D^(-1/2) A D^(-1/2) is the tridiagonal matrix of ones and halves, whatever D.
  const index n = 60;
  linear_system<float> s{"scaled", {n, n, {}, {}, {}}, std::vector<float>(n, 1.0f)};
  const csr<double> plain = tridiagonal(n, 2, -1);
  s.a.row_ptr = plain.row_ptr;
  s.a.col = plain.col;
  const auto d = [](index i) { return std::ldexp(1.0, 5 * (i % 3)); };
  for (index i = 0; i < n; ++i)
    for (index k = plain.row_ptr[static_cast<std::size_t>(i)];
         k < plain.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      s.a.val.push_back(static_cast<float>(d(i) * plain.val[at] * d(plain.col[at])));
    }
  const auto rough = random_vector(n, 11);
  std::copy(rough.begin(), rough.end(), s.b.begin());
  const double t = std::tan(std::numbers::pi / (2 * (n + 1)));
  solve_options o = options(1e-6);
  o.preconditioner = preconditioner::jacobi;
  const auto got = run(s, o);
  EXPECT_NEAR(got.report.condition_estimate, 1 / (t * t), 0.05 / (t * t));
  EXPECT_GT(got.report.error_estimate, 0);
}

TEST_P(conditions, the_diagonal_shows_what_the_start_hides) {
  // The iteration ends without having seen the smallest eigenvalue, 1e-9.
  linear_system<double> s{"hidden", dense({{1, 0, 0}, {0, 2, 0}, {0, 0, 1e-9}}), {1, 1, 1e-10}};
  const auto got = run(s, options(1e-8));
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_GT(std::abs(got.x[2] - 0.1), 0.05) << "else this system shows nothing";
  EXPECT_NEAR(got.report.condition_estimate, 2e9, 2e7);
}

TEST_P(conditions, unknown_where_there_is_nothing_to_see) {
  linear_system<double> identity{"identity", battery_at("identity_257").build(), {}};
  identity.b.assign(257, 3.0);
  EXPECT_EQ(run(identity, options()).report.condition_estimate, 0) << "one iteration";
  solve_options o = options();
  o.fixed_iterations = true;
  o.max_iterations = 20;
  const auto timed = run(system("mesh_33x47"), o);
  EXPECT_EQ(timed.report.condition_estimate, 0);
  EXPECT_EQ(timed.report.advice, "");
}

TEST_P(conditions, a_residual_that_falls_and_one_that_rests) {
  const auto s = system("mesh_33x47");
  solve_options o = options(1e-14);
  o.max_iterations = 60;
  const auto falls = run(s, o);
  EXPECT_EQ(falls.report.stopped, stop_reason::iteration_limit);
  EXPECT_FALSE(falls.report.stagnated);
  EXPECT_NE(falls.report.advice.find("more iterations"), std::string::npos) << falls.report.advice;
  EXPECT_NE(falls.report.advice.find("preconditioner"), std::string::npos) << falls.report.advice;

  // A Laplacian in one dimension: the residual of a rough right-hand side does not fall before the
  // iteration has crossed the domain.
  const index n = 2000;
  const linear_system<double> slow{"slow", tridiagonal(n, 2, -1), random_vector(n, 3)};
  o = options(1e-8);
  o.max_iterations = 300;
  for (const bool history : {false, true}) {
    o.history = history;
    const auto rests = run(slow, o);
    EXPECT_TRUE(rests.report.stagnated);
    EXPECT_NE(rests.report.advice.find("stagnates"), std::string::npos) << rests.report.advice;
    EXPECT_EQ(rests.report.advice.find("single-reduction") != std::string::npos,
              rests.report.variant == "pipelined");
  }
}

INSTANTIATE_TEST_SUITE_P(every_executor, conditions, testing::ValuesIn(executors_and_variants()),
                         executor_name);

TEST(real_conditions, converged_and_no_digit_right_is_said) {
  DWELL_SKIP_IF_ABSENT();
  const auto all = indexed_matrices();
  if (all.empty()) GTEST_SKIP() << why_no_matrices();
  for (const char* name : {"ted_B", "bcsstk16", "bodyy4"}) {
    if (sanitized && std::string(name) != "ted_B") continue;
    const auto known =
        std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.name == name; });
    ASSERT_NE(known, all.end());
    linear_system<double> s{name, read_matrix_market(known->file).matrix, {}};
    s.b = row_sums(s.a.view());
    for (const char* variant : {"textbook", "single-reduction", "pipelined"}) {
      solve_options o = plain_options();
      o.executor = "persistent";
      o.variant = variant;
      const auto got = run(s, o);
      double error = 0;
      for (const double e : got.x) error = std::max(error, std::abs(e - 1));
      SCOPED_TRACE(testing::Message() << name << ", " << variant << ": error " << error
                                      << ", allowed " << got.report.error_estimate);
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      EXPECT_EQ(got.report.no_digit_safe, error > 0.1);
    }
  }
}

}  // namespace
}  // namespace dwell::test
