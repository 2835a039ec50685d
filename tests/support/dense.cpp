// SPDX-License-Identifier: MIT
// Dense decompositions by Eigen, for tests and for the oracles of singular systems.
#include "dense.hpp"

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <complex>
#include <vector>

#include "oracle.hpp"

namespace dwell::test {

dense_matrix dense_of(const csr<double>& a) {
  dense_matrix d = dense_matrix::Zero(a.rows, a.cols);
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      d(i, a.col[static_cast<std::size_t>(k)]) += a.val[static_cast<std::size_t>(k)];
  return d;
}

dense_vector symmetric_eigenvalues(const dense_matrix& a) {
  return Eigen::SelfAdjointEigenSolver<dense_matrix>(a, Eigen::EigenvaluesOnly).eigenvalues();
}
dense_vector real_eigenvalues(const dense_matrix& a) {
  return Eigen::EigenSolver<dense_matrix>(a, false).eigenvalues().real();
}

dense_matrix inverse_of(const dense_matrix& a) {
  return Eigen::FullPivLU<dense_matrix>(a).inverse();
}
dense_matrix solve_by_full_pivoting(const dense_matrix& a, const dense_matrix& b) {
  return Eigen::FullPivLU<dense_matrix>(a).solve(b);
}
index rank_of(const dense_matrix& a) {
  return static_cast<index>(Eigen::FullPivLU<dense_matrix>(a).rank());
}

dense_matrix least_norm(const dense_matrix& a, const dense_matrix& b, double threshold) {
  Eigen::CompleteOrthogonalDecomposition<dense_matrix> of;
  of.setThreshold(threshold);
  of.compute(a);
  return of.solve(b);
}

std::vector<double> least_norm(const csr<double>& a, const std::vector<double>& b) {
  const dense_matrix x =
      least_norm(dense_of(a), Eigen::Map<const dense_vector>(b.data(), a.rows), 1e-10);
  return {x.data(), x.data() + x.size()};
}

bool is_definite(const csr<double>& a, double shift) {
  dense_matrix m = dense_of(a);
  m.diagonal().array() -= shift;
  return Eigen::LLT<dense_matrix>(m).info() == Eigen::Success;
}

double least_eigenvalue(const csr<double>& a) {
  return symmetric_eigenvalues(dense_of(a)).minCoeff();
}

std::vector<std::complex<double>> solve_complex(const csr<std::complex<double>>& a,
                                                const std::vector<std::complex<double>>& b) {
  Eigen::MatrixXcd d = Eigen::MatrixXcd::Zero(a.rows, a.cols);
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      d(i, a.col[static_cast<std::size_t>(k)]) += a.val[static_cast<std::size_t>(k)];
  const Eigen::VectorXcd x = Eigen::PartialPivLU<Eigen::MatrixXcd>(d).solve(
      Eigen::Map<const Eigen::VectorXcd>(b.data(), a.rows));
  return {x.data(), x.data() + x.size()};
}

}  // namespace dwell::test
