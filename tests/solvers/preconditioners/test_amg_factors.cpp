// SPDX-License-Identifier: MIT
// The factors of near-null vectors in aggregates, T R = B, in f64 on the host: from the steps
// alone, for aggregates of any nodes, with columns that depend on others.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <vector>

#include "amg_hierarchy.hpp"
#include "dwell/execution/team/setup_cpu.hpp"
#include "dwell/solvers/preconditioners/amg/node_steps.hpp"

namespace dwell::test {
namespace {

struct factors {
  dense_matrix t, r;
};

/// `nodes` nodes of `size` rows, node v in aggregate v * v % groups.
factors factorize(index nodes, index size, const dense_matrix& b, index groups) {
  const auto vectors = static_cast<index>(b.cols());
  std::vector<index> begin_of = {0}, member;
  for (index g = 0; g < groups; ++g) {
    for (index v = 0; v < nodes; ++v)
      if (v * v % groups == g) member.push_back(v);
    begin_of.push_back(static_cast<index>(member.size()));
  }
  using by_rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  by_rows t = b;
  dense_matrix r(groups * vectors, vectors);
  const dwell::amg::factorize_aggregates step{size,     vectors,  begin_of.data(), member.data(),
                                              t.data(), r.data(), groups};
  cpu::setup_warp w;
  step(w, 0, groups, 1);
  dense_matrix spread = dense_matrix::Zero(nodes * size, groups * vectors);
  for (index v = 0; v < nodes; ++v)
    spread.block(v * size, v * v % groups * vectors, size, vectors) =
        t.block(v * size, 0, size, vectors);
  return {spread, r};
}

TEST(amg_factors, hold_the_vectors_and_have_orthonormal_columns) {
  for (const index size : {1, 2, 3, 6})
    for (const index groups : {1, 3, 8, 40}) {
      SCOPED_TRACE(testing::Message() << size << " rows a node, " << groups << " aggregates");
      constexpr index nodes = 40;
      dense_matrix b(nodes * size, 6);
      for (index i = 0; i < b.rows(); ++i)
        for (index c = 0; c < 6; ++c) b(i, c) = std::cos(1.0 + 0.37 * i * (c + 1));
      b.col(3) = 2.0 * b.col(0) - 1e3 * b.col(1);  // it depends on them in every aggregate
      b.col(4) = b.col(2) + 1e-6 * b.col(4);       // nearly so
      b.col(5) *= 1e-9;
      const factors f = factorize(nodes, size, b, groups);
      EXPECT_LT((f.t * f.r - b).cwiseAbs().maxCoeff(), 1e-6 * 1e-3);
      for (index c = 0; c < 6; ++c)
        EXPECT_LT((f.t * f.r - b).col(c).norm(), 1e-13 * b.col(c).norm());
      const dense_matrix gram = f.t.transpose() * f.t;
      for (index c = 0; c < gram.cols(); ++c) {
        const bool empty = f.t.col(c).isZero(0.0);
        EXPECT_NEAR(gram(c, c), empty ? 0.0 : 1.0, 1e-14);
        if (empty) {
          EXPECT_TRUE(f.r.row(c).isZero(0.0));
        }
        if (c % 6 == 3) {
          EXPECT_TRUE(empty);
        }
      }
      EXPECT_LT((gram - dense_matrix(gram.diagonal().asDiagonal())).cwiseAbs().maxCoeff(), 1e-14);
    }
}

TEST(amg_factors, of_zeros_are_zeros) {
  const factors f = factorize(10, 2, dense_matrix::Zero(20, 3), 2);
  EXPECT_TRUE(f.t.isZero(0.0));
  EXPECT_TRUE(f.r.isZero(0.0));
}

}  // namespace
}  // namespace dwell::test
