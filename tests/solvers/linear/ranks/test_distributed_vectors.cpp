// SPDX-License-Identifier: MIT
// Null vectors and near-null vectors of systems whose rows are divided among ranks, beside those of
// one solver and Eigen's solution of the least norm: odd divisions, other values, refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "battery.hpp"
#include "divided_answer.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/distributed_solver.hpp"
#include "dwell/linear/divide.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/linear/rigid_body_modes.hpp"
#include "plain_options.hpp"
#include "singular_systems.hpp"

namespace dwell::test {
namespace {

solve_options asking_for(const singular& p, const std::string& method = "cg",
                         preconditioner by = preconditioner::jacobi) {
  solve_options o = plain_options();
  o.null_vectors = p.flat();
  o.method = method;
  o.preconditioner = by;
  o.rtol = 1e-11;
  return o;
}

TEST(divided_null_vectors, have_the_bits_of_one_where_there_is_one_rank) {
  for (const singular& p : {three_parts(9, 7), truss(9, 8)}) {
    const std::vector<double> b = random_vector(p.a.rows, 9);
    for (const char* method : {"cg", "minres", "gmres"}) {
      const solve_options o = asking_for(p, method);
      const auto wanted = solve_whole(p.a, b, o);
      const auto got = solve_divided(p.a, b, {0, p.a.rows}, o);
      EXPECT_EQ(got.x, wanted.x) << method;
      EXPECT_EQ(got.report.iterations, wanted.report.iterations);
      EXPECT_EQ(got.report.rhs_outside_range, wanted.report.rhs_outside_range);
    }
  }
}

TEST(divided_null_vectors, answers_are_those_of_least_norm) {
  for (const singular& p : {three_parts(9, 7), truss(9, 8), truss(17, 4)}) {
    std::vector<double> b = random_vector(p.a.rows, 9);
    for (std::size_t i = 0; i < b.size(); ++i) b[i] += 3 * p.null[i % 3][i];
    const auto wanted = least_norm(p.a, b);
    const auto one = solve_whole(p.a, b, asking_for(p));
    for (const auto& first_rows : odd_divisions(p.a.rows))
      for (const char* method : {"cg", "minres", "bicgstab", "auto"}) {
        SCOPED_TRACE(method + testing::PrintToString(first_rows));
        const auto got = solve_divided(p.a, b, first_rows, asking_for(p, method));
        EXPECT_EQ(got.report.stopped, stop_reason::converged);
        EXPECT_EQ(got.report.null_space, "given");
        EXPECT_NEAR(got.report.rhs_outside_range, one.report.rhs_outside_range, 1e-12);
        EXPECT_LE(got.report.residual_relative_true, 1e-11);
        EXPECT_LE(along(p, got.x), 1e-12);
        EXPECT_LE(distance(got.x, wanted), 1e-6);
      }
  }
}

TEST(divided_null_vectors, go_with_multigrid_of_blocks) {
  const singular p = three_parts(14, 13);  // the judge is dense
  const std::vector<double> b = random_vector(p.a.rows, 4);
  const auto got =
      solve_divided(p.a, b, equal_rows(p.a.rows, 3), asking_for(p, "cg", preconditioner::amg));
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_LE(along(p, got.x), 1e-12);
  EXPECT_LE(distance(got.x, least_norm(p.a, b)), 1e-6);
}

TEST(divided_null_vectors, in_f32) {
  const singular p = truss(12, 9);
  const std::vector<double> wide = random_vector(p.a.rows, 4);
  const std::vector<float> b(wide.begin(), wide.end());
  solve_options o = asking_for(p);
  o.rtol = 1e-4;
  const auto got = solve_divided(convert<float>(p.a.view()), b, equal_rows(p.a.rows, 3), o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_LE(along(p, widen(std::span<const float>(got.x))), 1e-5);
}

TEST(divided_null_vectors, of_other_values_are_checked) {
  const singular p = three_parts(8, 7);
  const std::vector<double> b = random_vector(p.a.rows, 4);
  const std::vector<double> wanted = least_norm(p.a, b);
  run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<double> d(comm, p.a.view(), equal_rows(p.a.rows, 3));
    solve_options o = asking_for(p);
    o.null_vectors = d.scatter_columns(o.null_vectors);
    distributed_solver<double> solver(device::cpu(1), d, o);
    const std::vector<double> mine = d.scatter(b);
    const csr_view<double> rows = d.local();
    std::vector<double> twice(rows.val, rows.val + rows.nonzeros());
    for (double& v : twice) v *= 2;
    solver.update_values(twice);
    std::vector<double> wrong = twice;  // a larger diagonal in the rows of rank 1
    for (index i = 0; comm->rank() == 1 && i < rows.rows; ++i)
      for (index k = rows.row_ptr[i]; k < rows.row_ptr[i + 1]; ++k)
        if (rows.col[k] == i) wrong[static_cast<std::size_t>(k)] *= 1.01;
    EXPECT_THROW(solver.update_values(wrong), input_error) << "all ranks say so";
    std::vector<double> x(mine.size(), 0.0);
    EXPECT_EQ(solver.solve(mine, x).stopped, stop_reason::converged);
    std::vector<double> whole = d.gather(x);
    for (double& e : whole) e *= 2;
    if (comm->rank() == 0) {
      EXPECT_LE(distance(whole, wanted), 1e-7);
    }
  });
}

/// What all of three ranks throw; spoil(rank, options) changes those of a rank.
template <class Spoil>
std::string said_by_all(const csr<double>& a, const solve_options& o, Spoil&& spoil) {
  std::mutex guard;
  std::vector<std::string> said;
  run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, 3));
    solve_options here = o;
    here.null_vectors = d.scatter_columns(o.null_vectors);
    here.preconditioning.near_null = d.scatter_columns(o.preconditioning.near_null);
    spoil(comm->rank(), here);
    try {
      const distributed_solver<double> solver(device::cpu(1), d, here);
    } catch (const input_error& e) {
      const std::lock_guard lock(guard);
      said.emplace_back(e.what());
    }
  });
  EXPECT_EQ(said.size(), 3u);
  for (const std::string& one : said) EXPECT_EQ(one, said.front());
  return said.empty() ? "" : said.front();
}

