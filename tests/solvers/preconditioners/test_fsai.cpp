// SPDX-License-Identifier: MIT
// Factorized sparse approximate inverses: the equations that define the factor, on its pattern; the
// inverse itself where the pattern is full; long rows; matrices that are not definite. Linked again
// into the tests of a GPU.
#include <gtest/gtest.h>

#include <cmath>

#include "cg_runner.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "place.hpp"
#include "plain_options.hpp"
#include "played_sequence.hpp"
#include "sequence_matrices.hpp"

namespace dwell::test {
namespace {

class fsai : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

TEST_F(fsai, has_the_factor_of_its_equations) {
  for (const int power : {1, 2})
    for (const auto& [name, matrix] : definite_matrices()) {
      SCOPED_TRACE(testing::Message() << name << ", power " << power);
      const played_sequence m(place::where(), matrix, preconditioner::fsai, {.power = power});
      EXPECT_EQ(m.phases(), 2);
      EXPECT_TRUE(m.note().empty());
      const dense_matrix g = m.matrix(0), a = dense_of(matrix);
      EXPECT_EQ(m.matrix(1), g.transpose());
      // G is in the root of a unit that is a power of four.
      const dense_matrix ga = g * a, gag = ga * g.transpose();
      const double unit = gag(0, 0), exponent = std::log2(unit) / 2;
      EXPECT_NEAR(exponent, std::round(exponent), 1e-5);
      dense_matrix of_a = (a.array() != 0.0).cast<double>();
      if (power == 2) of_a = of_a * of_a;
      for (index i = 0; i < matrix.rows; ++i) {
        EXPECT_NEAR(gag(i, i), unit, 1e-5 * unit);
        int elements = 0;
        for (index j = 0; j < matrix.rows; ++j) elements += j <= i && of_a(i, j) != 0.0;
        for (index j = 0; j < matrix.rows; ++j) {
          if (j > i || of_a(i, j) == 0.0) {
            EXPECT_EQ(g(i, j), 0.0);
          } else if (j < i && elements <= 64) {
            EXPECT_NEAR(ga(i, j), 0.0, 1e-5 * std::abs(ga(i, i)) * std::sqrt(a(j, j) / a(i, i)));
          }
        }
      }
    }
}

TEST_F(fsai, of_a_full_pattern_is_the_inverse) {
  symmetric full(40);
  for (index i = 0; i < 40; ++i)
    for (index j = 0; j < i; ++j) full.add(i, j, std::sin(1.0 + i * j));
  const csr<double> matrix = full.dominant([](index i) { return 0.1 + i; });
  const played_sequence m(place::where(), matrix, preconditioner::fsai);
  dense_matrix product = m.dense() * dense_of(matrix);
  product /= product(0, 0);
  EXPECT_LT((product - dense_matrix::Identity(40, 40)).norm(), 1e-4);
}

TEST_F(fsai, keeps_the_largest_of_long_rows) {
  symmetric arrow(300);
  for (index i = 0; i + 1 < 300; ++i) arrow.add(299, i, i % 5 == 0 ? -1.0 : -0.01);
  const csr<double> matrix = arrow.dominant([](index) { return 1.0; });
  const played_sequence m(place::where(), matrix, preconditioner::fsai);
  const dense_matrix g = m.matrix(0);
  int elements = 0;
  for (index j = 0; j < 300; ++j) {
    elements += g(299, j) != 0.0;
    if (g(299, j) != 0.0 && j < 299) {
      EXPECT_TRUE(j % 5 == 0 || j > 270) << j;
    }
  }
  EXPECT_EQ(elements, 64);
  const dense_matrix gag = g * dense_of(matrix) * g.transpose();
  EXPECT_NEAR(gag(299, 299), gag(0, 0), 1e-5 * gag(0, 0));
}

TEST_F(fsai, squares_no_matrix_whose_square_is_nearly_full) {
  symmetric arrow(2000);
  for (index i = 0; i + 1 < 2000; ++i) arrow.add(1999, i, -1.0);
  const csr<double> matrix = arrow.dominant([](index) { return 1.0; });
  const played_sequence m(place::where(), matrix, preconditioner::fsai, {.power = 2});
  EXPECT_NE(m.note().find("the pattern of A"), std::string::npos) << m.note();
}

TEST_F(fsai, reports_say_what_a_user_should_know) {
  symmetric arrow(2000);
  for (index i = 0; i + 1 < 2000; ++i) arrow.add(1999, i, -1.0);
  const csr<double> matrix = arrow.dominant([](index) { return 1.0; });
  const std::vector<double> b(2000, 1.0);
  std::vector<double> x(2000, 0.0);
  solve_options o = plain_options();
  o.preconditioner = preconditioner::fsai;
  EXPECT_EQ(solve(place::where(), matrix.view(), b, x, o).preconditioner_note, "");
  o.preconditioning.power = 2;
  const played_sequence made(place::where(), matrix, preconditioner::fsai, {.power = 2});
  linear_solver<double> solver(place::where(), matrix.view(), o);
  for (int k = 0; k < 2; ++k) {
    const solve_report r = solver.solve(std::span<const double>(b), std::span<double>(x));
    EXPECT_EQ(r.preconditioner_note, made.note());
    solver.update_values(std::span<const double>(matrix.val));
  }
  o.mixed_precision = true;
  EXPECT_EQ(solve(place::where(), matrix.view(), b, x, o).preconditioner_note, made.note());
}

TEST_F(fsai, leaves_the_diagonal_where_a_matrix_is_not_definite) {
  symmetric m(5);
  for (index i = 0; i < 5; ++i) m.add(i, i, 4.0);
  m.add(1, 0, -1.0);
  m.add(3, 2, 8.0);  // 4 4 - 8 8 < 0
  const played_sequence made(place::where(), m.as_is(), preconditioner::fsai);
  EXPECT_EQ(made.note(),
            "fsai: 1 row has the diagonal alone: the matrix is not positive definite there");
  const dense_matrix g = made.matrix(0);
  EXPECT_EQ(g(3, 2), 0.0);
  EXPECT_EQ(g(3, 3), g(4, 4));
  EXPECT_NE(g(1, 0), 0.0);
}

}  // namespace
}  // namespace dwell::test
