// SPDX-License-Identifier: MIT
// Several right-hand sides in one pass over a matrix whose rows are divided among ranks: against
// linear_solver with the same columns, against single solves, and groups that all ranks must take
// the same. How columns end: test_distributed_columns_ends.cpp.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "battery.hpp"
#include "divided_answer.hpp"
#include "divided_columns.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/plan_target.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/linear/distributed_solver.hpp"
#include "dwell/solvers/linear/choose/decide.hpp"
#include "singular_systems.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

template <class T>
void expect_bits_of_one(const csr<T>& a, const solve_options& o, int count, int threads) {
  const column_list<T> b = random_columns<T>(a.rows, count);
  const auto got = solve_columns_divided(a, b, {0, a.rows}, o, threads);
  for (const char* executor : {"persistent", "host-loop"}) {
    solve_options alone = o;
    alone.executor = executor;
    const auto wanted = solve_columns_whole_on(device::cpu(threads), a, b, alone);
    EXPECT_EQ(got.x, wanted.x) << executor;
    for (std::size_t k = 0; k < b.size(); ++k) {
      const solve_report &here = got.reports[k], &there = wanted.reports[k];
      EXPECT_EQ(here.executor, "host-loop");
      EXPECT_EQ(there.executor, executor);
      EXPECT_EQ(here.columns_together, there.columns_together);
      EXPECT_EQ(here.iterations, there.iterations);
      if (here.columns_together > 1) {
        EXPECT_EQ(here.reason, there.reason);
      }
      EXPECT_EQ(here.residual_relative_true, there.residual_relative_true);
      EXPECT_EQ(here.condition_estimate, there.condition_estimate);
      EXPECT_EQ(here.rhs_norm, there.rhs_norm);
    }
  }
}

TEST(divided_columns, have_the_bits_of_one_where_there_is_one_rank) {
  const csr<double> a = generate("poisson2d:31x47");
  for (const int threads : {1, 3})
    for (const preconditioner by : {preconditioner::none, preconditioner::jacobi})
      for (const int at_once : {0, 2, 4, 8}) {
        SCOPED_TRACE(std::to_string(threads) + " threads, at once " + std::to_string(at_once));
        expect_bits_of_one(a, asking(at_once, by), 7, threads);
      }
  solve_options o = asking(8);
  o.rtol = 1e-4;
  expect_bits_of_one(convert<float>(a.view()), o, 8, 2);
}

// Ranks of one team each add as the teams of one device do. Of what may round otherwise there is
// nothing here: the two products of a row, which a rank may take in another order (ghosts are its
// last columns), are exact, and the frame of the solve, whose passes are cut by the rows of a rank,
// has no part in the iteration.
TEST(divided_columns, have_the_bits_of_teams_where_ranks_have_the_rows_of_teams) {
  const index half = 700;
  symmetric s(2 * half);
  for (index i = 0; i < 2 * half; ++i) s.add(i, i, std::ldexp(1.0, 1 + (i * 7) % 5));
  for (index i = 0; i < half; ++i) s.add(i, i + half, -1);
  const csr<double> a = s.as_is();
  for (const int columns : {2, 4, 8}) {
    solve_options o = asking(columns, preconditioner::none);
    o.fixed_iterations = true;
    o.max_iterations = 7;
    const plan_target target = target_of(device::cpu(3));
    cut_cache<double> cuts(device::cpu(1), arrays_of(a.view()));
    const solve_request<double> q{target, cuts, o};
    const auto group = decide_group(q, decide(q), columns);
    std::vector<std::int64_t> first_rows;
    for (const team_part& part : group.how.made.cut->outline.teams)
      first_rows.push_back(part.begin.row);
    ASSERT_EQ(first_rows.size(), 3u);
    first_rows.push_back(a.rows);
    const auto b = random_columns<double>(a.rows, columns);
    const auto got = solve_columns_divided(a, b, first_rows, o);
    EXPECT_EQ(got.x, solve_columns_whole_on(device::cpu(3), a, b, o).x);
    EXPECT_EQ(got.reports.front().columns_together, columns);
  }
}

