// SPDX-License-Identifier: MIT
// Dense matrices of Eigen, and its decompositions compiled once: in the tests themselves they would
// be most of the time to compile, and slow under sanitizers.
#pragma once
#include <Eigen/Core>

#include <complex>
#include <vector>

#include "dwell/formats/csr.hpp"

namespace dwell::test {

using dense_matrix = Eigen::MatrixXd;
using dense_vector = Eigen::VectorXd;

dense_matrix dense_of(const csr<double>& a);

/// Eigenvalues of a symmetric matrix, ascending.
dense_vector symmetric_eigenvalues(const dense_matrix& a);
/// Real parts of the eigenvalues of any square matrix.
dense_vector real_eigenvalues(const dense_matrix& a);

/// By L U with full pivoting.
dense_matrix inverse_of(const dense_matrix& a);
dense_matrix solve_by_full_pivoting(const dense_matrix& a, const dense_matrix& b);
index rank_of(const dense_matrix& a);

/// The least-squares solutions of the least norm, by a complete orthogonal decomposition; smaller
/// pivots than the threshold are zeros.
dense_matrix least_norm(const dense_matrix& a, const dense_matrix& b, double threshold);

/// The solution of a complex system by L U with partial pivoting.
std::vector<std::complex<double>> solve_complex(const csr<std::complex<double>>& a,
                                                const std::vector<std::complex<double>>& b);

}  // namespace dwell::test
