// SPDX-License-Identifier: MIT
// A rank whose memory runs out while a group of columns is prepared: all ranks go on without the
// group, or all throw where it was asked for. The linker puts the function below in the place of
// dwell::memory_of() (--wrap).
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "divided_answer.hpp"
#include "divided_columns.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/linear/distributed_solver.hpp"
#include "plain_options.hpp"

namespace {
/// Questions of this thread: after so many more questions for memory there is none; -1: there is
/// enough.
thread_local int questions_left = -1;
}  // namespace

namespace dwell {
const memory_space& true_memory_of(backend on) asm("__real__ZN5dwell9memory_ofENS_7backendE");
const memory_space& limited_memory_of(backend on) asm("__wrap__ZN5dwell9memory_ofENS_7backendE");
const memory_space& limited_memory_of(backend on) {
  if (questions_left > 0 && --questions_left == 0) throw device_error("not enough memory: a test");
  return true_memory_of(on);
}

namespace test {
namespace {

TEST(divided_columns_memory, of_one_rank_is_that_of_all) {
  const csr<double> a = generate("poisson2d:23x19");
  const auto b = random_columns<double>(a.rows, 3);
  const column_list<double> zeros(3, std::vector<double>(b[0].size()));
  const auto alone = solve_columns_divided(a, b, equal_rows(a.rows, 3), [] {
    solve_options o = test::plain_options();
    o.columns_at_once = 1;
    return o;
  }());
  int failed = 0;
  for (const int asked : {0, 2})
    for (const int who : {0, 2})
      for (int after = 1; after <= 8; ++after) {
        SCOPED_TRACE(std::to_string(asked) + " asked, rank " + std::to_string(who) + ", after " +
                     std::to_string(after));
        std::atomic<int> thrown{0};
        run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
          const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, 3));
          solve_options o = test::plain_options();
          o.columns_at_once = asked;
          distributed_solver<double> solver(device::cpu(1), d, o);
          rank_block<double> mine(d, b, 0), x(d, zeros, 0);
          if (comm->rank() == who) questions_left = after;
          std::vector<solve_report> reports;
          try {
            reports = solver.solve(std::span<const double>(mine.all), mine.distance,
                                   std::span<double>(x.all), x.distance, 3);
          } catch (const device_error& e) {
            EXPECT_STREQ(e.what(), "not enough memory: a test");
            ++thrown;
          }
          questions_left = -1;
          if (asked == 0 && reports.size() == 3) {
            for (const solve_report& r : reports) {
              EXPECT_EQ(r.columns_together, 1);
              EXPECT_NE(r.reason.find("not enough memory: a test"), std::string::npos) << r.reason;
            }
            for (int k = 0; k < 3; ++k) {
              const auto whole = d.gather(x.column(k));
              if (comm->rank() == 0) {
                EXPECT_EQ(whole, alone.x[static_cast<std::size_t>(k)]);
              }
            }
            if (comm->rank() == 0) ++failed;
          }
          // The solver is as it was: with memory again, asked for or not, it solves.
          for (const auto& r : solve_columns_of_rank(*comm, d, solver, b, zeros).reports)
            EXPECT_EQ(r.stopped, stop_reason::converged);
        });
        EXPECT_TRUE(thrown == 0 || thrown == 3);
        if (asked > 0) {
          EXPECT_EQ(thrown, 3);
        }
      }
  EXPECT_GE(failed, 4) << "or the test shows nothing";
}

}  // namespace
}  // namespace test
}  // namespace dwell
