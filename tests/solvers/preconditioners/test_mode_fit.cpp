// SPDX-License-Identifier: MIT
// Whether near-null vectors fit a matrix: counts of rows beside a plain look, and which vectors a
// report warns of, of random bodies in right and wrong orders. Linked again into the tests of a
// GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "amg_hierarchy.hpp"
#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/rigid_body_modes.hpp"
#include "dwell/solvers/preconditioners/amg/mode_fit.hpp"
#include "place.hpp"
#include "plain_options.hpp"
#include "sanitized.hpp"

namespace dwell::test {
namespace {

/// An elastic body, coordinates of its nodes and what the modes make of them.
struct random_body {
  std::string name;
  csr<double> a;
  std::vector<double> coordinates;
  int dimension;

  random_body(std::mt19937& random, bool solid) {
    const auto side = [&](unsigned least, unsigned more) {
      return std::to_string(least + random() % more);
    };
    name = solid ? "elasticity3d:" + side(8, 6) + "x" + side(4, 4) + "x" + side(4, 4)
                 : "elasticity2d:" + side(12, 30) + "x" + side(8, 20);
    if (random() % 2 == 0) name += ":0.4";
    a = generate(name);
    const generated_nodes nodes = generate_coordinates(name);
    coordinates = nodes.values;
    dimension = nodes.dimension;
    for (double& c : coordinates) c = 1e-3 * c + 5.0;  // other units and another origin
  }
  index nodes() const { return a.rows / dimension; }
  std::vector<double> modes() const { return rigid_body_modes(coordinates, dimension); }
  index vectors() const { return dimension == 2 ? 3 : 6; }

