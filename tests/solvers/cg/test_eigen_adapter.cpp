// SPDX-License-Identifier: MIT
// dwell/eigen.hpp: every state in which Eigen can hold a matrix gives the answer of that matrix,
// and the states that need no copy give the same bits as the ones that do.
#include "dwell/eigen.hpp"

#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <cmath>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "dwell/dwell.hpp"
#include "plain_options.hpp"

namespace {

using column_major = Eigen::SparseMatrix<double>;
using row_major = Eigen::SparseMatrix<double, Eigen::RowMajor>;

constexpr int n = 61;

/// Diagonally dominant and symmetric, with rows of different lengths.
template <class Matrix>
Matrix laplacian() {
  using scalar = typename Matrix::Scalar;
  std::vector<Eigen::Triplet<scalar>> entries;
  for (int i = 0; i < n; ++i) {
    entries.emplace_back(i, i, static_cast<scalar>(5 + i % 3));
    for (const int j : {i + 1, i + 7})
      if (j < n) {
        entries.emplace_back(i, j, static_cast<scalar>(-1));
        entries.emplace_back(j, i, static_cast<scalar>(-1));
      }
  }
  Matrix a(n, n);
  a.setFromTriplets(entries.begin(), entries.end());
  return a;
}

Eigen::VectorXd right_hand_side() { return Eigen::VectorXd::LinSpaced(n, -1.0, 2.0); }

template <class Matrix>
Eigen::VectorXd solved(const Matrix& a,
                       dwell::solve_options options = dwell::test::plain_options()) {
  options.rtol = 1e-12;
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  const dwell::solve_report report =
      dwell::solve(dwell::device::cpu(2), a, right_hand_side(), x, options);
  EXPECT_EQ(report.stopped, dwell::stop_reason::converged);
  EXPECT_LT(report.residual_relative_true, 1e-11);
  return x;
}

Eigen::VectorXd reference() {
  const Eigen::SimplicialLDLT<column_major> direct(laplacian<column_major>());
  return direct.solve(right_hand_side());
}

bool same_bits(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.size() == b.size() &&
         std::memcmp(a.data(), b.data(), sizeof(double) * static_cast<std::size_t>(a.size())) == 0;
}

TEST(eigen_adapter, both_storage_orders) {
  const Eigen::VectorXd rows = solved(laplacian<row_major>());
  EXPECT_LT((rows - reference()).norm(), 1e-10);
  EXPECT_TRUE(same_bits(rows, solved(laplacian<column_major>())));
}

TEST(eigen_adapter, assumed_symmetric) {
  dwell::solve_options options = dwell::test::plain_options();
  options.assume_symmetric = true;
  const Eigen::VectorXd expected = solved(laplacian<row_major>());
  EXPECT_TRUE(same_bits(expected, solved(laplacian<row_major>(), options)));
  EXPECT_TRUE(same_bits(expected, solved(laplacian<column_major>(), options)));
}

/// One iteration from zero gives x = (b.b / b.Ab) b, and the residual b - Ax tells A from its
/// transpose.
TEST(eigen_adapter, assumed_symmetric_is_not_transposed) {
  column_major a = laplacian<column_major>();
  a.coeffRef(3, 4) = -2.5;
  a.makeCompressed();
  dwell::solve_options options = dwell::test::plain_options();
  options.assume_symmetric = true;
  options.max_iterations = 1;
  const Eigen::VectorXd b = right_hand_side();
  Eigen::VectorXd x = Eigen::VectorXd::Zero(n);
  const dwell::solve_report report = dwell::solve(dwell::device::cpu(1), a, b, x, options);
  const double with_a = (b - a * x).norm() / b.norm();
  const double with_transpose = (b - a.transpose() * x).norm() / b.norm();
  ASSERT_GT(std::abs(with_a - with_transpose), 1e-6);
  EXPECT_NEAR(report.residual_relative_true, with_a, 1e-12);
}

TEST(eigen_adapter, uncompressed) {
  const Eigen::VectorXd expected = solved(laplacian<row_major>());
  column_major columns = laplacian<column_major>();
  row_major rows = laplacian<row_major>();
  columns.uncompress();
  rows.uncompress();
  columns.reserve(Eigen::VectorXi::Constant(n, 20));
  rows.reserve(Eigen::VectorXi::Constant(n, 20));
  ASSERT_FALSE(columns.isCompressed());
  ASSERT_FALSE(rows.isCompressed());
  EXPECT_TRUE(same_bits(expected, solved(columns)));
  EXPECT_TRUE(same_bits(expected, solved(rows)));
}

template <class Matrix>
Matrix unsorted() {
  Matrix a = laplacian<Matrix>();
  const int first = a.outerIndexPtr()[n / 2];
  std::swap(a.innerIndexPtr()[first], a.innerIndexPtr()[first + 1]);
  std::swap(a.valuePtr()[first], a.valuePtr()[first + 1]);
  return a;
}

TEST(eigen_adapter, unsorted_inner_indices) {
  const Eigen::VectorXd expected = solved(laplacian<row_major>());
  EXPECT_TRUE(same_bits(expected, solved(unsorted<row_major>())));
  EXPECT_TRUE(same_bits(expected, solved(unsorted<column_major>())));
  row_major both = unsorted<row_major>();
  both.uncompress();
  EXPECT_TRUE(same_bits(expected, solved(both)));
}

TEST(eigen_adapter, single_precision) {
  const Eigen::SparseMatrix<float> a = laplacian<Eigen::SparseMatrix<float>>();
  const Eigen::VectorXf b = right_hand_side().cast<float>();
  Eigen::VectorXf x = Eigen::VectorXf::Zero(n);
  dwell::solve_options options = dwell::test::plain_options();
  options.rtol = 1e-5;
  const dwell::solve_report report = dwell::solve(dwell::device::cpu(1), a, b, x, options);
  EXPECT_EQ(report.precision, "f32");
  EXPECT_LT((x.cast<double>() - reference()).norm(), 1e-4 * reference().norm());
}

TEST(eigen_adapter, parts_of_larger_objects) {
  Eigen::MatrixXd columns = Eigen::MatrixXd::Zero(n, 2);
  const Eigen::MatrixXd sides = right_hand_side().replicate(1, 2);
  dwell::solve(dwell::device::cpu(1), laplacian<row_major>(), sides.col(1), columns.col(1));
  EXPECT_LT((columns.col(1) - reference()).norm(), 1e-6);
  EXPECT_EQ(columns.col(0).norm(), 0.0);
}

template <class Matrix>
void expect_columns() {
  using scalar = typename Matrix::Scalar;
  const dwell::device cpu = dwell::device::cpu(1);
  const Matrix a = laplacian<Matrix>();
  Eigen::MatrixXd wide = Eigen::MatrixXd::Random(n + 2, 3);
  const Eigen::MatrixXd b = wide.topRows(n);
  Eigen::MatrixXd x = Eigen::MatrixXd::Constant(n + 5, 4, 9.0);
  x.block(2, 1, n, 3).setZero();
  static_assert(std::is_same_v<scalar, double>);
  dwell::solve_options o = dwell::test::plain_options();
  o.columns_at_once = 1;  // to compare bits with single solves
  const auto reports = dwell::solve_columns(cpu, a, wide.topRows(n), x.block(2, 1, n, 3), o);
  ASSERT_EQ(reports.size(), 3u);
  for (int k = 0; k < 3; ++k) {
    Eigen::VectorXd alone = Eigen::VectorXd::Zero(n);
    const auto report = dwell::solve(cpu, a, b.col(k), alone, dwell::test::plain_options());
    EXPECT_EQ(reports[static_cast<std::size_t>(k)].iterations, report.iterations);
    EXPECT_EQ(alone, x.block(2, 1 + k, n, 1));
  }
  EXPECT_EQ(x.col(0), Eigen::VectorXd::Constant(n + 5, 9.0)) << "outside the block";
  EXPECT_EQ(x.row(1), Eigen::RowVectorXd::Constant(4, 9.0)) << "outside the block";
}

TEST(eigen_adapter, columns_of_right_hand_sides) {
  expect_columns<row_major>();
  expect_columns<column_major>();
}

TEST(eigen_adapter, refuses_columns_that_do_not_match) {
  const dwell::device cpu = dwell::device::cpu(1);
  const row_major a = laplacian<row_major>();
  Eigen::MatrixXd b = Eigen::MatrixXd::Ones(n, 2), x = Eigen::MatrixXd::Zero(n, 3);
  EXPECT_THROW((void)dwell::solve_columns(cpu, a, b, x), dwell::input_error);
  x.resize(n - 1, 2);
  EXPECT_THROW((void)dwell::solve_columns(cpu, a, b, x), dwell::input_error);
}

TEST(eigen_adapter, refuses_wrong_sizes) {
  const dwell::device cpu = dwell::device::cpu(1);
  const row_major a = laplacian<row_major>();
  Eigen::VectorXd right = Eigen::VectorXd::Zero(n), wrong = Eigen::VectorXd::Zero(n - 1);
  EXPECT_THROW(dwell::solve(cpu, a, wrong, right), dwell::input_error);
  EXPECT_THROW(dwell::solve(cpu, a, right, wrong), dwell::input_error);
}

template <class Matrix>
void expect_refused(const Matrix& a) {
  Eigen::VectorXd b = Eigen::VectorXd::Ones(a.rows()), x = Eigen::VectorXd::Zero(a.rows());
  EXPECT_THROW(dwell::solve(dwell::device::cpu(1), a, b, x), dwell::input_error);
}

TEST(eigen_adapter, refuses_what_is_not_square_or_not_symmetric) {
  row_major rows = laplacian<row_major>();
  column_major columns = laplacian<column_major>();
  expect_refused(row_major(rows.topRows(n - 1)));
  expect_refused(column_major(columns.leftCols(n - 1)));
  expect_refused(column_major(column_major(columns.transpose()).leftCols(1)));
  rows.coeffRef(3, 4) = -2.5;
  columns.coeffRef(3, 4) = -2.5;
  expect_refused(rows);
  expect_refused(columns);
}

}  // namespace