TEST(divided_columns, converge_as_one_at_a_time) {
  for (const char* kind : {"poisson2d:31x47", "poisson3d:9x10x11"}) {
    const csr<double> a = generate(kind);
    const auto b = random_columns<double>(a.rows, 15);
    for (const auto& first_rows : odd_divisions(a.rows)) {
      SCOPED_TRACE(kind + testing::PrintToString(first_rows));
      const auto alone = solve_columns_divided(a, b, first_rows, asking(1));
      const auto got = solve_columns_divided(a, b, first_rows, asking(8));
      for (std::size_t k = 0; k < b.size(); ++k) {
        const int together = k < 8 ? 8 : k < 12 ? 4 : k < 14 ? 2 : 1;
        EXPECT_EQ(got.reports[k].columns_together, together);
        EXPECT_EQ(alone.reports[k].columns_together, 1);
        expect_alike({got.x[k], got.reports[k]}, {alone.x[k], alone.reports[k]}, a, b[k], 1e-8);
        EXPECT_NEAR(got.reports[k].condition_estimate, alone.reports[k].condition_estimate,
                    0.1 * alone.reports[k].condition_estimate);
        if (together == 1) {
          EXPECT_EQ(got.x[k], alone.x[k]);
          EXPECT_NE(got.reports[k].reason.find("the last one of an odd number"), std::string::npos);
        } else {
          EXPECT_NE(got.reports[k].reason.find(std::to_string(together) +
                                               " right-hand sides in one pass over the matrix"),
                    std::string::npos)
              << got.reports[k].reason;
        }
      }
    }
  }
}

TEST(divided_columns, of_every_matrix_of_the_battery) {
  for (const battery_case& c : battery()) {
    SCOPED_TRACE(c.name);
    const csr<double> a = c.build();
    const auto b = random_columns<double>(a.rows, 2);
    solve_options o = asking(2);
    o.max_iterations = 2000;
    const auto whole = solve_columns_whole_on(device::cpu(2), a, b, o);
    const auto got = solve_columns_divided(a, b, {0, a.rows / 3, a.rows / 3, a.rows}, o, 2);
    for (std::size_t k = 0; k < 2; ++k) {
      EXPECT_EQ(got.reports[k].columns_together, 2);
      if (whole.reports[k].stopped != stop_reason::converged) continue;
      EXPECT_EQ(got.reports[k].stopped, stop_reason::converged);
      EXPECT_LE(
          residual_norm(a.view(), std::span<const double>(b[k]), std::span<const double>(got.x[k])),
          1.01 * o.rtol * norm2(b[k]));
    }
  }
}

TEST(divided_columns, do_not_know_of_their_neighbours) {
  const csr<double> a = battery_at("blocks_300").build();
  const auto all = random_columns<double>(a.rows, 2);
  std::vector<double> large = all[1], nothing(all[1].size(), 0.0);
  for (double& e : large) e *= 1e30;
  for (const int width : {2, 4, 8}) {
    std::vector<double> first;
    for (const auto& beside : {all[1], large, nothing})
      for (const int at : {0, width - 1}) {
        column_list<double> b(static_cast<std::size_t>(width), beside);
        b[static_cast<std::size_t>(at)] = all[0];
        const auto got = solve_columns_divided(a, b, equal_rows(a.rows, 3), asking(width));
        const auto& x = got.x[static_cast<std::size_t>(at)];
        if (first.empty()) first = x;
        EXPECT_EQ(x, first) << "column " << at << " of " << width;
      }
  }
}

