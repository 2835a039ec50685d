// SPDX-License-Identifier: MIT
// How columns end that ranks solve in one pass: refined, broken down, interrupted by one rank, one
// at a time for a reason of one rank, refused by all.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "battery.hpp"
#include "divided_answer.hpp"
#include "divided_columns.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/distributed_solver.hpp"
#include "oracle.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

TEST(divided_columns, that_miss_are_refined_alone) {
  const csr<double> a = jumping(48);
  auto b = random_columns<double>(a.rows, 4);
  b[1].assign(b[1].size(), 0.0);
  solve_options o = asking(4);
  o.rtol = 1e-7;
  o.refine = false;
  const auto once = solve_columns_divided(a, b, equal_rows(a.rows, 3), o);
  o.refine = true;
  const auto again = solve_columns_divided(a, b, equal_rows(a.rows, 3), o);
  int missed = 0;
  for (std::size_t k = 0; k < b.size(); ++k) {
    missed += once.reports[k].target_missed;
    EXPECT_EQ(again.reports[k].columns_together, 4);
    EXPECT_FALSE(again.reports[k].target_missed);
    EXPECT_EQ(again.reports[k].refinements > 0, once.reports[k].target_missed);
    if (k == 1) continue;
    EXPECT_LE(
        residual_norm(a.view(), std::span<const double>(b[k]), std::span<const double>(again.x[k])),
        1.001 * o.rtol * norm2(b[k]));
  }
  EXPECT_GE(missed, 2) << "or the test shows nothing";
}

TEST(divided_columns, break_down_by_themselves) {
  // Eigenvalues 3 and -1, of (1, 1) and (1, -1).
  const csr<double> a = dense({{1, 2}, {2, 1}});
  const auto got = solve_columns_divided<double>(a, {{1, 1}, {1, -1}}, {0, 1, 2},
                                                 asking(2, preconditioner::none));
  EXPECT_EQ(got.reports[0].stopped, stop_reason::converged);
  EXPECT_EQ(got.reports[1].stopped, stop_reason::breakdown);
  EXPECT_NEAR(got.x[0][1], 1.0 / 3, 1e-12);
  EXPECT_EQ(got.x[1], std::vector<double>(2, 0.0));
}

TEST(divided_columns, use_other_values_and_tolerances) {
  const csr<double> a = generate("poisson2d:13x14");
  const auto b = random_columns<double>(a.rows, 4);
  const column_list<double> zeros(4, std::vector<double>(b[0].size()));
  run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, 3));
    distributed_solver<double> solver(device::cpu(1), d, asking(4));
    const auto before = solve_columns_of_rank(*comm, d, solver, b, zeros);
    const csr_view<double> rows = d.local();
    std::vector<double> twice(rows.val, rows.val + rows.nonzeros());
    for (double& v : twice) v *= 2;
    solver.update_values(twice);
    auto after = solve_columns_of_rank(*comm, d, solver, b, zeros);
    for (auto& one : after.x)
      for (double& e : one) e *= 2;
    EXPECT_EQ(after.x, before.x);
    solver.set_tolerances(1e-2);
    for (const auto& r : solve_columns_of_rank(*comm, d, solver, b, zeros).reports) {
      EXPECT_LE(r.residual_relative_true, 1e-2);
      EXPECT_GT(r.residual_relative_true, 1e-6);
    }
  });
}

TEST(divided_columns, are_ended_by_what_one_rank_has) {
  const csr<double> a = generate("poisson2d:40x40");
  const auto b = random_columns<double>(a.rows, 2);
  for (const int who : {0, 1, 2}) {
    std::atomic<bool> flag{true};
    std::atomic<int> interrupted{0};
    run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
      solve_options o = asking(2);
      o.rtol = 0;
      o.max_iterations = 1 << 30;
      if (comm->rank() == who) o.interrupt = &flag;
      const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, 3));
      distributed_solver<double> solver(device::cpu(1), d, o);
      const column_list<double> zeros(2, std::vector<double>(b[0].size()));
      for (const auto& r : solve_columns_of_rank(*comm, d, solver, b, zeros).reports)
        interrupted += r.stopped == stop_reason::interrupted && r.columns_together == 2;
    });
    EXPECT_EQ(interrupted, 6) << "rank " << who << " asked for the end";
  }
}

