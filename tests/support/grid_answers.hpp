// SPDX-License-Identifier: MIT
// Answers of solvers of grids against dense solves and the matrix, for any options.
#pragma once
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "dwell/grid/grid_solver.hpp"
#include "grid_problem.hpp"

namespace dwell::testing {

template <class T>
std::vector<T> random_values(std::size_t n, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> v(n);
  for (T& e : v) e = T(random()) / T(std::mt19937::max()) - T(0.5);
  return v;
}

template <class T>
Eigen::MatrixXd dense_of(const csr<T>& m) {
  Eigen::MatrixXd dense = Eigen::MatrixXd::Zero(m.rows, m.cols);
  for (index i = 0; i < m.rows; ++i)
    for (index e = m.row_ptr[std::size_t(i)]; e < m.row_ptr[std::size_t(i) + 1]; ++e)
      dense(i, m.col[std::size_t(e)]) = double(m.val[std::size_t(e)]);
  return dense;
}

/// The true residual by the matrix, the answer of a dense solve, the same bits with 1, 2 and 3
/// threads.
template <class T>
void expect_answer(const grid_problem<T>& p, unsigned seed, grid_options o) {
  SCOPED_TRACE(p.says + ", " + o.method + ", " + o.cycle + ", " + o.coarse +
               (o.full_multigrid ? ", full" : ""));
  o.rtol = sizeof(T) == 8 ? 1e-10 : 1e-5;
  grid_operator<T> a(device::cpu(1), p.d);
  grid_solver<T> solver(device::cpu(1), p.d, o);
  const std::size_t n = a.rows();
  const std::vector<T> f = random_values<T>(n, seed);
  std::vector<T> b(n), x = random_values<T>(n, seed + 1), two(x), three(x);
  a.rhs(f, b);
  double reached = *o.rtol;
  const grid_report r = solver.solve(f, x);
  if (sizeof(T) == 4 && r.stopped == stop_reason::accuracy_limit) {  // and says so
    EXPECT_LE(r.residual_relative_true, 1e-4);
    EXPECT_TRUE(r.target_missed);
    reached = r.residual_relative_true;
  } else {
    EXPECT_EQ(r.stopped, stop_reason::converged) << to_string(r.stopped);
    EXPECT_LE(r.residual_relative_true, reached);
  }
  // The true residual by the matrix.
  const auto rows = static_cast<Eigen::Index>(n);
  Eigen::VectorXd want(rows), got(rows);
  for (std::size_t i = 0; i < n; ++i)
    want(Eigen::Index(i)) = double(b[i]), got(Eigen::Index(i)) = double(x[i]);
  const Eigen::MatrixXd dense = dense_of(a.to_matrix());
  if (a.singular()) {
    EXPECT_EQ(r.null_space, "constant");
    EXPECT_NEAR(got.mean(), 0, (sizeof(T) == 8 ? 1e-12 : 1e-5) * (1 + got.norm()));
    EXPECT_NEAR(r.rhs_outside_range, std::abs(want.mean()) * std::sqrt(double(n)) / want.norm(),
                1e-6);
    want.array() -= want.mean();
  }
  const double eps = sizeof(T) == 8 ? 1e-13 : 1e-4;
  EXPECT_LE((want - dense * got).norm(),
            1.01 * reached * want.norm() +
                eps * dense.cwiseAbs().rowwise().sum().maxCoeff() * got.norm());
  EXPECT_NEAR(r.rhs_norm, want.norm(), 1e-5 * want.norm());
  // Against a dense solve, as far as the residual allows.
  if (sizeof(T) == 8 && n <= 400) {
    const Eigen::VectorXd exact = dense.completeOrthogonalDecomposition().solve(want);
    const Eigen::VectorXd values =
        Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(dense).eigenvalues();
    const double least = a.singular() ? (n > 1 ? values(1) : 1) : values(0);
    EXPECT_LE((exact - got).norm(), 2 * reached * want.norm() / least + 1e-10 * (1 + exact.norm()));
  }
  // Bits do not depend on threads.
  for (const int threads : {2, 3}) {
    std::vector<T>& again = threads == 2 ? two : three;
    grid_solver<T> other(device::cpu(threads), p.d, o);
    const grid_report s = other.solve(f, again);
    EXPECT_EQ(s.threads, threads);
    EXPECT_EQ(again, x);
    EXPECT_EQ(s.iterations, r.iterations);
  }
}
/// Expects that of a random problem of at most `most` unknowns along an axis.
template <class T>
void expect_answer(unsigned seed, int most, const grid_options& o, double jump = 20) {
  grid_problem<T> p;
  random_grid_problem(seed, most, jump, p);
  expect_answer(p, seed, o);
}

}  // namespace dwell::testing
