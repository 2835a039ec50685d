// SPDX-License-Identifier: MIT
// The judgement: every tolerance is derived from precision, condition and iteration count.
#include "cg_runner.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dwell/solvers/preconditioners/list.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

template <class T>
constexpr double epsilon = static_cast<double>(std::numeric_limits<T>::epsilon());

/// The recursive residual drifts from the true one by rounding: at most a few ulps of ||A|| ||x||
/// per iteration (Greenbaum, "Estimating the attainable accuracy of recursively computed residual
/// methods", SIMAX 1997).
template <class T>
double drift(const oracle& o, const std::vector<double>& x, int iterations) {
  return 4 * epsilon<T> * (iterations + 4) * o.norm * std::max(norm2(x), norm2(o.x));
}

template <class T>
std::vector<T> narrowed(const std::vector<double>& v) {
  std::vector<T> out(v.size());
  std::transform(v.begin(), v.end(), out.begin(), [](double e) { return static_cast<T>(e); });
  return out;
}

}  // namespace

template <class T>
linear_system<T> make_system(const battery_case& c) {
  const csr<double> a = c.build();
  linear_system<T> s{c.name, {a.rows, a.cols, a.row_ptr, a.col, narrowed<T>(a.val)}, {}};
  s.b = narrowed<T>(random_vector(a.rows, 7));
  return s;
}

solve_options with(const std::string& executor, const cut& c, double rtol, preconditioner p) {
  solve_options o = plain_options();
  o.executor = executor;
  if (!kind_of(p).is_sequence()) o.variant = textbook();  // which has none
  o.preconditioner = p;
  o.rtol = rtol;
  o.refine = false;  // what one attempt does is judged
  o.teams = c.teams;
  o.config = place::config_for(executor, c);
  o.reverse_lanes = c.reverse_lanes;
  return o;
}

std::string describe(const cut& c) {
  return fmt::format("teams {}, config {}{}", c.teams, c.config,
                     c.reverse_lanes ? ", lanes reversed" : "");
}

template <class T>
solution<T> run(const linear_system<T>& s, const solve_options& options, std::vector<T> x0) {
  solution<T> got{{}, std::move(x0)};
  got.x.resize(s.b.size(), T(0));
  got.report =
      solve(place::where(), s.a.view(), std::span<const T>(s.b), std::span<T>(got.x), options);
  return got;
}

template <class T>
expectation expect_of(const linear_system<T>& s, preconditioner p) {
  constexpr bool single = std::is_same_v<T, float>;
  expectation e;
  e.direct = solve_directly(widen(s.a).view(), widen(std::span<const T>(s.b)));
  e.rtol = single ? 1e-4 : 1e-10;
  // Beyond these conditions rounding delays CG (Strakos and Tichy 2002), or A has lost its
  // definiteness when its values were rounded.
  const double condition = e.direct.condition();
  e.must_converge = e.direct.definite && condition * epsilon<T> < 0.01;
  e.max_iterations = e.must_converge ? 20 * s.a.rows + 100 : 200;
  if (condition < (single ? 3e2 : 2e4) && !kind_of(p).is_sequence())
    e.eigen_iterations =
        eigen_iterations(s.a.view(), std::span<const T>(s.b), p, e.rtol, e.max_iterations);
  return e;
}