// The rows of the first rank share nothing, those of the second one much: alone they would decide
// otherwise.
TEST(divided_columns, are_divided_into_the_same_groups_by_all_ranks) {
  const index n = 600;
  symmetric s(2 * n);
  for (index i = 0; i < 2 * n; ++i) s.add(i, i, 20);
  for (index i = n; i < 2 * n; ++i)
    for (index j = i + 1; j < std::min(i + 8, 2 * n); ++j) s.add(i, j, -1);
  const csr<double> a = s.as_is();
  const auto b = random_columns<double>(a.rows, 4);
  for (const std::vector<std::int64_t>& first_rows :
       {std::vector<std::int64_t>{0, n, 2 * n}, {0, n, n, 2 * n}, {0, 2 * n}}) {
    const auto got = solve_columns_divided(a, b, first_rows, asking(0, preconditioner::none));
    for (const solve_report& r : got.reports) EXPECT_EQ(r.columns_together, 4) << r.reason;
  }
  const csr<double> diagonal = battery_at("diagonal_512").build();
  const auto alone = solve_columns_divided(diagonal, random_columns<double>(512, 2),
                                           equal_rows(512, 3), asking(0, preconditioner::none));
  for (const solve_report& r : alone.reports) EXPECT_EQ(r.columns_together, 1) << r.reason;
}

TEST(divided_columns, end_by_themselves_and_start_where_they_are_told) {
  const csr<double> a = generate("poisson2d:23x19");
  const auto first_rows = equal_rows(a.rows, 3);
  auto b = random_columns<double>(a.rows, 4);
  b[2].assign(b[2].size(), 0.0);
  const auto cold = solve_columns_divided(a, b, first_rows, asking(4));
  EXPECT_EQ(cold.reports[2].iterations, 0);
  EXPECT_EQ(cold.x[2], b[2]);
  run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<double> d(comm, a.view(), first_rows);
    distributed_solver<double> solver(device::cpu(1), d, asking(4));
    column_list<double> start = cold.x;
    start[1].assign(start[1].size(), 0.0);
    const auto warm = solve_columns_of_rank(*comm, d, solver, b, start);
    for (const std::size_t k : {0, 2, 3}) {
      EXPECT_LE(warm.reports[k].iterations, 2);
      EXPECT_LE(warm.reports[k].residual_relative_true, 1.01e-8) << "of the start vector, perhaps";
    }
    EXPECT_EQ(warm.reports[1].iterations, cold.reports[1].iterations);
    if (comm->rank() == 0) {
      EXPECT_EQ(warm.x[1], cold.x[1]);
    }
  });
}

TEST(divided_columns, modulo_null_spaces) {
  const csr<double> a = generate("neumann2d:12x17");
  const auto b = random_columns<double>(a.rows, 4);
  const auto constant = solve_columns_divided(a, b, equal_rows(a.rows, 3), asking(4));
  const auto wanted = solve_columns_whole_on(device::cpu(1), a, b, asking(4));
  for (std::size_t k = 0; k < b.size(); ++k) {
    EXPECT_EQ(constant.reports[k].columns_together, 4);
    EXPECT_EQ(constant.reports[k].null_space, "constant");
    EXPECT_NEAR(constant.reports[k].rhs_outside_range, wanted.reports[k].rhs_outside_range, 1e-12);
    for (std::size_t i = 0; i < b[k].size(); ++i)
      ASSERT_NEAR(constant.x[k][i], wanted.x[k][i], 1e-6);
  }
  const singular p = three_parts(9, 7);
  const auto more = random_columns<double>(p.a.rows, 4);
  solve_options o = asking(4);
  o.null_vectors = p.flat();
  o.rtol = 1e-11;
  for (const auto& first_rows : odd_divisions(p.a.rows)) {
    const auto got = solve_columns_divided(p.a, more, first_rows, o);
    for (std::size_t k = 0; k < more.size(); ++k) {
      EXPECT_EQ(got.reports[k].columns_together, 4);
      EXPECT_EQ(got.reports[k].null_space, "given");
      EXPECT_LE(along(p, got.x[k]), 1e-12);
      EXPECT_LE(distance(got.x[k], least_norm(p.a, more[k])), 1e-6);
    }
  }
}

}  // namespace
}  // namespace dwell::test
