// SPDX-License-Identifier: MIT
// Block Jacobi: the inverses of the blocks, by Eigen's full pivoting; which rows are a block;
// unsymmetric blocks with pivots off the diagonal; singular blocks. Linked again into the tests of
// a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "place.hpp"
#include "played_sequence.hpp"
#include "sequence_matrices.hpp"

namespace dwell::test {
namespace {

class block_jacobi : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  /// M is the inverse of the blocks that begin in these rows, in a unit that is a power of two.
  static void expect_inverse(const csr<double>& matrix, const std::vector<index>& first, int size) {
    const dense_matrix a = dense_of(matrix);
    dense_matrix expected = dense_matrix::Zero(matrix.rows, matrix.rows);
    for (std::size_t k = 0; k < first.size(); ++k) {
      const index begin = first[k];
      const index n = (k + 1 < first.size() ? first[k + 1] : matrix.rows) - begin;
      expected.block(begin, begin, n, n) = inverse_of(a.block(begin, begin, n, n));
    }
    const played_sequence made(place::where(), matrix, preconditioner::block_jacobi,
                               {.block_size = size});
    EXPECT_EQ(made.phases(), 1);
    const dense_matrix m = made.dense();
    const double unit = std::exp2(std::round(std::log2(m.norm() / expected.norm())));
    EXPECT_LT((m / unit - expected).norm(), 1e-5 * expected.norm());
    for (index i = 0; i < matrix.rows; ++i)
      for (index j = 0; j < matrix.rows; ++j)
        if (expected(i, j) == 0.0) {
          EXPECT_EQ(m(i, j), 0.0);
        }
  }
  static std::vector<index> every(index rows, index size) {
    std::vector<index> first;
    for (index i = 0; i < rows; i += size) first.push_back(i);
    return first;
  }
  /// All elements that f gives.
  template <class F>
  static csr<double> matrix_of(index n, F&& f) {
    csr<double> a;
    a.rows = a.cols = n;
    for (index i = 0; i < n; ++i) {
      for (index j = 0; j < n; ++j)
        if (const double v = f(i, j); v != 0.0) a.col.push_back(j), a.val.push_back(v);
      a.row_ptr.push_back(static_cast<index>(a.col.size()));
    }
    return a;
  }
  static std::string said(const csr<double>& a, int size) {
    try {
      played_sequence(place::where(), a, preconditioner::block_jacobi, {.block_size = size});
    } catch (const input_error& e) {
      return e.what();
    }
    return "nothing";
  }
};

TEST_F(block_jacobi, inverts_blocks_of_a_given_size) {
  for (const auto& [name, a] : definite_matrices())
    for (const int size : {1, 2, 7, 32}) {
      SCOPED_TRACE(testing::Message() << name << ", " << size);
      expect_inverse(a, every(a.rows, size), size);
    }
}

TEST_F(block_jacobi, finds_the_unknowns_of_a_node) {
  for (const index unknowns : {2, 3, 6})
    expect_inverse(random_graph(30, unknowns, 8), every(30 * unknowns, unknowns), 0);
  const csr<double> grid = generate("poisson2d:9x8");
  expect_inverse(grid, every(grid.rows, 1), 0);
}

TEST_F(block_jacobi, cuts_long_runs_into_equal_pieces) {
  const auto full = [](index i, index j) { return i == j ? 70.0 : std::cos(0.1 + i * j); };
  expect_inverse(matrix_of(32, full), {0}, 0);
  expect_inverse(matrix_of(33, full), {0, 17}, 0);
  expect_inverse(matrix_of(70, full), {0, 24, 47}, 0);
}

TEST_F(block_jacobi, pivots_in_unsymmetric_blocks) {
  // A zero diagonal; rows and columns of very different size.
  const auto one = [](index i, index j) {
    if (i / 6 != j / 6) return 0.0;
    const double v = i == j ? 0.0 : 0.2 + std::fmod(1.0 + 7.3 * i * i + 3.1 * i * j, 2.0);
    return v * std::pow(10.0, i % 6 - 3) * std::pow(10.0, j % 6 - 2);
  };
  const csr<double> a = matrix_of(18, one);
  const dense_matrix expected = inverse_of(dense_of(a));
  const dense_matrix m =
      played_sequence(place::where(), a, preconditioner::block_jacobi, {.block_size = 6}).dense();
  const double unit = std::exp2(std::round(std::log2(m.norm() / expected.norm())));
  for (index i = 0; i < 18; ++i)
    for (index j = i / 6 * 6; j < i / 6 * 6 + 6; ++j)
      EXPECT_NEAR(m(i, j) / unit, expected(i, j), 1e-6 * std::abs(expected(i, j)));
}

TEST_F(block_jacobi, refuses_singular_blocks) {
  const auto two_equal_rows = [](index i, index j) {
    return i / 3 == j / 3 ? std::cos(1.0 + std::min<index>(i, 7) * j * 3) : 0.0;
  };
  EXPECT_EQ(said(matrix_of(9, two_equal_rows), 0),
            "block-jacobi: expected blocks that have an inverse, found a singular one in rows 7 to "
            "9 (counted from 1)");
  const auto rank_one = [](index i, index j) {
    return i / 4 == j / 4 ? (i / 4 == 1 ? (1.0 + i) * (2.0 + j) : (i == j) + 0.25) : 0.0;
  };
  EXPECT_EQ(said(matrix_of(12, rank_one), 4),
            "block-jacobi: expected blocks that have an inverse, found a singular one in rows 5 to "
            "8 (counted from 1)");
  const auto no_diagonal = [](index i, index j) {
    return i == 2 ? static_cast<double>(j == 1) : static_cast<double>(i == j);
  };
  EXPECT_EQ(said(matrix_of(5, no_diagonal), 1),
            "block-jacobi: expected blocks that have an inverse, found no diagonal element but "
            "zero in row 3 (counted from 1), a block of its own");
}

}  // namespace
}  // namespace dwell::test
