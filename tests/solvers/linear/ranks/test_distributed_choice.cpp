// SPDX-License-Identifier: MIT
// Preconditioner "auto" of systems whose rows are divided among ranks: all ranks choose the same,
// by facts and times that they share.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "battery.hpp"
#include "divided_answer.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/distributed_solver.hpp"
#include "place.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

solve_options left_open(const std::string& method = "cg") {
  solve_options o;
  o.method = method;
  o.preconditioner = preconditioner::automatic;
  return o;
}

TEST(divided_choice, is_that_of_one_where_facts_decide) {
  const csr<double> a = generate("poisson2d:31x47");
  const std::vector<double> b = random_vector(a.rows, 1);
  for (const char* method : {"cg", "minres", "bicgstab", "auto"}) {
    SCOPED_TRACE(method);
    const auto wanted = solve_whole(a, b, left_open(method));
    const auto one = solve_divided(a, b, {0, a.rows}, left_open(method));
    EXPECT_EQ(one.x, wanted.x);
    for (const int ranks : {1, 3}) {
      const auto got = solve_divided(a, b, equal_rows(a.rows, ranks), left_open(method));
      EXPECT_EQ(got.report.preconditioner, wanted.report.preconditioner);
      // Runs on a CPU without ranks are judged after every step where multigrid may follow.
      if (wanted.report.method == "minres") {
        EXPECT_EQ(got.report.preconditioner_reason, wanted.report.preconditioner_reason);
      }
      expect_alike(got, wanted, a, b, 1e-8, 10);  // what bicgstab does hangs on rounding
    }
  }
}

// A diagonal with a zero in the rows of the last rank alone.
TEST(divided_choice, heeds_the_rows_of_all) {
  symmetric s(60);
  for (index i = 0; i < 60; ++i) {
    if (i > 0) s.add(i, i - 1, 1.0);
    if (i != 58) s.add(i, i, i % 2 ? 3.0 : -3.0);
  }
  const csr<double> a = s.as_is();
  const std::vector<double> b = random_vector(a.rows, 2);
  const auto got = solve_divided(a, b, equal_rows(a.rows, 3), left_open("minres"));
  EXPECT_EQ(got.report.preconditioner, preconditioner::none);
  EXPECT_EQ(got.report.preconditioner_reason, "the diagonal has zeros");
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
}

// More rows than jacobi is taken for at once: after a probe all go on in the same way, whichever
// the times say.
TEST(divided_choice, is_one_after_a_probe) {
  const csr<double> a = generate("poisson2d:170x160");
  const std::vector<double> b = random_vector(a.rows, 3);
  solve_options o = left_open();
  o.rtol = 1e-10;
  std::mutex guard;
  std::set<std::string> reasons, names;
  const std::vector<std::int64_t> first_rows = {0, 9000, 9000, a.rows};
  run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
    const distributed_matrix<double> d(comm, a.view(), first_rows);
    distributed_solver<double> solver(device::cpu(1), d, o);
    const std::vector<double> mine = d.scatter(b);
    std::vector<double> x(mine.size(), 0.0), again(mine.size(), 0.0);
    const solve_report report = solver.solve(mine, x);
    EXPECT_EQ(report.stopped, stop_reason::converged);
    EXPECT_LE(report.residual_relative_true, 1.01e-10);
    {
      const std::lock_guard lock(guard);
      reasons.insert(report.preconditioner_reason);
      names.insert(to_string(report.preconditioner));
    }
    // It stays, also for other values.
    std::vector<double> twice(d.local().val, d.local().val + d.local().nonzeros());
    for (double& v : twice) v *= 2;
    solver.update_values(twice);
    const solve_report second = solver.solve(mine, again);
    EXPECT_EQ(second.stopped, stop_reason::converged);
    EXPECT_EQ(second.preconditioner, report.preconditioner);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(2 * again[i], x[i], 1e-6);
  });
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_EQ(names.size(), 1u);
  EXPECT_NE(reasons.begin()->find("after 60 iterations with jacobi"), std::string::npos)
      << *reasons.begin();
}

// Interrupts the set-up of amg after the probe: all ranks end it together, with the answer so far,
// and the next solve is that of a new solver.
TEST(divided_choice, is_interrupted_by_all_ranks) {
  const csr<double> a = generate(sanitized ? "poisson2d:160x160" : "poisson2d:400x400");
  const std::vector<double> b = random_vector(a.rows, 4);
  const std::vector<std::int64_t> first = equal_rows(a.rows, 3);
  int amid_set_up = 0;
  for (const int ms : {10, 30}) {
    SCOPED_TRACE(ms);
    std::atomic<bool> flag = false;
    std::jthread later;
    solve_report interrupted, again;
    std::mutex mutex;
    run_as_ranks(3, [&](const std::shared_ptr<communicator>& comm) {
      solve_options o = left_open();
      o.interrupt = &flag;
      o.progress_interval = 0;
      std::atomic<bool> began = false;
      if (comm->rank() == 0)
        o.progress = [&](const solve_progress& p) {
          if (p.iteration == 60 && !began.exchange(true))
            later = std::jthread([&flag, ms] {
              std::this_thread::sleep_for(std::chrono::milliseconds(ms));
              flag = true;
            });
          return true;
        };
      const bool root = comm->rank() == 0;
      const csr<double> none;
      distributed_matrix<double> divided(comm, root ? a.view() : none.view(), first);
      const std::vector<double> mine =
          divided.scatter(root ? std::span<const double>(b) : std::span<const double>());
      distributed_solver<double> solver(device::cpu(1), divided, o);
      std::vector<double> x(mine.size(), 0.0);
      const solve_report report = solver.solve(mine, x);
      any_of_ranks(*comm, true);  // all have ended
      if (root) later = {}, flag = false;
      any_of_ranks(*comm, true);
      std::fill(x.begin(), x.end(), 0.0);
      const solve_report next = solver.solve(mine, x);
      const std::lock_guard lock(mutex);
      if (root) interrupted = report, again = next;
    });
    EXPECT_EQ(again.stopped, stop_reason::converged);
    if (interrupted.stopped != stop_reason::interrupted) continue;  // too late
    EXPECT_GE(interrupted.iterations, 60);
    amid_set_up += interrupted.preconditioner == preconditioner::jacobi;
  }
  EXPECT_GT(amid_set_up, 0);
}

}  // namespace
}  // namespace dwell::test
