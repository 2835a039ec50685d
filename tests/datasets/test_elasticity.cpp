// SPDX-License-Identifier: MIT
// elasticity2d and elasticity3d of generate() against an assembly of element matrices by Gauss
// quadrature; symmetry, definiteness, rigid-body motions; coordinates; refusals.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/datasets/model_problems.hpp"
#include "oracle.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

/// A dense matrix of zeros at first.
class matrix {
 public:
  matrix(index rows, index columns)
      : rows_(rows), columns_(columns), values_(static_cast<std::size_t>(rows) * columns) {}
  double& operator()(index i, index j) { return values_[at(i, j)]; }
  double operator()(index i, index j) const { return values_[at(i, j)]; }
  index columns() const { return columns_; }
  index rows() const { return rows_; }

 private:
  std::size_t at(index i, index j) const { return static_cast<std::size_t>(i * columns_ + j); }
  index rows_, columns_;
  std::vector<double> values_;
};

/// The shape functions of the corners of [0, 1]^dims, corner bits being x, y, z; their gradients.
matrix gradients(int dims, const std::array<double, 3>& at) {
  matrix g(1 << dims, dims);
  for (int corner = 0; corner < 1 << dims; ++corner)
    for (int axis = 0; axis < dims; ++axis) {
      double v = 1.0;
      for (int other = 0; other < dims; ++other) {
        const bool up = corner >> other & 1;
        if (other == axis)
          v *= up ? 1.0 : -1.0;
        else
          v *= up ? at[other] : 1.0 - at[other];
      }
      g(corner, axis) = v;
    }
  return g;
}

/// By B' C B with Voigt's notation, two Gauss points an axis.
matrix element_matrix(int dims, double nu) {
  const int strains = dims == 2 ? 3 : 6, corners = 1 << dims;
  matrix c(strains, strains);
  const double by = 1.0 / ((1 + nu) * (1 - 2 * nu));
  for (int i = 0; i < dims; ++i)
    for (int j = 0; j < dims; ++j) c(i, j) = by * (i == j ? 1 - nu : nu);
  for (int i = dims; i < strains; ++i) c(i, i) = 0.5 / (1 + nu);
  matrix k(corners * dims, corners * dims);
  const double low = 0.5 - 0.5 / std::sqrt(3.0);
  for (int point = 0; point < corners; ++point) {
    std::array<double, 3> at{};
    for (int axis = 0; axis < dims; ++axis) at[axis] = point >> axis & 1 ? 1 - low : low;
    const matrix g = gradients(dims, at);
    matrix b(strains, corners * dims);
    for (int corner = 0; corner < corners; ++corner) {
      for (int axis = 0; axis < dims; ++axis) b(axis, corner * dims + axis) = g(corner, axis);
      int row = dims;
      for (int i = 0; i < dims; ++i)
        for (int j = i + 1; j < dims; ++j, ++row) {
          b(row, corner * dims + i) = g(corner, j);
          b(row, corner * dims + j) = g(corner, i);
        }
    }
    for (int i = 0; i < corners * dims; ++i)
      for (int j = 0; j < corners * dims; ++j) {
        double sum = 0;
        for (int p = 0; p < strains; ++p)
          for (int q = 0; q < strains; ++q) sum += b(p, i) * c(p, q) * b(q, j);
        k(i, j) += sum / corners;
      }
  }
  return k;
}

matrix assembled(int dims, const std::array<index, 3>& n, double nu) {
  const matrix k = element_matrix(dims, nu);
  const index nz = dims == 3 ? n[2] : 1, height = n[1] + 1;
  const auto number = [&](index x, index y, index z) {
    return x - 1 + n[0] * (y + height * z);  // number of a free node
  };
  const index rows = n[0] * height * (dims == 3 ? n[2] + 1 : 1) * dims;
  matrix a(rows, rows);
  for (index z = 0; z < nz; ++z)
    for (index y = 0; y < n[1]; ++y)
      for (index x = 0; x < n[0]; ++x)
        for (int p = 0; p < 1 << dims; ++p)
          for (int q = 0; q < 1 << dims; ++q) {
            const auto node = [&](int corner) {
              return std::array<index, 3>{x + (corner & 1), y + (corner >> 1 & 1),
                                          z + (corner >> 2 & 1)};
            };
            const auto r = node(p), s = node(q);
            if (r[0] == 0 || s[0] == 0) continue;
            for (int i = 0; i < dims; ++i)
              for (int j = 0; j < dims; ++j)
                a(number(r[0], r[1], r[2]) * dims + i, number(s[0], s[1], s[2]) * dims + j) +=
                    k(p * dims + i, q * dims + j);
          }
  return a;
}

