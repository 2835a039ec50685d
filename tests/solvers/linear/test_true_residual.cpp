// SPDX-License-Identifier: MIT
// What a report says of x: numbers of all sizes, whose squares, products and sums leave the range
// of a double, by all methods and preconditioners, against the residual in long doubles;
// componentwise backward errors; tolerances of 0; and b = 0. Linked again into the tests of a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/preconditioners/list.hpp"
#include "plain_options.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

constexpr bool wide = std::numeric_limits<long double>::max_exponent > 8000 &&
                      std::numeric_limits<long double>::digits >= 64;

struct exact_residual {
  long double norm = 0, rhs = 0, rounding = 0, componentwise = 0;
};

/// In long doubles, whose exponents have room; `rounding`: what these cannot see.
template <class T>
exact_residual residual_of(const linear_system<T>& s, const std::vector<T>& x) {
  exact_residual out;
  for (index i = 0; i < s.a.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    long double r = s.b[row], size = std::fabs(r);
    for (index k = s.a.row_ptr[row]; k < s.a.row_ptr[row + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      const long double one = static_cast<long double>(s.a.val[at]) *
                              static_cast<long double>(x[static_cast<std::size_t>(s.a.col[at])]);
      r -= one;
      size += std::fabs(one);
    }
    out.norm += r * r;
    out.rhs += static_cast<long double>(s.b[row]) * static_cast<long double>(s.b[row]);
    out.rounding += size * size * 0x1p-120L;
    if (r != 0) out.componentwise = std::max(out.componentwise, std::fabs(r) / size);
  }
  out.norm = std::sqrt(out.norm);
  out.rhs = std::sqrt(out.rhs);
  out.rounding = std::sqrt(out.rounding);
  return out;
}

/// Systems of a few rows whose numbers have sizes from 1e-300 to 1e300: penalties on the diagonal,
/// rows in odd units, whole matrices, right-hand sides and start vectors.
struct odd_system {
  linear_system<double> s;
  std::vector<double> x0;
  std::string name;
};
odd_system odd(std::mt19937& engine) {
  const auto uniform = [&](double a, double b) {
    return std::uniform_real_distribution<double>(a, b)(engine);
  };
  const auto size = [&](double most) { return std::pow(10.0, uniform(-most, most)); };
  const auto n = static_cast<index>(1 + engine() % 8);
  const int kind = static_cast<int>(engine() % 4);
  std::vector<double> unit(static_cast<std::size_t>(n), 1.0);
  if (kind == 1)
    for (double& u : unit) u = size(70);
  const double all = kind == 2 ? size(300) : 1.0;
  symmetric m(n);
  for (index i = 0; i < n; ++i) {
    const auto at = static_cast<std::size_t>(i);
    m.add(i, i, uniform(2, 3) * unit[at] * unit[at] * all);
    if (i > 0) m.add(i, i - 1, -unit[at] * unit[at - 1] * all);
  }
  if (kind == 3) {
    const auto at = static_cast<index>(engine() % static_cast<unsigned>(n));
    m.add(at, at, size(300));
  }
  odd_system out{{"", m.as_is(), {}}, std::vector<double>(static_cast<std::size_t>(n)), ""};
  const double of_b = engine() % 2 ? 1.0 : size(300), of_x = engine() % 2 ? 0.0 : size(250);
  const bool own_sizes = engine() % 3 == 0;  // each element of b has one
  for (index i = 0; i < n; ++i) {
    out.s.b.push_back(uniform(-1, 1) * (own_sizes ? size(300) : of_b));
    out.x0[static_cast<std::size_t>(i)] = uniform(-1, 1) * of_x;
  }
  out.name = "kind " + std::to_string(kind) + ", b " + std::to_string(std::log10(of_b)) + ", x0 " +
             std::to_string(of_x) + (own_sizes ? ", b of many sizes" : "");
  return out;
}

class true_residual : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

TEST_F(true_residual, of_numbers_of_all_sizes_is_what_it_is) {
  if (!wide) GTEST_SKIP() << "long doubles are doubles here";
  std::mt19937 engine(44);
  int solved = 0;
  for (int k = 0; k < (sanitized ? 60 : 400); ++k) {
    const odd_system one = odd(engine);
    const auto all = methods();
    solve_options o = plain_options();
    o.method = all[engine() % all.size()].name;
    o.preconditioner = preconditioners()[engine() % preconditioners().size()];
    o.mixed_precision = engine() % 4 == 0;
    o.null_space = "none";
    o.max_iterations = 200;
    SCOPED_TRACE(std::to_string(k) + ": " + o.method + ", " + to_string(o.preconditioner) + ", " +
                 one.name + (o.mixed_precision ? ", mixed" : ""));
    solution<double> got;
    try {
      got = run(one.s, o, one.x0);
    } catch (const error&) {  // refused in one line
      continue;
    }
    const exact_residual own = residual_of(one.s, got.x), start = residual_of(one.s, one.x0);
    const long double reported =
        static_cast<long double>(got.report.residual_relative_true) * own.rhs;
    const solve_report& r = got.report;
    for (const double v : got.x) ASSERT_TRUE(std::isfinite(v));
    if (r.stopped == stop_reason::converged && !r.target_missed) {
      ++solved;
      EXPECT_LE(own.norm, 1.0001e-8L * own.rhs + own.rounding);
    }
    if (std::isfinite(r.residual_relative_true)) {
      // What rounding decides is only computed where it could be taken for success.
      EXPECT_NEAR(static_cast<double>(reported / own.rhs), static_cast<double>(own.norm / own.rhs),
                  static_cast<double>((1e-6L * own.norm + 0x1p10L * own.rounding) / own.rhs));
    }
    EXPECT_LE(own.norm, 1.000001L * start.norm + 0x1p10L * own.rounding) << "worse than the start";
    EXPECT_NEAR(r.componentwise_backward_error, static_cast<double>(own.componentwise),
                1e-6 * static_cast<double>(own.componentwise) + 4e-15);
  }
  EXPECT_GT(solved, 20);
}

TEST_F(true_residual, of_rows_that_are_lost_beside_others_is_not_zero) {
  // Diagonals, and b the row sums: the answer is 1 in every element.
  std::mt19937 engine(45);
  for (int k = 0; k < (sanitized ? 20 : 100); ++k) {
    const auto n = static_cast<index>(2 + engine() % 6);
    symmetric m(n);
    linear_system<double> s;
    for (index i = 0; i < n; ++i) {
      const double size = std::pow(10.0, std::uniform_real_distribution<double>(-300, 300)(engine));
      m.add(i, i, size);
      s.b.push_back(size);
    }
    s.a = m.as_is();
    for (const auto& method : methods()) {
      if (!method.iterative && place::on() == backend::cuda) continue;
      solve_options o = plain_options();
      o.method = method.name;
      const auto got = run(s, o);
      SCOPED_TRACE(std::to_string(k) + ": " + method.name);
      double error = 0, largest = 0;
      for (const double x : got.x) {
        error = std::max(error, std::fabs(x - 1) / (1 + std::fabs(x)));
        largest = std::max(largest, std::fabs(x));
      }
      const solve_report& r = got.report;
      EXPECT_NEAR(r.componentwise_backward_error, error, 1e-6 * error + 4e-15);
      if (r.stopped == stop_reason::converged && !r.target_missed && largest < 2) {
        EXPECT_EQ(r.rows_missed, error > 0.05) << error;
      }
    }
  }
}

TEST_F(true_residual, says_which_rows_are_not_solved) {
  // Eliminated rows, of size 1, beside rows of size 1e6.
  const index n = 40;
  symmetric m(n);
  for (index i = 0; i < n / 2; ++i) {
    m.add(i, i, 3e6);
    if (i > 0) m.add(i, i - 1, -1e6);
  }
  for (index i = n / 2; i < n; ++i) {
    m.add(i, i, 2.5);
    if (i > n / 2) m.add(i, i - 1, -1.0);
  }
  linear_system<double> s{"", m.as_is(), {}};
  for (index i = 0; i < n; ++i) s.b.push_back(i < n / 2 ? 1e6 * (1 + i % 3) : 1.0);
  solve_options o = plain_options();
  o.rtol = 1e-6;
  const auto missed = run(s, o);
  ASSERT_EQ(missed.report.stopped, stop_reason::converged);
  EXPECT_TRUE(missed.report.rows_missed);
  EXPECT_GT(missed.report.componentwise_backward_error, 0.1);
  o.rtol = 1e-12;
  const auto solved = run(s, o);
  EXPECT_FALSE(solved.report.rows_missed);
  EXPECT_LT(solved.report.componentwise_backward_error, 1e-3);
}

TEST_F(true_residual, of_a_loose_tolerance_misses_no_row) {
  linear_system<double> s{"", generate("poisson2d:20x17"), {}};
  const auto b = random_vector(340, 4);
  s.b.assign(b.begin(), b.end());
  for (const auto& [rtol, atol] : {std::pair{0.1, 0.0}, {1.0, 0.0}, {1e6, 0.0}, {1e-8, 1e30}}) {
    SCOPED_TRACE(rtol);
    for (const auto& method : iterative_methods()) {
      solve_options o = plain_options();
      o.method = method.name;
      o.rtol = rtol;
      o.atol = atol;
      const solve_report r = run(s, o).report;
      EXPECT_EQ(r.stopped, stop_reason::converged) << method.name;
      EXPECT_GT(r.componentwise_backward_error, 0.01) << method.name;
      EXPECT_FALSE(r.rows_missed) << method.name;
    }
  }
}

TEST_F(true_residual, of_a_point_source_misses_no_row) {
  linear_system<double> s{"", generate("poisson2d:30x30"), std::vector<double>(900, 0.0)};
  for (index i = 0; i < 900; ++i)  // what decays fast
    for (index k = s.a.row_ptr[static_cast<std::size_t>(i)];
         k < s.a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (s.a.col[static_cast<std::size_t>(k)] == i) s.a.val[static_cast<std::size_t>(k)] = 40;
  s.b[450] = 1;
  const auto got = run(s, {});
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_FALSE(got.report.rows_missed);
  EXPECT_GT(got.report.componentwise_backward_error, 0.01) << "of rows that are nearly zero";
}

TEST_F(true_residual, with_a_tolerance_of_zero_is_missed_unless_it_is_zero) {
  linear_system<double> s{"", generate("poisson2d:12x12"), {}};
  const auto b = random_vector(144, 5);
  s.b.assign(b.begin(), b.end());
  for (const auto& method : methods()) {
    SCOPED_TRACE(method.name);
    if (!method.iterative && place::on() == backend::cuda) continue;
    solve_options o = plain_options();
    o.method = method.name;
    o.rtol = 0;
    const solve_report r = run(s, o).report;
    EXPECT_GT(r.residual_relative_true, 0);
    EXPECT_TRUE(r.stopped != stop_reason::converged || r.target_missed);
  }
  linear_system<double> exact{"", symmetric(1).as_is(), {}};
  symmetric two(2);
  two.add(0, 0, 2), two.add(1, 1, 4);
  exact = {"", two.as_is(), {2, 0}};
  solve_options o = plain_options();
  o.rtol = 0;
  const solve_report r = run(exact, o).report;
  EXPECT_EQ(r.stopped, stop_reason::converged);
  EXPECT_FALSE(r.target_missed);
}

TEST_F(true_residual, of_b_zero_is_that_of_zeros_at_once) {
  linear_system<double> s{"", generate("poisson2d:8x8"), std::vector<double>(64, 0.0)};
  const auto start = random_vector(64, 6);
  for (const auto& method : iterative_methods())
    for (const preconditioner p : preconditioners())
      for (const bool mixed : {false, true}) {
        SCOPED_TRACE(method.name + ", " + to_string(p) + (mixed ? ", mixed" : ""));
        solve_options o = plain_options();
        o.method = method.name;
        o.preconditioner = p;
        o.mixed_precision = mixed;
        solution<double> got;
        try {
          got = run(s, o, {start.begin(), start.end()});
        } catch (const input_error&) {  // a method and a preconditioner that do not go together
          continue;
        }
        EXPECT_EQ(got.report.stopped, stop_reason::converged);
        EXPECT_EQ(got.report.iterations, 0);
        for (const double v : got.x) EXPECT_EQ(v, 0.0);
      }
}

}  // namespace
}  // namespace dwell::test
