// SPDX-License-Identifier: MIT
// Rigid-body modes: a matrix of elasticity without its boundary multiplies them to zero; those of
// shells from their definition; refusals.
#include "dwell/linear/rigid_body_modes.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "amg_hierarchy.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

TEST(rigid_body_modes, strain_nothing) {
  for (const char* kind : {"elasticity2d:6x5", "elasticity3d:4x3x2"}) {
    SCOPED_TRACE(kind);
    const csr<double> a = generate(kind);
    const generated_nodes nodes = generate_coordinates(kind);
    const std::vector<double> values = rigid_body_modes(nodes.values, nodes.dimension);
    const index vectors = nodes.dimension == 2 ? 3 : 6;
    ASSERT_EQ(values.size(), static_cast<std::size_t>(a.rows) * vectors);
    const Eigen::Map<const dense_matrix> modes(values.data(), a.rows, vectors);
    const dense_matrix product = dense_of(a) * modes;
    const auto dims = static_cast<std::size_t>(nodes.dimension);
    for (std::size_t node = 0; node < nodes.values.size() / dims; ++node)
      for (std::size_t axis = 0; axis < dims; ++axis)
        if (nodes.values[node * dims] > 1.5) {  // no neighbour of the clamped face
          EXPECT_LT(product.row(static_cast<index>(node * dims + axis)).cwiseAbs().maxCoeff(),
                    1e-13);
        }
    EXPECT_EQ(rank_of(modes), vectors);
  }
}

TEST(rigid_body_modes, have_the_rotations_of_shells) {
  const std::vector<double> at = {0, 0, 0, 2, 4, 6};  // the mean: 1, 2, 3
  const auto modes = rigid_body_modes(at, 3, true);
  ASSERT_EQ(modes.size(), 6u * 12u);
  const Eigen::Map<const dense_matrix> m(modes.data(), 12, 6);
  for (index node = 0; node < 2; ++node) {
    EXPECT_EQ(m.block(6 * node, 0, 3, 3), dense_matrix::Identity(3, 3));
    EXPECT_EQ(m.block(6 * node + 3, 3, 3, 3), dense_matrix::Identity(3, 3));
    EXPECT_EQ(m.block(6 * node + 3, 0, 3, 3), dense_matrix::Zero(3, 3));
    const Eigen::Vector3d r = Eigen::Vector3d(1, 2, 3) * (node == 0 ? -1.0 : 1.0);
    for (int turn = 0; turn < 3; ++turn) {
      const int next = (turn + 1) % 3, last = (turn + 2) % 3;
      Eigen::Vector3d turned = Eigen::Vector3d::Zero();  // the unit vector times r
      turned[next] = -r[last];
      turned[last] = r[next];
      EXPECT_EQ(dense_matrix(m.block(6 * node, 3 + turn, 3, 1)), dense_matrix(turned));
    }
  }
  EXPECT_EQ(rigid_body_modes(std::vector<double>{1, 1}, 2, true).size(), 9u);
}

TEST(rigid_body_modes, refuse_what_is_no_list_of_coordinates) {
  const auto message = [](std::vector<double> at, int dimension) {
    return refusal<input_error>([&] { rigid_body_modes(at, dimension); });
  };
  EXPECT_EQ(message({1, 2}, 1), "coordinates: expected dimension 2 or 3, found 1");
  EXPECT_EQ(message({1, 2}, 3), "coordinates: expected 3 for each node, found 2 values");
  EXPECT_EQ(message({}, 2), "coordinates: expected 2 for each node, found 0 values");
  EXPECT_EQ(message({1, 2, 3, std::numeric_limits<double>::infinity()}, 2),
            "coordinates: expected finite values, found inf at [1, 1]");
}

}  // namespace
}  // namespace dwell::test