template <class T>
void check_report(const linear_system<T>& s, const solution<T>& got) {
  const solve_report& r = got.report;
  EXPECT_NE(r.executor, "auto");
  EXPECT_FALSE(r.executor.empty());
  EXPECT_FALSE(r.reason.empty());
  EXPECT_FALSE(r.device.empty());
  EXPECT_EQ(r.on, place::on());
  if (r.precision != "mixed" || std::is_same_v<T, float>) {
    EXPECT_EQ(r.precision, (std::is_same_v<T, float> ? "f32" : "f64"));
  }
  EXPECT_GE(r.teams, 1);
  EXPECT_GE(r.lanes, 1);
  EXPECT_GE(r.bytes_per_iteration, s.a.val.size() * (sizeof(T) + sizeof(index)));
  EXPECT_GE(r.iterations, 0);
  EXPECT_GE(r.setup_s, 0);
  EXPECT_GE(r.solve_s, 0);
  if (r.iterations > 0) {
    EXPECT_NEAR(r.per_iteration_us, 1e6 * r.solve_s / r.iterations,
                1e-6 * r.per_iteration_us + 1e-9);
  }
  for (std::size_t i = 0; i < got.x.size(); ++i)
    ASSERT_TRUE(std::isfinite(got.x[i])) << "x[" << i << "] = " << got.x[i];

  const double b_norm = norm2(widen(std::span<const T>(s.b)));
  EXPECT_NEAR(r.rhs_norm, b_norm, 1e-5 * b_norm);
  const double scale = b_norm > 0 ? b_norm : 1;
  const double truly =
      residual_norm(s.a.view(), std::span<const T>(s.b), std::span<const T>(got.x)) / scale;
  // The report computes b - A x in double: its own rounding is all that may differ.
  double magnitude = 0;
  for (std::size_t k = 0; k < s.a.val.size(); ++k)
    magnitude = std::max(
        magnitude, std::abs(static_cast<double>(s.a.val[k]) *
                            static_cast<double>(got.x[static_cast<std::size_t>(s.a.col[k])])));
  const double rounding =
      1e-15 * std::sqrt(static_cast<double>(s.a.rows)) * (magnitude * 8 + b_norm) / scale;
  EXPECT_NEAR(r.residual_relative_true, truly, 1e-6 * truly + rounding);
  if (r.residual_relative_true > 0 && r.residual_relative_recursive > 0) {
    const double ratio = r.residual_relative_true / r.residual_relative_recursive;
    EXPECT_EQ(r.residuals_disagree, ratio > 10 || ratio < 0.1)
        << "true " << r.residual_relative_true << ", recursive " << r.residual_relative_recursive;
  }
}

template <class T>
void check_solution(const linear_system<T>& s, const expectation& e, const solution<T>& got) {
  check_report(s, got);
  if (testing::Test::HasFatalFailure()) return;
  const solve_report& r = got.report;
  if (e.must_converge) {
    ASSERT_EQ(r.stopped, stop_reason::converged)
        << to_string(r.stopped) << " after " << r.iterations;
  }
  if (r.stopped != stop_reason::converged) return;
  EXPECT_LE(r.residual_relative_recursive, e.rtol * (1 + 4 * epsilon<T>));
  if (!e.direct.definite) return;

  const std::vector<double> x = widen(std::span<const T>(got.x));
  const double b_norm = norm2(widen(std::span<const T>(s.b)));
  const double residual =
      residual_norm(s.a.view(), std::span<const T>(s.b), std::span<const T>(got.x));
  EXPECT_LE(residual, 1.01 * e.rtol * b_norm + drift<T>(e.direct, x, r.iterations));
  std::vector<double> error(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) error[i] = x[i] - e.direct.x[i];
  const double x_norm = norm2(e.direct.x);
  EXPECT_LE(norm2(error), e.direct.inverse_norm * residual + 1e-13 * e.direct.condition() * x_norm)
      << "relative error " << norm2(error) / x_norm;

  if (e.eigen_iterations >= 0) {
    const double slack = std::max(1.0, 0.02 * e.eigen_iterations);
    EXPECT_LE(std::abs(r.iterations - e.eigen_iterations), slack)
        << r.iterations << " iterations, Eigen " << e.eigen_iterations;
  }
}

#define DWELL_INSTANTIATE(T)                                                               \
  template linear_system<T> make_system(const battery_case&);                              \
  template solution<T> run(const linear_system<T>&, const solve_options&, std::vector<T>); \
  template expectation expect_of(const linear_system<T>&, preconditioner);                 \
  template void check_report(const linear_system<T>&, const solution<T>&);                 \
  template void check_solution(const linear_system<T>&, const expectation&, const solution<T>&);
DWELL_INSTANTIATE(float)
DWELL_INSTANTIATE(double)
#undef DWELL_INSTANTIATE

}  // namespace dwell::test