TEST(divided_null_vectors, refusals_are_those_of_all) {
  const singular p = three_parts(5, 4);
  const auto says = [&](const char* what, auto&& spoil) {
    const std::string said = said_by_all(p.a, asking_for(p), spoil);
    EXPECT_NE(said.find(what), std::string::npos) << said;
  };
  says("3 vectors of 20 elements, those of its rows, on rank 1", [](int rank, solve_options& o) {
    if (rank == 1) o.null_vectors.resize(40);
  });
  says("on rank 2", [](int rank, solve_options& o) {
    if (rank == 2) o.null_vectors.clear();
  });
  says("1 to 6 vectors", [](int, solve_options& o) { o.null_vectors.assign(140, 1.0); });
  says("other than zero, found vector 2",
       [](int, solve_options& o) { std::fill_n(o.null_vectors.begin() + 20, 20, 0.0); });
  says("vector 3 in the span", [](int, solve_options& o) {
    for (std::size_t i = 0; i < 20; ++i)
      o.null_vectors[40 + i] = o.null_vectors[i] - 7 * o.null_vectors[20 + i];
  });
  says("finite", [](int rank, solve_options& o) {
    if (rank == 2) o.null_vectors[3] = std::nan("");
  });
  says("takes to zero", [](int rank, solve_options& o) {
    if (rank == 0) o.null_vectors[0] += 0.01;
  });
  says("expected auto where", [](int, solve_options& o) { o.null_space = "constant"; });
  const csr<double> other = generate("convection2d:10x6:5");
  for (const char* method : {"bicgstab", "auto"}) {
    const std::string said = said_by_all(other, asking_for(p, method), [](int, solve_options&) {});
    EXPECT_NE(said.find("null_vectors ask for it"), std::string::npos) << said;
  }
}

