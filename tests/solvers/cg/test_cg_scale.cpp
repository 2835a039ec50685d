// SPDX-License-Identifier: MIT
// The size of numbers: a system multiplied by powers of two takes the same iterations to the same
// answer, scaled, under every executor and in every form; what leaves a format is said.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <type_traits>

#include "each_executor.hpp"

namespace dwell::test {
namespace {

class scales : public each_executor {
 protected:
  template <class T>
  static std::vector<T> times(std::vector<T> v, int exponent) {
    for (T& e : v) e = std::ldexp(e, exponent);
    return v;
  }
  /// 2^of_matrix A x = 2^of_rhs b
  template <class T>
  static linear_system<T> scaled(linear_system<T> s, int of_matrix, int of_rhs) {
    s.a.val = times(std::move(s.a.val), of_matrix);
    s.b = times(std::move(s.b), of_rhs);
    return s;
  }
  template <class T>
  static void expect_same(const solution<T>& one, const solution<T>& got, int of_matrix,
                          int of_rhs) {
    EXPECT_EQ(got.report.stopped, one.report.stopped) << to_string(got.report.stopped);
    ASSERT_EQ(got.report.iterations, one.report.iterations);
    EXPECT_TRUE(same_bits(got.x, times(one.x, of_rhs - of_matrix)));
    EXPECT_EQ(got.report.rhs_norm, std::ldexp(one.report.rhs_norm, of_rhs));
    EXPECT_EQ(got.report.residual_relative_recursive, one.report.residual_relative_recursive);
    EXPECT_EQ(got.report.residual_relative_true, one.report.residual_relative_true);
    EXPECT_DOUBLE_EQ(got.report.condition_estimate, one.report.condition_estimate);
    EXPECT_EQ(got.report.history, times(one.report.history, of_rhs));
  }
  template <class T>
  void everywhere(const linear_system<T>& s, std::initializer_list<int> exponents, double rtol) {
    for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
      solve_options o = options(rtol);
      o.preconditioner = p;
      o.max_iterations = 500;
      o.history = true;
      const auto one = run(s, o);
      EXPECT_EQ(one.report.stopped, stop_reason::converged) << to_string(one.report.stopped);
      for (const int e : exponents)
        for (const int of_rhs : {e, 0}) {
          SCOPED_TRACE(testing::Message()
                       << s.name << ", 2^" << e << " A x = 2^" << of_rhs << " b, " << to_string(p));
          expect_same(one, run(scaled(s, e, of_rhs), o), e, of_rhs);
        }
    }
  }
};

TEST_P(scales, f64) {
  const auto exponents = {-900, -600, -300, -129, -128, -1, 1, 128, 129, 300, 600, 900};
  everywhere<double>({"diag(1, 2, 3)", dense({{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}), {1, 1, 1}},
                     exponents, 1e-8);
  everywhere(system("mesh_33x47"), exponents, 1e-8);
}

TEST_P(scales, f32) {
  const auto exponents = {-100, -60, -17, -16, -1, 1, 16, 17, 60, 100};
  const csr<double> wide = dense({{1, 0, 0}, {0, 2, 0}, {0, 0, 3}});
  everywhere<float>({"diag(1, 2, 3)", {3, 3, wide.row_ptr, wide.col, {1, 2, 3}}, {1, 1, 1}},
                    exponents, 1e-5);
  everywhere(system<float>("mesh_33x47"), exponents, 1e-4);
}

TEST_P(scales, a_start_vector_and_an_absolute_tolerance) {
  const auto s = system("mesh_33x47");
  const auto x0 = random_vector(s.a.rows, 5);
  auto zero = s;
  zero.b.assign(zero.b.size(), 0.0);
  for (const auto& base : {s, zero}) {
    solve_options o = options(0);
    o.history = true;
    o.atol = 1e-6;
    const auto one = run(base, o, x0);
    EXPECT_EQ(one.report.stopped, stop_reason::converged);
    EXPECT_EQ(one.report.iterations > 0, base.b != zero.b);
    for (const int e : {-900, -400, 400, 900})
      for (const int of_rhs : {e, 0}) {
        SCOPED_TRACE(testing::Message() << "2^" << e << " A x = 2^" << of_rhs << " b");
        o.atol = std::ldexp(1e-6, of_rhs);
        const auto got = run(scaled(base, e, of_rhs), o, times(x0, of_rhs - e));
        EXPECT_EQ(got.report.stopped, one.report.stopped);
        EXPECT_EQ(got.report.iterations, one.report.iterations);
        EXPECT_TRUE(same_bits(got.x, times(one.x, of_rhs - e)));
        EXPECT_EQ(got.report.history, times(one.report.history, of_rhs));
        const double b_norm = one.report.rhs_norm;
        EXPECT_EQ(got.report.residual_relative_true,
                  std::ldexp(one.report.residual_relative_true, b_norm > 0 ? 0 : of_rhs));
      }
  }
}

TEST_P(scales, progress_is_in_the_users_units) {
  auto s = scaled(system("mesh_33x47"), -700, -700);
  solve_options o = options();
  o.progress_interval = 0;
  std::vector<solve_progress> told;
  o.progress = [&](const solve_progress& p) { told.push_back(p); };
  (void)run(s, o);
  ASSERT_FALSE(told.empty());
  EXPECT_NEAR(told[0].relative_residual, 1.0, 1e-12);
  EXPECT_NEAR(told[0].target, o.rtol, 1e-12 * o.rtol);
}

TEST_P(scales, subnormal_numbers_of_the_matrix) {
  // 2^-1060: four to six bits are left of a number, and 1, 2 and 3 need two.
  const linear_system<double> s{
      "diag(1, 2, 3)", dense({{1, 0, 0}, {0, 2, 0}, {0, 0, 3}}), {3, 2, 1}};
  const auto one = run(s, options());
  expect_same(one, run(scaled(s, -1060, -1060), options()), -1060, -1060);
}

TEST_P(scales, an_answer_that_its_format_cannot_hold_is_not_finite) {
  const auto refused = [&]<class T>(const linear_system<T>& s) {
    const std::vector<T> x0(s.b.size(), T(0));
    const auto got = run(s, options(1e-4), x0);
    EXPECT_EQ(got.report.stopped, stop_reason::not_finite) << to_string(got.report.stopped);
    EXPECT_GT(got.report.iterations, 0);
    EXPECT_TRUE(same_bits(got.x, x0)) << "x is the start vector then";
    EXPECT_TRUE(std::isfinite(got.report.residual_relative_true));
  };
  refused(scaled(system("mesh_33x47"), -600, 600));
  refused(scaled(system<float>("mesh_33x47"), -80, 80));
}

TEST_P(scales, entries_of_very_different_size_in_f32) {
  // A product of two such numbers is beyond f32, as in stiffness matrices.
  auto s = system<float>("mesh_33x47");
  for (float& v : s.a.val) v *= 3e13f;
  for (index i = 0; i < s.a.rows; ++i)
    for (index k = s.a.row_ptr[static_cast<std::size_t>(i)];
         k < s.a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (s.a.col[static_cast<std::size_t>(k)] == i)
        s.a.val[static_cast<std::size_t>(k)] *= i % 7 == 0 ? 1.5f : 1.01f;
  for (float& v : s.b) v *= 1e20f;
  const auto got = run(s, options(1e-4));
  EXPECT_EQ(got.report.stopped, stop_reason::converged) << to_string(got.report.stopped);
  EXPECT_LE(got.report.residual_relative_true, 2e-4);
}

std::vector<std::string> every_form_everywhere() {
  std::vector<std::string> all;
  for (const char* variant : {"textbook", "single-reduction", "pipelined"})
    for (const std::string& executor : place::executors()) all.push_back(executor + "/" + variant);
  return all;
}

INSTANTIATE_TEST_SUITE_P(every_executor, scales, testing::ValuesIn(every_form_everywhere()),
                         executor_name);

}  // namespace
}  // namespace dwell::test