  /// Vectors of a matrix with all first unknowns before all second ones, in the order of this one.
  std::vector<double> by_unknowns(const std::vector<double>& v) const {
    std::vector<double> out(v.size());
    const auto n = static_cast<std::size_t>(a.rows), d = static_cast<std::size_t>(dimension);
    for (std::size_t k = 0; k < v.size(); ++k) {
      const std::size_t row = k % n;
      out[k] = v[k - row + row % d * (n / d) + row / d];
    }
    return out;
  }
  void shuffle_coordinates(std::mt19937& random) {
    std::vector<index> order(static_cast<std::size_t>(nodes()));
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<double> out;
    for (const index node : order)
      for (int k = 0; k < dimension; ++k)
        out.push_back(coordinates[static_cast<std::size_t>(node * dimension + k)]);
    coordinates = out;
  }
};

std::vector<double> shares_of(const csr<double>& a, const std::vector<double>& near_null,
                              index node_rows, std::string* note = nullptr) {
  amg_options o;
  o.near_null = near_null;
  o.node_rows = node_rows;
  const set_up s(place::where(), a, o);
  if (note) *note = s.made.note();
  return s.made.rows_apart;
}

class mode_fit : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

TEST_F(mode_fit, counts_the_rows_of_a_plain_look) {
  std::mt19937 random(11);
  for (int k = 0; k < (sanitized ? 2 : 8); ++k) {
    const random_body body(random, k % 2 == 0);
    SCOPED_TRACE(body.name);
    std::vector<double> v = body.modes();
    const auto n = static_cast<std::size_t>(body.a.rows);
    for (std::size_t i = 0; i < n; ++i) {  // one is none in some of the rows, one has no rows
      v[i] *= i % 50 < 10 ? 1.0 + 0.001 * static_cast<double>(random() % 100) : 1.0;
      v[n + i] = 0.0;
    }
    const std::vector<double> found = shares_of(body.a, v, body.dimension);
    ASSERT_EQ(found.size(), static_cast<std::size_t>(body.vectors()));
    const dense_matrix a = dense_of(body.a);
    for (index m = 0; m < body.vectors(); ++m) {
      const dense_vector z =
          Eigen::Map<const dense_vector>(v.data() + static_cast<std::size_t>(m) * n, body.a.rows);
      const dense_vector sum = a * z, size = a.cwiseAbs() * z.cwiseAbs();
      index rows = 0, apart = 0, near = 0;
      for (index i = 0; i < body.a.rows; ++i) {
        rows += size[i] > 0.0;
        const double share = size[i] > 0.0 ? std::fabs(sum[i]) / size[i] : 0.0;
        apart += share > ::dwell::amg::largest_of_fit;
        near += std::fabs(share - ::dwell::amg::largest_of_fit) < 1e-9;
      }
      const double expected = rows > 0 ? static_cast<double>(apart) / rows : 1.0;
      EXPECT_NEAR(found[static_cast<std::size_t>(m)], expected,
                  1e-12 + static_cast<double>(near) / std::max<index>(1, rows));
    }
  }
}

TEST_F(mode_fit, says_which_vectors_are_in_another_order) {
  std::mt19937 random(12);
  for (int k = 0; k < (sanitized ? 6 : 24); ++k) {
    random_body body(random, k % 2 == 0);
    const int kind = k % 3;
    SCOPED_TRACE(body.name + ", " + std::to_string(kind));
    const index turns = body.dimension == 2 ? 1 : 3;
    if (kind == 1) body.shuffle_coordinates(random);
    const std::vector<double> v = kind == 2 ? body.by_unknowns(body.modes()) : body.modes();
    std::string note;
    const std::vector<double> shares = shares_of(body.a, v, body.dimension, &note);
    for (index m = 0; m < body.vectors(); ++m) {
      const bool is_turn = m >= body.vectors() - turns;
      if (kind == 0 || (kind == 1 && !is_turn)) {
        EXPECT_LE(shares[static_cast<std::size_t>(m)], ::dwell::amg::most_rows_apart) << m;
      } else if (kind == 1) {
        EXPECT_GT(shares[static_cast<std::size_t>(m)], 0.9) << m;
      }
    }
    EXPECT_EQ(note.find("near-null vectors do not fit the matrix") != std::string::npos, kind != 0)
        << note;
  }
}

bool holds_misfit(const std::string& note) {
  return note.find("near-null vectors do not fit the matrix") != std::string::npos;
}

// In f64 and f32, and where the matrix's units make the solve take others.
TEST_F(mode_fit, is_said_in_the_report) {
  std::mt19937 random(13);
  random_body body(random, false);
  const std::vector<double> right = body.modes();
  body.shuffle_coordinates(random);
  const std::vector<double> wrong = body.modes();
  const auto note_of = [&](const auto& s, const std::vector<double>& modes) {
    solve_options o = plain_options();
    o.preconditioner = preconditioner::amg;
    o.preconditioning.near_null = modes;
    o.preconditioning.block_size = body.dimension;
    o.rtol = 1e-4;
    o.max_iterations = 2000;
    const solve_report report = run(s, o).report;
    EXPECT_EQ(report.near_null_misfit, holds_misfit(report.preconditioner_note));
    return report.preconditioner_note;
  };
  const std::string expected =
      "near-null vectors do not fit the matrix: of number 3 (of 3) A z is over 1 % of |A| |z| in "
      "up "
      "to ";
  csr<double> scaled = body.a;  // rows and columns in units from 1 to 1e12
  std::vector<double> unit(static_cast<std::size_t>(scaled.rows)), right_scaled = right,
                                                                   wrong_scaled = wrong;
  for (std::size_t i = 0; i < unit.size(); ++i)
    unit[i] = std::pow(10.0, 6.0 * static_cast<double>(random() % 1000) / 1000.0);
  for (index i = 0; i < scaled.rows; ++i)
    for (index k = scaled.row_ptr[static_cast<std::size_t>(i)];
         k < scaled.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      scaled.val[static_cast<std::size_t>(k)] *=
          unit[static_cast<std::size_t>(i)] *
          unit[static_cast<std::size_t>(scaled.col[static_cast<std::size_t>(k)])];
  for (std::size_t k = 0; k < right.size(); ++k) {
    right_scaled[k] /= unit[k % unit.size()];
    wrong_scaled[k] /= unit[k % unit.size()];
  }
  EXPECT_EQ(note_of(system_of<double>(body.a), right), "");
  EXPECT_EQ(note_of(system_of<float>(body.a), right), "");
  EXPECT_EQ(note_of(system_of<double>(scaled), right_scaled), "");
  EXPECT_EQ(note_of(system_of<double>(body.a), wrong).substr(0, expected.size()), expected);
  EXPECT_EQ(note_of(system_of<float>(body.a), wrong).substr(0, expected.size()), expected);
  EXPECT_EQ(note_of(system_of<double>(scaled), wrong_scaled).substr(0, expected.size()), expected);
}

}  // namespace
}  // namespace dwell::test
