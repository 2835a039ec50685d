// SPDX-License-Identifier: MIT
// Systems that cannot be solved, or not in this precision: the solve must say so, never converge
// wrongly, and leave finite numbers in x.
#include <gtest/gtest.h>

#include <cmath>

#include "each_executor.hpp"

namespace dwell::test {
namespace {

class breakdown : public each_executor {};

TEST_P(breakdown, f32_knows_its_limits) {
  // Asked for more than f32 can give, the recursive residual goes on falling and the true one does
  // not: the report must say so.
  const auto s = system<float>("mesh_33x47");
  solve_options o = options(1e-12);
  o.max_iterations = 2000;
  const auto got = run(s, o);
  check_report(s, got);
  EXPECT_GT(got.report.residual_relative_true, 1e-9);
  if (got.report.stopped == stop_reason::converged) {
    EXPECT_TRUE(got.report.residuals_disagree);
  }
}

TEST_P(breakdown, sizes_of_numbers_never_give_a_wrong_convergence) {
  // Squares of b underflow or overflow: an honest end or the right answer, nothing else.
  const auto honest = [&]<class T>(T scale) {
    auto s = system<T>("tridiagonal_500");
    for (T& e : s.b) e *= scale;
    const auto got = run(s, options(std::is_same_v<T, float> ? 1e-4 : 1e-8));
    SCOPED_TRACE(testing::Message()
                 << "b of size " << scale << ": " << to_string(got.report.stopped));
    for (const T e : got.x) ASSERT_TRUE(std::isfinite(e));
    if (got.report.stopped != stop_reason::converged) return;
    const double b_norm = norm2(widen(std::span<const T>(s.b)));
    const double r = residual_norm(s.a.view(), std::span<const T>(s.b), std::span<const T>(got.x));
    EXPECT_LE(r, 1e-3 * b_norm);
  };
  for (const double scale : {1e-100, 1e100, 1e-170, 1e170, 1e-300, 1e300}) honest(scale);
  for (const float scale : {1e-15f, 1e15f, 1e-25f, 1e25f, 1e-36f, 1e37f}) honest(scale);
}

TEST_P(breakdown, breakdown_where_not_positive_definite) {
  const auto must_break = [&](const linear_system<double>& s, int earliest, int latest) {
    SCOPED_TRACE(s.name);
    for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
      solve_options o = options();
      o.preconditioner = p;
      o.null_space = "none";  // or the singular one would be solved modulo constants
      const auto got = run(s, o);
      check_report(s, got);
      EXPECT_EQ(got.report.stopped, stop_reason::breakdown) << to_string(got.report.stopped);
      EXPECT_GE(got.report.iterations, earliest);
      EXPECT_LE(got.report.iterations, latest);
    }
  };
  must_break({"at once", dense({{1, 2}, {2, 1}}), {1, -1}}, 0, 0);
  must_break({"after a step", dense({{1, 2}, {2, 1}}), {1, 0.5}}, 1, 1);
  must_break({"singular: p.Ap = 0", dense({{1, -1}, {-1, 1}}), {1, 1}}, 0, 0);
  // A 5-point mesh shifted so far that some eigenvalues are negative.
  const csr<double> shifted = mesh(30, 20, 3.5);
  must_break({"shifted mesh", shifted, random_vector(shifted.rows, 8)}, 0, 600);
}

TEST_P(breakdown, products_that_overflow_are_scaled) {
  for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
    solve_options o = options();
    o.preconditioner = p;
    const linear_system<double> s{
        "overflow", dense({{1e308, 5e307}, {5e307, 1e308}}), {1e10, 1e10}};
    const auto got = run(s, o);
    EXPECT_EQ(got.report.stopped, stop_reason::converged) << to_string(got.report.stopped);
    for (const double e : got.x) EXPECT_NEAR(e, 1e10 / 1.5e308, 1e-306);
  }
}

INSTANTIATE_TEST_SUITE_P(every_executor, breakdown, testing::ValuesIn(executors_and_variants()),
                         executor_name);

}  // namespace
}  // namespace dwell::test
