// SPDX-License-Identifier: MIT
// Preconditioners of matrices in odd units, D K D with powers of two over 2^140 and more: they
// converge about as they do for K, also of right-hand sides that are not in the units of the rows.
// Linked again into the tests of a GPU.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

/// 2^e of every row, e from -most to most.
std::vector<int> units(index n, int most) {
  std::vector<int> e;
  for (index i = 0; i < n; ++i)
    e.push_back(static_cast<int>((static_cast<std::uint32_t>(i) * 2654435769U >> 8) %
                                 (2U * static_cast<unsigned>(most) + 1U)) -
                most);
  return e;
}
void scale(csr<double>& a, const std::vector<int>& e) {
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      a.val[at] = std::ldexp(
          a.val[at], e[static_cast<std::size_t>(i)] + e[static_cast<std::size_t>(a.col[at])]);
    }
}

/// A grid whose rows have couplings far below the diagonal, at random, symmetric where that is
/// asked for, in units that rise from 2^-most to 2^most along an axis: of a right-hand side of ones
/// the parts of the solution that matter for a row come from rows beside it.
csr<double> graded(index m, int most, bool is_symmetric, unsigned seed) {
  csr<double> a = generate("poisson2d:" + std::to_string(m) + "x" + std::to_string(m));
  const auto random = random_vector(static_cast<index>(a.val.size()), seed);
  const double coupling = std::ldexp(0.5, -3 * 2 * most / static_cast<int>(m - 1));
  std::vector<int> e;
  for (index i = 0; i < a.rows; ++i) {
    e.push_back(static_cast<int>(std::lround(2.0 * most * (i / m) / (m - 1))) - most);
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const index j = a.col[static_cast<std::size_t>(k)];
      const auto entry = static_cast<std::size_t>(is_symmetric ? i + j : k) % random.size();
      a.val[static_cast<std::size_t>(k)] =
          i == j ? 1.0 + 0.5 * std::fabs(random[static_cast<std::size_t>(i)])
                 : coupling * (1.0 + 0.5 * random[entry]);
    }
  }
  scale(a, e);
  return a;
}

class equilibrated_units : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

TEST_F(equilibrated_units, converge_as_in_one_unit) {
  for (const int most : {30, 45, 60, 70})
    for (const preconditioner p : {preconditioner::amg, preconditioner::chebyshev,
                                   preconditioner::block_jacobi, preconditioner::fsai}) {
      SCOPED_TRACE(to_string(p) + ", 2^" + std::to_string(most));
      linear_system<double> s{"", generate("poisson2d:40x40"), {}};
      const std::vector<int> e = units(s.a.rows, most);
      scale(s.a, e);
      const auto x = random_vector(s.a.rows, 7);
      s.b.assign(x.size(), 0.0);
      for (index i = 0; i < s.a.rows; ++i)  // in the units of the rows
        s.b[static_cast<std::size_t>(i)] =
            std::ldexp(x[static_cast<std::size_t>(i)], e[static_cast<std::size_t>(i)]);
      solve_options o = plain_options();
      o.preconditioner = p;
      o.max_iterations = 2000;
      const auto got = run(s, o);
      EXPECT_EQ(got.report.stopped, stop_reason::converged) << got.report.iterations;
      EXPECT_FALSE(got.report.target_missed);
    }
}

TEST_F(equilibrated_units, need_not_be_those_of_the_right_hand_side) {
  unsigned seed = 44;
  for (const int most : {20, 30, 45, 60, 70})
    for (const auto& method : iterative_methods())
      for (const preconditioner p : preconditioners()) {
        if (p == preconditioner::none) continue;
        const bool is_symmetric = method.solves != matrix_class::general || seed % 2 == 0;
        SCOPED_TRACE(to_string(p) + ", " + method.name + ", 2^" + std::to_string(most) + ", seed " +
                     std::to_string(++seed));
        linear_system<double> s{"", graded(24, most, is_symmetric, seed), {}};
        const auto random = random_vector(s.a.rows, seed + 1000);
        for (const double r : random) s.b.push_back(seed % 3 == 0 ? 1.0 : 1.5 + r);
        solve_options o = plain_options();
        o.method = method.name;
        o.preconditioner = p;
        o.max_iterations = 500;
        solution<double> got;
        try {
          got = run(s, o);
        } catch (const input_error&) {  // a preconditioner that is not for such a matrix
          continue;
        }
        EXPECT_EQ(got.report.stopped, stop_reason::converged) << got.report.iterations;
        EXPECT_FALSE(got.report.target_missed);
        EXPECT_LE(
            residual_norm(s.a.view(), std::span<const double>(s.b), std::span<const double>(got.x)),
            1.01e-8 * norm2(s.b));
        EXPECT_LE(got.report.componentwise_backward_error, 1e-5);
      }
}

TEST_F(equilibrated_units, of_other_values_are_found_anew) {
  csr<double> a = generate("poisson2d:40x40");
  csr<double> odd = a;
  scale(odd, units(a.rows, 70));
  std::vector<double> ones(1600, 1.0), in_units = ones, x(1600, 0.0);
  const std::vector<int> e = units(a.rows, 70);
  for (std::size_t i = 0; i < e.size(); ++i) in_units[i] = std::ldexp(1.0, e[i]);
  for (const preconditioner p : {preconditioner::amg, preconditioner::chebyshev}) {
    SCOPED_TRACE(to_string(p));
    solve_options o = plain_options();
    o.preconditioner = p;
    o.max_iterations = 2000;
    linear_solver<double> solver(place::where(), a.view(), o);
    const auto solve = [&](const std::vector<double>& b) {
      x.assign(1600, 0.0);
      return solver.solve(std::span<const double>(b), std::span<double>(x));
    };
    const solve_report plain = solve(ones);
    const std::vector<double> wanted = x;
    for (int round = 0; round < 2; ++round) {
      for (int again = 0; again < 2; ++again) {
        solver.update_values(std::span<const double>(odd.val));
        EXPECT_EQ(solve(in_units).stopped, stop_reason::converged);
      }
      solver.update_values(std::span<const double>(a.val));
      const solve_report last = solve(ones);
      EXPECT_EQ(last.stopped, stop_reason::converged);
      EXPECT_EQ(last.iterations, plain.iterations);
      EXPECT_TRUE(same_bits(x, wanted));
    }
  }
}

}  // namespace
}  // namespace dwell::test
