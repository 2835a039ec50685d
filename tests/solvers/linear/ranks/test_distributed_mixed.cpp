// SPDX-License-Identifier: MIT
// Mixed precision of systems whose rows are divided among ranks: the bits of one solver on one
// rank, odd divisions, null spaces, other values, and where f32 is too short.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "battery.hpp"
#include "divided_answer.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/distributed_solver.hpp"
#include "plain_options.hpp"
#include "singular_systems.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

solve_options mixed(double rtol, preconditioner by = preconditioner::jacobi) {
  solve_options o = plain_options();
  o.mixed_precision = true;
  o.rtol = rtol;
  o.preconditioner = by;
  return o;
}

TEST(divided_mixed, has_the_bits_of_one_where_there_is_one_rank) {
  const csr<double> a = generate("poisson2d:31x47");
  const std::vector<double> b = random_vector(a.rows, 1);
  for (const char* method : {"cg", "minres", "bicgstab", "gmres"})
    for (const auto by : {preconditioner::none, preconditioner::jacobi, preconditioner::amg,
                          preconditioner::automatic}) {
      if (by == preconditioner::amg && std::string(method) != "cg") continue;
      SCOPED_TRACE(method + to_string(by));
      solve_options o = mixed(1e-12, by);
      o.method = method;
      const auto got = solve_divided(a, b, {0, a.rows}, o);
      // One solver may go on with what ranks do not have: it is told what was chosen here.
      if (by == preconditioner::automatic) o.preconditioner = got.report.preconditioner;
      const auto wanted = solve_whole(a, b, o);
      EXPECT_EQ(got.report.precision, "mixed");
      EXPECT_EQ(got.x, wanted.x);
      EXPECT_EQ(got.report.iterations, wanted.report.iterations);
      EXPECT_EQ(got.report.refinements, wanted.report.refinements);
    }
}

TEST(divided_mixed, converges_in_odd_divisions) {
  const csr<double> a = generate("poisson2d:31x47");
  const std::vector<double> b = random_vector(a.rows, 2);
  const std::vector<std::vector<std::int64_t>> divisions = {
      {0, a.rows / 2, a.rows}, {0, 0, 1, a.rows}, {0, 500, 500, 900, a.rows}};
  for (const auto& first : divisions)
    for (const auto by : {preconditioner::none, preconditioner::jacobi, preconditioner::amg}) {
      SCOPED_TRACE(testing::PrintToString(first) + to_string(by));
      solve_options o = mixed(1e-12, by);
      o.history = true;
      auto got = solve_divided(a, b, first, o);
      EXPECT_EQ(got.report.precision, "mixed");
      EXPECT_GE(got.report.refinements, 1);
      EXPECT_EQ(got.report.history.size(), static_cast<std::size_t>(got.report.iterations) + 1);
      const auto wanted = solve_whole(a, b, o);
      if (by == preconditioner::amg) got.report.iterations = wanted.report.iterations;
      expect_alike(got, wanted, a, b, o.rtol, 10);
    }
}

TEST(divided_mixed, goes_on_in_f64_where_f32_is_too_short) {
  const csr<double> a = beam(150);
  const std::vector<double> b = random_vector(a.rows, 3);
  const auto got = solve_divided(a, b, equal_rows(a.rows, 3), mixed(1e-9));
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_NE(got.report.reason.find("in f64 instead of mixed precision: after"), std::string::npos)
      << got.report.reason;
  EXPECT_LE(residual_norm(a.view(), std::span<const double>(b), std::span<const double>(got.x)),
            1.01e-9 * norm2(b));
}

