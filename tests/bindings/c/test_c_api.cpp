// SPDX-License-Identifier: MIT
// dwell/dwell.h: solves of linear systems have the answers of the C++ interface bit for bit. (That
// a C compiler takes the header: apps/examples/solve_c.c.)
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "battery.hpp"
#include "c_handles.hpp"
#include "c_solvers.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/dwell.h"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/linear/rigid_body_modes.hpp"
#include "dwell/solvers/linear/run/prepared_system.hpp"

namespace dwell::test {
namespace {

template <class T>
class c_solves : public testing::Test {};
TYPED_TEST_SUITE(c_solves, precisions);

TYPED_TEST(c_solves, have_the_bits_of_linear_solver) {
  using T = TypeParam;
  const csr<T> a = converted<T>(mesh(31, 17, 4.25));
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<T> b(n), x(n, T(0)), want(n, T(0));
  for (std::size_t i = 0; i < n; ++i) b[i] = static_cast<T>(std::sin(static_cast<double>(i)));

  solve_options o;
  o.executor = "persistent";
  o.preconditioner = preconditioner::jacobi;
  o.rtol = 1e-5;
  o.history = true;
  linear_solver<T> judge(device::cpu(2), a.view(), o);
  const solve_report wanted = judge.solve(std::span<const T>(b), std::span<T>(want));

  const auto options = cg_options_of();
  EXPECT_EQ(dwell_options_set_text(options.get(), "executor", "persistent"), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_text(options.get(), "preconditioner", "jacobi"), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_double(options.get(), "rtol", 1e-5), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_int(options.get(), "history", 1), DWELL_SUCCESS);
  const auto solver = prepare(a, options.get());
  EXPECT_EQ(dwell_cg_rows(solver.get()), a.rows);
  dwell_report* made = nullptr;
  ASSERT_EQ(dwell_cg_solve(solver.get(), b.data(), x.data(), &made), DWELL_SUCCESS);
  const owned<dwell_report> report(made);
  EXPECT_EQ(x, want);
  EXPECT_EQ(whole(report.get(), "iterations"), wanted.iterations);
  EXPECT_EQ(number(report.get(), "iterations"), wanted.iterations);
  EXPECT_EQ(number(report.get(), "residual_relative_true"), wanted.residual_relative_true);
  EXPECT_EQ(text(report.get(), "executor"), "persistent");
  EXPECT_EQ(text(report.get(), "preconditioner"), "jacobi");
  EXPECT_EQ(text(report.get(), "stopped"), "converged");
  EXPECT_EQ(text(report.get(), "on"), "cpu");
  EXPECT_EQ(text(report.get(), "precision"), (std::is_same_v<T, double> ? "f64" : "f32"));
  EXPECT_GT(number(report.get(), "cut_s"), 0);
  const double* norms = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(dwell_report_history(report.get(), &norms, &count), DWELL_SUCCESS);
  EXPECT_EQ(std::vector<double>(norms, norms + count), wanted.history);
}

TYPED_TEST(c_solves, with_row_pointers_of_64_bits_have_the_bits_of_others) {
  using T = TypeParam;
  const csr<T> a = converted<T>(mesh(31, 17, 4.25));
  const std::vector<std::int64_t> row_ptr(a.row_ptr.begin(), a.row_ptr.end());
  const std::vector<T> b(static_cast<std::size_t>(a.rows), T(1));
  std::vector<T> want(b.size(), T(0));
  const auto options = cg_options_of();
  EXPECT_EQ(dwell_options_set_text(options.get(), "preconditioner", "jacobi"), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_double(options.get(), "rtol", 1e-5), DWELL_SUCCESS);
  const auto judge = prepare(a, options.get());
  ASSERT_EQ(dwell_cg_solve(judge.get(), b.data(), want.data(), nullptr), DWELL_SUCCESS);
  const dwell_csr plain = matrix_of(a);
  dwell_large_csr large = {plain.precision, DWELL_HOST, a.rows,   a.cols, 0,
                           row_ptr.data(),  plain.col,  plain.val};
  for (const std::int64_t limit : {most_in_32_bits, std::int64_t{-1}}) {
    most_nonzeros_shortened() = limit;
    dwell_cg* made = nullptr;
    EXPECT_EQ(dwell_cg_create_large(&made, &two_threads, &large, options.get()), DWELL_SUCCESS)
        << dwell_last_error();
    const owned<dwell_cg> solver(made);
    std::vector<T> x(b.size(), T(0));
    EXPECT_EQ(dwell_cg_solve(solver.get(), b.data(), x.data(), nullptr), DWELL_SUCCESS);
    EXPECT_EQ(x, want);
    EXPECT_EQ(dwell_cg_update_values(solver.get(), large.val, DWELL_HOST), DWELL_SUCCESS);
  }
  EXPECT_EQ(dwell_options_set_text(options.get(), "preconditioner", "amg"), DWELL_SUCCESS);
  dwell_cg* none = nullptr;
  EXPECT_EQ(dwell_cg_create_large(&none, &two_threads, &large, options.get()), DWELL_INPUT_ERROR);
  most_nonzeros_shortened() = most_in_32_bits;
  EXPECT_NE(
      std::string(dwell_last_error()).find("preconditioner amg: expected a matrix of at most"),
      std::string::npos);
  large.row_ptr = nullptr;
  EXPECT_EQ(dwell_cg_create_large(&none, &two_threads, &large, nullptr), DWELL_INPUT_ERROR);
  EXPECT_EQ(none, nullptr);
}

TYPED_TEST(c_solves, by_factors) {
  using T = TypeParam;
  if (methods().back().iterative) GTEST_SKIP() << "this program was built without Eigen";
  const csr<T> a = converted<T>(mesh(31, 17, 4.25));
  std::vector<T> b(static_cast<std::size_t>(a.rows), T(1)), x(b.size(), T(0)), want = x;
  solve_options o;
  o.method = "direct";
  o.rtol = 1e-5;
  const solve_report wanted = solve(device::cpu(2), a.view(), b, want, o);
  const auto options = cg_options_of();
  EXPECT_EQ(dwell_options_set_text(options.get(), "method", "direct"), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_double(options.get(), "rtol", 1e-5), DWELL_SUCCESS);
  const auto solver = prepare(a, options.get());
  dwell_report* made = nullptr;
  ASSERT_EQ(dwell_cg_solve(solver.get(), b.data(), x.data(), &made), DWELL_SUCCESS);
  const owned<dwell_report> report(made);
  EXPECT_EQ(x, want);
  EXPECT_EQ(text(report.get(), "method"), "direct");
  EXPECT_EQ(text(report.get(), "variant"), "ldlt");
  EXPECT_EQ(text(report.get(), "stopped"), "converged");
  EXPECT_EQ(number(report.get(), "factor_nonzeros"), static_cast<double>(wanted.factor_nonzeros));
  EXPECT_GT(number(report.get(), "factor_bytes"), 0);
}

TYPED_TEST(c_solves, of_several_columns_are_those_one_by_one) {
  using T = TypeParam;
  const csr<T> a = converted<T>(mesh(9, 8, 4.5));
  const auto n = static_cast<std::size_t>(a.rows);
  const std::size_t ldb = n + 3, ldx = n + 1;
  std::vector<T> b(3 * ldb, T(1)), x(3 * ldx, T(0));
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<T>(1 + i % 7);
  const auto options = cg_options_of();
  EXPECT_EQ(dwell_options_set_text(options.get(), "preconditioner", "none"), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_int(options.get(), "columns_at_once", 1), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_double(options.get(), "rtol", 1e-5), DWELL_SUCCESS);
  const auto solver = prepare(a, options.get());
  dwell_report* made[3] = {};
  ASSERT_EQ(dwell_cg_solve_columns(solver.get(), 3, b.data(), ldb, x.data(), ldx, made),
            DWELL_SUCCESS);
  for (std::size_t k = 0; k < 3; ++k) {
    const owned<dwell_report> report(made[k]);
    std::vector<T> alone(n, T(0));
    ASSERT_EQ(dwell_cg_solve(solver.get(), b.data() + k * ldb, alone.data(), nullptr),
              DWELL_SUCCESS);
    EXPECT_EQ(std::vector<T>(x.data() + k * ldx, x.data() + k * ldx + n), alone);
    EXPECT_GT(whole(report.get(), "iterations"), 0);
    EXPECT_EQ(whole(report.get(), "columns_together"), 1);
  }
  EXPECT_EQ(x[n], T(0)) << "between the columns";
  EXPECT_EQ(dwell_options_set_int(options.get(), "columns_at_once", 2), DWELL_SUCCESS);
  const auto in_pairs = prepare(a, options.get());
  ASSERT_EQ(dwell_cg_solve_columns(in_pairs.get(), 3, b.data(), ldb, x.data(), ldx, made),
            DWELL_SUCCESS);
  for (std::size_t k = 0; k < 3; ++k) {
    const owned<dwell_report> report(made[k]);
    EXPECT_EQ(whole(report.get(), "columns_together"), k < 2 ? 2 : 1);
  }
  expect_refused(dwell_cg_solve_columns(solver.get(), 2, b.data(), n - 1, x.data(), ldx, nullptr),
                 "columns");
  // Distances at which the last column, counted in 64 bits, is near the first again.
  for (const std::size_t far :
       {std::size_t(1) << 63, std::size_t(1) << 62, std::numeric_limits<std::size_t>::max()})
    for (const int count : {2, 3, 5}) {
      expect_refused(
          dwell_cg_solve_columns(solver.get(), count, b.data(), far, x.data(), n, nullptr),
          "b: expected fewer than 2^64");
      expect_refused(
          dwell_cg_solve_columns(solver.get(), count, b.data(), n, x.data(), far, nullptr),
          "x: expected fewer than 2^64");
    }
  EXPECT_EQ(dwell_cg_solve_columns(solver.get(), 0, nullptr, n, nullptr, n, nullptr),
            DWELL_SUCCESS);
}

TYPED_TEST(c_solves, take_other_values_and_tolerances) {
  using T = TypeParam;
  const csr<T> a = converted<T>(mesh(9, 8, 4.5));
  const auto n = static_cast<std::size_t>(a.rows);
  const std::vector<T> b(n, T(1));
  std::vector<T> x(n, T(0)), y(n, T(0)), twice(a.val);
  for (T& v : twice) v *= 2;
  const auto options = cg_options_of();
  EXPECT_EQ(dwell_options_set_double(options.get(), "rtol", 1e-5), DWELL_SUCCESS);
  const auto solver = prepare(a, options.get());
  ASSERT_EQ(dwell_cg_solve(solver.get(), b.data(), x.data(), nullptr), DWELL_SUCCESS);
  ASSERT_EQ(dwell_cg_update_values(solver.get(), twice.data(), DWELL_HOST), DWELL_SUCCESS);
  ASSERT_EQ(dwell_cg_solve(solver.get(), b.data(), y.data(), nullptr), DWELL_SUCCESS);
  for (std::size_t i = 0; i < n; ++i) EXPECT_EQ(x[i], 2 * y[i]) << i;
  ASSERT_EQ(dwell_cg_set_tolerances(solver.get(), 0.5, 0), DWELL_SUCCESS);
  std::fill(y.begin(), y.end(), T(0));
  dwell_report* made = nullptr;
  ASSERT_EQ(dwell_cg_solve(solver.get(), b.data(), y.data(), &made), DWELL_SUCCESS);
  const owned<dwell_report> report(made);
  EXPECT_LE(whole(report.get(), "iterations"), 3);
  expect_refused(dwell_cg_set_tolerances(solver.get(), -1, 0), "rtol");
  expect_refused(dwell_cg_update_values(solver.get(), twice.data(), 2), "memory");
  expect_refused(dwell_cg_update_values(solver.get(), nullptr, DWELL_HOST), "val");
}

TEST(c_near_null, has_the_bits_of_linear_solver) {
  const csr<double> a = generate("elasticity2d:20x15");
  const generated_nodes nodes = generate_coordinates("elasticity2d:20x15");
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> modes(3 * n), b(n, 1.0), x(n, 0.0), want(n, 0.0);
  ASSERT_EQ(dwell_rigid_body_modes(2, n / 2, nodes.values.data(), 0, modes.data()), DWELL_SUCCESS);
  EXPECT_EQ(modes, rigid_body_modes(nodes.values, 2));

  solve_options o;
  o.preconditioner = preconditioner::amg;
  o.preconditioning.near_null = modes;
  o.preconditioning.block_size = 2;
  linear_solver<double> judge(device::cpu(2), a.view(), o);
  const solve_report wanted = judge.solve(std::span<const double>(b), std::span<double>(want));

  const auto options = cg_options_of();
  EXPECT_EQ(dwell_options_set_text(options.get(), "preconditioner", "amg"), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_int(options.get(), "block_size", 2), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_doubles(options.get(), "near_null", modes.data(), modes.size()),
            DWELL_SUCCESS);
  const auto solver = prepare(a, options.get());
  dwell_report* made = nullptr;
  ASSERT_EQ(dwell_cg_solve(solver.get(), b.data(), x.data(), &made), DWELL_SUCCESS);
  const owned<dwell_report> report(made);
  EXPECT_EQ(x, want);
  EXPECT_EQ(whole(report.get(), "iterations"), wanted.iterations);

  expect_refused(dwell_rigid_body_modes(4, 1, b.data(), 0, x.data()), "dimension 2 or 3, found 4");
  expect_refused(dwell_rigid_body_modes(2, 1, nullptr, 0, x.data()), "coordinates");
  expect_refused(dwell_rigid_body_modes(2, 1, b.data(), 0, nullptr), "modes");
  // So many that their coordinates, counted in 64 bits, are few again.
  for (const int dims : {2, 3})
    for (const std::size_t nodes : {std::size_t(1) << 31, (std::size_t(1) << 63) + 1,
                                    std::numeric_limits<std::size_t>::max() / 3 + 2})
      expect_refused(dwell_rigid_body_modes(dims, nodes, b.data(), 0, x.data()),
                     "nodes: expected at most 2147483647");
}

TEST(c_solve, in_mixed_precision_and_modulo_null_vectors) {
  // Two grids with Neumann boundaries, one after the other.
  const csr<double> part = generate("neumann2d:9x7");
  csr<double> a = part;
  a.rows = a.cols = 2 * part.rows;
  for (index i = 1; i <= part.rows; ++i)
    a.row_ptr.push_back(part.nonzeros() + part.row_ptr[static_cast<std::size_t>(i)]);
  for (const index j : part.col) a.col.push_back(part.rows + j);
  a.val.insert(a.val.end(), part.val.begin(), part.val.end());
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> b(n), x(n), null(2 * n);
  for (std::size_t i = 0; i < n; ++i) {
    b[i] = std::sin(static_cast<double>(i));
    null[i < n / 2 ? i : n + i] = 1;
  }
  const auto options = cg_options_of();
  EXPECT_EQ(dwell_options_set_int(options.get(), "mixed_precision", 1), DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_doubles(options.get(), "null_vectors", null.data(), null.size()),
            DWELL_SUCCESS);
  EXPECT_EQ(dwell_options_set_double(options.get(), "rtol", 1e-11), DWELL_SUCCESS);
  const auto solver = prepare(a, options.get());
  dwell_report* made = nullptr;
  ASSERT_EQ(dwell_cg_solve(solver.get(), b.data(), x.data(), &made), DWELL_SUCCESS);
  const owned<dwell_report> report(made);
  EXPECT_EQ(text(report.get(), "precision"), "mixed");
  EXPECT_EQ(text(report.get(), "null_space"), "given");
  EXPECT_GE(whole(report.get(), "refinements"), 1);
  EXPECT_LE(number(report.get(), "residual_relative_true"), 1e-11);
  double first = 0, second = 0;
  for (std::size_t i = 0; i < n; ++i) (i < n / 2 ? first : second) += x[i];
  EXPECT_NEAR(first, 0, 1e-11);
  EXPECT_NEAR(second, 0, 1e-11);
  dwell_cg* refused = nullptr;
  null[0] = 5;
  EXPECT_EQ(dwell_options_set_doubles(options.get(), "null_vectors", null.data(), null.size()),
            DWELL_SUCCESS);
  const dwell_csr view = matrix_of(a);
  expect_refused(dwell_cg_create(&refused, &two_threads, &view, options.get()), "null_vectors");
}

}  // namespace
}  // namespace dwell::test