matrix dense_of(const csr<double>& a) {
  matrix d(a.rows, a.cols);
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      d(i, a.col[static_cast<std::size_t>(k)]) += a.val[static_cast<std::size_t>(k)];
  return d;
}

TEST(Elasticity, IsAssembledFromElements) {
  const struct {
    std::string kind;
    int dims;
    std::array<index, 3> n;
    double nu;
  } cases[] = {{"elasticity2d:1x1", 2, {1, 1, 0}, 0.3},
               {"elasticity2d:5x3:0.45", 2, {5, 3, 0}, 0.45},
               {"elasticity2d:2x7:0", 2, {2, 7, 0}, 0},
               {"elasticity3d:1x1x1", 3, {1, 1, 1}, 0.3},
               {"elasticity3d:3x2x4:0.2", 3, {3, 2, 4}, 0.2}};
  for (const auto& [kind, dims, n, nu] : cases) {
    SCOPED_TRACE(kind);
    const csr<double> a = generate(kind);
    check(a.view(), "a");
    const matrix d = dense_of(a), expected = assembled(dims, n, nu);
    ASSERT_EQ(d.rows(), expected.rows());
    ASSERT_EQ(d.columns(), expected.columns());
    double apart = 0;
    bool symmetric = true;
    for (index i = 0; i < a.rows; ++i)
      for (index j = 0; j < a.cols; ++j) {
        apart = std::max(apart, std::abs(d(i, j) - expected(i, j)));
        symmetric &= d(i, j) == d(j, i);
      }
    EXPECT_LT(apart, 1e-14);
    EXPECT_TRUE(symmetric);
    EXPECT_GT(least_eigenvalue(a), 0.0);
    EXPECT_EQ(a.nonzeros(), detail::elasticity_nonzeros(dims, n[0], n[1], n[2]));
    for (index i = 0; i < a.rows; ++i)  // rows of a node have the same columns
      EXPECT_EQ(a.row_ptr[static_cast<std::size_t>(i) + 1] - a.row_ptr[static_cast<std::size_t>(i)],
                a.row_ptr[static_cast<std::size_t>(i / dims * dims) + 1] -
                    a.row_ptr[static_cast<std::size_t>(i / dims * dims)]);
  }
}

TEST(Elasticity, HasCoordinatesInTheOrderOfItsRows) {
  const generated_nodes flat = generate_coordinates("elasticity2d:2x1");
  EXPECT_EQ(flat.dimension, 2);
  EXPECT_EQ(flat.values, (std::vector<double>{1, 0, 2, 0, 1, 1, 2, 1}));
  const generated_nodes solid = generate_coordinates("elasticity3d:1x1x2:0.1");
  EXPECT_EQ(solid.dimension, 3);
  EXPECT_EQ(solid.values,
            (std::vector<double>{1, 0, 0, 1, 1, 0, 1, 0, 1, 1, 1, 1, 1, 0, 2, 1, 1, 2}));
}

TEST(Elasticity, SaysWhatWasExpected) {
  const auto said = [](const std::string& kind) {
    return refusal<input_error>([&] { generate(kind); });
  };
  const std::string flat =
      "expected elasticity2d:NXxNY[:POISSON] with sizes of at least 1 and a Poisson ratio from 0 "
      "to "
      "below 0.5, found ";
  for (const std::string kind :
       {"elasticity2d:", "elasticity2d:5", "elasticity2d:5x0", "elasticity2d:5x5x5",
        "elasticity2d:5x5:", "elasticity2d:5x5:0.5", "elasticity2d:5x5:-0.1",
        "elasticity2d:5x5:nan", "elasticity2d:5x5:0.3x"})
    EXPECT_EQ(said(kind), flat + "'" + kind + "'");
  EXPECT_EQ(said("elasticity2d:2147483647x2147483647"),
            "expected elasticity2d:NXxNY[:POISSON] with at most 2147483647 nonzeros, found "
            "'elasticity2d:2147483647x2147483647'");
  EXPECT_EQ(said("elasticity3d:300x300x300"),
            "expected elasticity3d:NXxNYxNZ[:POISSON] with at most 2147483647 nonzeros, found "
            "'elasticity3d:300x300x300'");
  EXPECT_EQ(refusal<input_error>([] { generate_coordinates("poisson2d:5x5"); }),
            "coordinates: expected a kind that has nodes, elasticity2d or elasticity3d, found "
            "'poisson2d:5x5'");
}

}  // namespace
}  // namespace dwell::test