TEST(divided_columns, are_alone_for_reasons_of_any_rank) {
  const csr<double> a = generate("poisson2d:20x20");
  const auto b = random_columns<double>(a.rows, 3);
  for (const int who : {0, 1}) {
    std::atomic<int> calls{0};
    run_as_ranks(2, [&](std::shared_ptr<communicator> comm) {
      solve_options o = asking(0);
      o.progress_interval = 0;
      if (comm->rank() == who) o.progress = [&](const solve_progress&) { return ++calls > 0; };
      const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, 2));
      distributed_solver<double> solver(device::cpu(1), d, o);
      const column_list<double> zeros(3, std::vector<double>(b[0].size()));
      for (const auto& r : solve_columns_of_rank(*comm, d, solver, b, zeros).reports) {
        EXPECT_EQ(r.columns_together, 1);
        EXPECT_NE(r.reason.find("one right-hand side at a time: progress is told of one"),
                  std::string::npos)
            << r.reason;
      }
    });
    EXPECT_GT(calls, 0);
  }
  for (const auto& [method, by, why] :
       std::vector<std::tuple<std::string, preconditioner, std::string>>{
           {"minres", preconditioner::jacobi, "method minres has no kernel"},
           {"cg", preconditioner::amg, "preconditioner amg is applied to one"}}) {
    solve_options o = asking(4, by);
    o.method = method;
    for (const auto& r : solve_columns_divided(a, b, equal_rows(a.rows, 2), o).reports) {
      EXPECT_EQ(r.columns_together, 1);
      EXPECT_NE(r.reason.find("one right-hand side at a time: " + why), std::string::npos);
    }
  }
}

/// What all three ranks throw; "" if some do not.
template <class F>
std::string refused(F&& f) {
  std::mutex guard;
  std::string text;
  int thrown = 0;
  const csr<double> a = generate("poisson2d:23x19");
  run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<double> d(comm, a.view(),
                                       std::vector<std::int64_t>{0, 200, 200, a.rows});
    distributed_solver<double> solver(device::cpu(1), d, asking(2));
    try {
      f(*comm, d, solver);
    } catch (const input_error& e) {
      const std::lock_guard lock(guard);
      text = e.what();
      ++thrown;
    }
  });
  return thrown == 3 ? text : "";
}

TEST(divided_columns, are_refused_by_all_ranks) {
  const auto b = random_columns<double>(23 * 19, 4);
  const column_list<double> zeros(4, std::vector<double>(b[0].size()));
  // Not finite, on the last rank alone: the group's other column is right, and so are those before.
  column_list<double> bad = b;
  bad[3][400] = std::numeric_limits<double>::quiet_NaN();
  const std::string said = refused([&](communicator& comm, const auto& d, auto& solver) {
    const auto wanted = solve_columns_of_rank(comm, d, solver, b, zeros);
    rank_block<double> mine(d, bad, 0), x(d, zeros, 0);
    try {
      solver.solve(std::span<const double>(mine.all), mine.distance, std::span<double>(x.all),
                   x.distance, 4);
    } catch (const input_error&) {
      for (const int k : {0, 1, 2}) EXPECT_EQ(d.gather(x.column(k)), wanted.x[std::size_t(k)]);
      for (const double e : x.column(3)) EXPECT_EQ(e, 0.0);
      throw;
    }
  });
  EXPECT_NE(said.find("right-hand side of column 4"), std::string::npos) << said;
  // An answer over another column's right-hand side, on the first rank alone.
  const std::string overlap = refused([&](communicator& comm, const auto& d, auto& solver) {
    rank_block<double> mine(d, b, 0), x(d, zeros, 0);
    std::span<double> to(x.all);
    if (comm.rank() == 0) to = std::span<double>(mine.all).subspan(x.rows);
    const auto read = std::span<const double>(mine.all).first(2 * x.rows);
    solver.solve(read, x.rows, to.first(2 * x.rows), x.rows, 2);
  });
  EXPECT_NE(overlap.find("overlap"), std::string::npos) << overlap;
  EXPECT_NE(refused([&](communicator& comm, const auto& d, auto& solver) {
              rank_block<double> mine(d, b, 0), x(d, zeros, 0);
              solver.solve(std::span<const double>(mine.all), mine.distance,
                           std::span<double>(x.all), x.distance, comm.rank() == 1 ? 1 : 2);
            }).find("as many columns on all ranks"),
            std::string::npos);
  EXPECT_NE(refused([&](communicator&, const auto& d, auto& solver) {
              rank_block<double> mine(d, b, 0), x(d, zeros, 0);
              solver.solve(std::span<const double>(mine.all), mine.distance,
                           std::span<double>(x.all), x.distance, 5);
            }),
            "")
      << "the empty rank, too";
  EXPECT_NE(refused([&](communicator&, const auto& d, auto& solver) {
              rank_block<double> mine(d, b, 0), x(d, zeros, 0);
              const std::size_t short_by_one = mine.rows > 0 ? mine.rows - 1 : 0;
              solver.solve(std::span<const double>(mine.all), mine.distance,
                           std::span<double>(x.all), short_by_one, 2);
            }),
            "");
  EXPECT_EQ(refused([&](communicator&, const auto& d, auto& solver) {
              rank_block<double> mine(d, b, 0), x(d, zeros, 0);
              EXPECT_TRUE(solver
                              .solve(std::span<const double>(mine.all), mine.distance,
                                     std::span<double>(x.all), x.distance, 0)
                              .empty());
            }),
            "");
}

}  // namespace
}  // namespace dwell::test