/// A body of nodes with two rows each, and its rigid-body modes.
struct body {
  csr<double> a = generate("elasticity2d:40x30");
  std::vector<double> modes =
      rigid_body_modes(generate_coordinates("elasticity2d:40x30").values, 2);
  solve_options options() const {
    solve_options o = plain_options();
    o.preconditioner = preconditioner::amg;
    o.preconditioning.near_null = modes;
    o.preconditioning.block_size = 2;
    return o;
  }
};

TEST(divided_near_null, has_the_bits_of_one_where_there_is_one_rank) {
  const body of;
  const std::vector<double> b = random_vector(of.a.rows, 3);
  const auto wanted = solve_whole(of.a, b, of.options());
  const auto got = solve_divided(of.a, b, {0, of.a.rows}, of.options());
  EXPECT_EQ(got.x, wanted.x);
  EXPECT_EQ(got.report.iterations, wanted.report.iterations);
}

TEST(divided_near_null, serves_the_blocks_of_ranks) {
  const body of;
  const std::vector<double> b = random_vector(of.a.rows, 3);
  solve_options without = of.options();
  without.preconditioning = {};
  const std::int64_t n = of.a.rows;
  const std::vector<std::vector<std::int64_t>> divisions = {
      {0, n / 4 * 2, n}, {0, 2, 2, n}, {0, 800, 1600, n}};
  for (const auto& first : divisions) {
    SCOPED_TRACE(testing::PrintToString(first));
    const auto got = solve_divided(of.a, b, first, of.options());
    const auto constant = solve_divided(of.a, b, first, without);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_LT(got.report.iterations, constant.report.iterations);
    EXPECT_LE(
        residual_norm(of.a.view(), std::span<const double>(b), std::span<const double>(got.x)),
        1.01e-8 * norm2(b));
  }
}

TEST(divided_near_null, refuses_a_node_of_two_ranks) {
  const csr<double> a = generate("elasticity2d:40x30");  // three ranks have 826, 827 and 827 rows
  solve_options o = plain_options();
  o.preconditioner = preconditioner::amg;
  o.preconditioning.near_null.assign(static_cast<std::size_t>(a.rows), 1.0);
  o.preconditioning.block_size = 2;
  const std::string said = said_by_all(a, o, [](int, solve_options&) {});
  EXPECT_NE(said.find("block of rank"), std::string::npos) << said;
  EXPECT_NE(said.find("rows of a node"), std::string::npos) << said;
}

TEST(divide_by_parts, keeps_nodes_whole) {
  const csr<double> a = generate("elasticity2d:7x5");
  std::vector<int> parts;
  splitmix64 random(3);
  for (index i = 0; i < a.rows; ++i) parts.push_back(static_cast<int>(random.next() % 3));
  const row_division by = divide_by_parts(a.view(), std::span<const int>(parts), 3, 2);
  std::vector<bool> seen(parts.size());
  for (std::size_t k = 0; k < by.order.size(); k += 2) {
    EXPECT_EQ(by.order[k] % 2, 0);
    EXPECT_EQ(by.order[k + 1], by.order[k] + 1);
    seen[static_cast<std::size_t>(by.order[k])] = seen[static_cast<std::size_t>(by.order[k + 1])] =
        true;
    const auto part = static_cast<std::size_t>(parts[static_cast<std::size_t>(by.order[k])]);
    EXPECT_GE(static_cast<std::int64_t>(k), by.first_rows[part]);
    EXPECT_LT(static_cast<std::int64_t>(k), by.first_rows[part + 1]);
  }
  for (const bool one : seen) EXPECT_TRUE(one);
  EXPECT_THROW(divide_by_parts(a.view(), std::span<const int>(parts), 3, 0), input_error);
}

}  // namespace
}  // namespace dwell::test
