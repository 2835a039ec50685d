// SPDX-License-Identifier: MIT
// Eigen's solvers on Dwell's arrays, and residuals in long double.
#include "oracle.hpp"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "battery.hpp"

namespace dwell::test {
namespace {

using sparse = Eigen::SparseMatrix<double, Eigen::ColMajor, index>;
using vector = Eigen::VectorXd;

template <class T>
Eigen::Map<const Eigen::SparseMatrix<T, Eigen::RowMajor, index>> as_eigen(const csr_view<T>& a) {
  return {a.rows, a.cols, a.nonzeros(), a.row_ptr, a.col, a.val};
}

Eigen::Map<const vector> as_eigen(std::span<const double> v) {
  return {v.data(), static_cast<Eigen::Index>(v.size())};
}

template <class T, class Preconditioner>
int count_iterations(const csr_view<T>& a, std::span<const T> b, double rtol, int max_iterations) {
  using matrix = Eigen::SparseMatrix<T, Eigen::RowMajor, index>;
  const matrix copy = as_eigen(a);
  Eigen::ConjugateGradient<matrix, Eigen::Lower | Eigen::Upper, Preconditioner> cg(copy);
  cg.setTolerance(static_cast<T>(rtol));
  cg.setMaxIterations(max_iterations);
  using column = Eigen::Matrix<T, Eigen::Dynamic, 1>;
  const column rhs = Eigen::Map<const column>(b.data(), static_cast<Eigen::Index>(b.size()));
  const column x = cg.solve(rhs);
  if (cg.info() != Eigen::Success) return -1;
  // Eigen leaves its loop before it counts the step that converged.
  return rhs.isZero(0) ? 0 : static_cast<int>(cg.iterations()) + 1;
}

/// Hestenes and Stiefel in plain loops.
int textbook_iterations(const csr_view<double>& a, std::vector<double> r, double rtol,
                        int max_iterations) {
  const std::size_t n = r.size();
  std::vector<double> p = r, q(n);
  const auto dot = [](const std::vector<double>& u, const std::vector<double>& v) {
    return std::inner_product(u.begin(), u.end(), v.begin(), 0.0);
  };
  double rr = dot(r, r);
  const double target = rtol * rtol * rr;
  int count = 0;
  for (; rr > target && count < max_iterations; ++count) {
    for (std::size_t i = 0; i < n; ++i) {
      q[i] = 0;
      for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
        q[i] += a.val[k] * p[static_cast<std::size_t>(a.col[k])];
    }
    const double alpha = rr / dot(p, q);
    for (std::size_t i = 0; i < n; ++i) r[i] -= alpha * q[i];
    const double before = rr;
    rr = dot(r, r);
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + rr / before * p[i];
  }
  return count;
}

}  // namespace

oracle solve_directly(const csr_view<double>& a, std::span<const double> b) {
  oracle o;
  const sparse m = as_eigen(a);
  for (index i = 0; i < a.rows; ++i) {
    double sum = 0;
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) sum += std::abs(a.val[k]);
    o.norm = std::max(o.norm, sum);
  }
  const Eigen::SimplicialLDLT<sparse> factors(m);
  if (factors.info() != Eigen::Success) return o;
  o.definite = (factors.vectorD().array() > 0).all();

  vector x = factors.solve(as_eigen(b));
  x += factors.solve(as_eigen(b) - m * x);
  o.x.assign(x.begin(), x.end());

  vector v(a.rows);
  for (index i = 0; i < a.rows; ++i) v[i] = 1 + 0.5 * std::sin(1.0 + i);
  v.normalize();
  for (int step = 0; step < 40; ++step) {
    v = factors.solve(v).eval();
    o.inverse_norm = 2 * v.norm();
    v.normalize();
  }
  return o;
}

template <class T>
int eigen_iterations(const csr_view<T>& a, std::span<const T> b, preconditioner p, double rtol,
                     int max_iterations) {
  return p == preconditioner::jacobi
             ? count_iterations<T, Eigen::DiagonalPreconditioner<T>>(a, b, rtol, max_iterations)
             : count_iterations<T, Eigen::IdentityPreconditioner>(a, b, rtol, max_iterations);
}
template int eigen_iterations(const csr_view<float>&, std::span<const float>, preconditioner,
                              double, int);
template int eigen_iterations(const csr_view<double>&, std::span<const double>, preconditioner,
                              double, int);

count_range textbook_counts(const csr_view<double>& a, std::span<const double> b, double rtol,
                            int max_iterations, int orders) {
  count_range range{max_iterations, 0};
  for (int order = 0; order < orders; ++order) {
    const std::vector<index> to = renumbering(a.rows, static_cast<std::uint64_t>(order));
    const csr<double> renumbered = renumber(a, to);
    std::vector<double> r(b.size());
    for (std::size_t i = 0; i < r.size(); ++i) r[static_cast<std::size_t>(to[i])] = b[i];
    const int count = textbook_iterations(renumbered.view(), std::move(r), rtol, max_iterations);
    range.least = std::min(range.least, count);
    range.most = std::max(range.most, count);
  }
  return range;
}

double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum) / norm2(b);
}

double norm2(std::span<const double> v) {
  long double sum = 0;
  for (const double e : v) sum += static_cast<long double>(e) * e;
  return static_cast<double>(std::sqrt(sum));
}

template <class T>
double residual_norm(const csr_view<T>& a, std::span<const T> b, std::span<const T> x) {
  long double sum = 0;
  for (index i = 0; i < a.rows; ++i) {
    long double r = b[static_cast<std::size_t>(i)];
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      r -= static_cast<long double>(a.val[k]) * x[static_cast<std::size_t>(a.col[k])];
    sum += r * r;
  }
  return static_cast<double>(std::sqrt(sum));
}
template double residual_norm(const csr_view<float>&, std::span<const float>,
                              std::span<const float>);
template double residual_norm(const csr_view<double>&, std::span<const double>,
                              std::span<const double>);

std::vector<double> row_sums(const csr_view<double>& a) {
  std::vector<double> sums(static_cast<std::size_t>(a.rows));
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      sums[static_cast<std::size_t>(i)] += a.val[k];
  return sums;
}

std::vector<double> widen(std::span<const float> v) { return {v.begin(), v.end()}; }
std::vector<double> widen(std::span<const double> v) { return {v.begin(), v.end()}; }
csr<double> widen(const csr<float>& a) { return {a.rows, a.cols, a.row_ptr, a.col, widen(a.val)}; }
csr<double> widen(const csr<double>& a) { return a; }

}  // namespace dwell::test