// Rows of the last rank alone are in a unit whose square f32 does not hold.
TEST(divided_mixed, begins_in_f64_where_f32_has_no_diagonal) {
  csr<double> a = generate("poisson2d:12x12");
  std::vector<double> b = random_vector(a.rows, 3);
  const auto unit = [](index i) { return i < 130 ? 1.0 : 1e-30; };
  for (index i = 0; i < a.rows; ++i) {
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      a.val[static_cast<std::size_t>(k)] *= unit(i) * unit(a.col[static_cast<std::size_t>(k)]);
    b[static_cast<std::size_t>(i)] *= unit(i);
  }
  const auto got = solve_divided(a, b, equal_rows(a.rows, 3), mixed(1e-10));
  EXPECT_EQ(got.report.precision, "f64");
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_NE(got.report.reason.find("in f32 matrix: expected a diagonal"), std::string::npos)
      << got.report.reason;
}

TEST(divided_mixed, solves_modulo_null_spaces) {
  const singular p = truss(12, 9);
  const std::vector<double> b = random_vector(p.a.rows, 4);
  solve_options o = mixed(1e-11);
  o.null_vectors = p.flat();
  const auto got = solve_divided(p.a, b, equal_rows(p.a.rows, 3), o);
  EXPECT_EQ(got.report.precision, "mixed");
  EXPECT_EQ(got.report.null_space, "given");
  EXPECT_LE(along(p, got.x), 1e-12);
  EXPECT_LE(distance(got.x, least_norm(p.a, b)), 1e-6);
  const csr<double> a = generate("neumann2d:12x17");
  const std::vector<double> of_a = random_vector(a.rows, 8);
  const auto whole = solve_whole(a, of_a, mixed(1e-11));
  const auto constants = solve_divided(a, of_a, equal_rows(a.rows, 3), mixed(1e-11));
  EXPECT_EQ(constants.report.null_space, "constant");
  EXPECT_LE(distance(constants.x, whole.x), 1e-8);
}

TEST(divided_mixed, takes_other_values) {
  const csr<double> a = generate("poisson2d:20x21");
  const std::vector<double> b = random_vector(a.rows, 5);
  for (const auto by : {preconditioner::jacobi, preconditioner::amg})
    run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
      const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, 3));
      distributed_solver<double> solver(device::cpu(1), d, mixed(1e-12, by));
      const std::vector<double> mine = d.scatter(b);
      std::vector<double> before(mine.size(), 0.0), after(mine.size(), 0.0);
      solver.solve(mine, before);
      std::vector<double> twice(d.local().val, d.local().val + d.local().nonzeros());
      for (double& v : twice) v *= 2;
      solver.update_values(twice);
      const solve_report report = solver.solve(mine, after);
      EXPECT_EQ(report.precision, "mixed");
      EXPECT_EQ(report.stopped, stop_reason::converged);
      for (std::size_t i = 0; i < after.size(); ++i) EXPECT_NEAR(2 * after[i], before[i], 1e-8);
    });
}

TEST(divided_mixed, ends_for_all_where_one_asks_for_it) {
  const csr<double> a = generate("poisson2d:60x60");
  const std::vector<double> b = random_vector(a.rows, 6);
  std::atomic<int> interrupted{0};
  run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
    solve_options o = mixed(1e-12);
    o.progress_interval = 0;
    if (comm->rank() == 1) o.progress = [](const solve_progress& now) { return now.iteration < 5; };
    const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, 3));
    const std::vector<double> mine = d.scatter(b);
    std::vector<double> x(mine.size(), 0.0);
    distributed_solver<double> solver(device::cpu(1), d, o);
    if (solver.solve(mine, x).stopped == stop_reason::interrupted) ++interrupted;
  });
  EXPECT_EQ(interrupted, 3);
}

TEST(divided_mixed, is_of_systems_in_f64) {
  const csr<float> a = convert<float>(generate("poisson2d:8x8").view());
  run_as_ranks(2, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<float> d(comm, a.view(), equal_rows(a.rows, 2));
    EXPECT_THROW(distributed_solver<float>(device::cpu(1), d, mixed(1e-4)), input_error);
  });
}

}  // namespace
}  // namespace dwell::test
