// SPDX-License-Identifier: MIT
// Interrupts of set-ups: of every preconditioner, at many moments, by a flag and by a scope of the
// caller's; and of the set-up amid a solve, which keeps the answer so far and the solver.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "plain_options.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

constexpr std::chrono::milliseconds always{0};

class interrupted_setup : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  static csr<double> grid() {
    return generate(sanitized ? "poisson2d:60x50" : "poisson2d:200x160");
  }
  static solve_options with(preconditioner p) {
    solve_options o = plain_options();
    o.preconditioner = p;
    if (p == preconditioner::ilu0 || p == preconditioner::aggregation) o.method = "bicgstab";
    return o;
  }
  struct answer {
    solve_report report;
    std::vector<double> x;
  };
  static answer solve_ones(linear_solver<double>& solver) {
    answer got;
    const std::vector<double> b(static_cast<std::size_t>(solver.rows()), 1.0);
    got.x.assign(b.size(), 0.0);
    got.report = solver.solve(std::span<const double>(b), std::span<double>(got.x));
    return got;
  }
  /// f() in a scope that asks for the end at the given question, the first being number 1; false:
  /// so many were not asked.
  template <class F>
  static bool interrupted_at(int question, F&& f) {
    int asked = 0;
    try {
      const interruption_scope scope([&] { return ++asked >= question; }, always);
      f();
    } catch (const interrupted_error&) {
      EXPECT_GE(asked, question);
      return true;
    }
    EXPECT_LT(asked, question);
    return false;
  }
  /// How many questions f() asks.
  template <class F>
  static int questions(F&& f) {
    int asked = 0;
    const interruption_scope scope([&] { return ++asked, false; }, always);
    f();
    return asked;
  }
  static std::vector<int> some_of(int most) {
    std::minstd_rand random(7);
    std::vector<int> all = {1, 2, most};
    for (int k = 0; k < (sanitized ? 3 : 10); ++k)
      all.push_back(1 + static_cast<int>(random() % static_cast<unsigned>(most)));
    return all;
  }
};

TEST_F(interrupted_setup, of_every_preconditioner_ends_at_any_moment) {
  const csr<double> a = grid();
  for (const preconditioner p : preconditioners()) {
    SCOPED_TRACE(to_string(p));
    const solve_options o = with(p);
    const auto prepare = [&] { linear_solver<double>(place::where(), a.view(), o); };
    const int most = questions(prepare);
    ASSERT_GE(most, 2);
    for (const int k : some_of(most)) EXPECT_TRUE(interrupted_at(k, prepare)) << k;
    EXPECT_FALSE(interrupted_at(most + 1000000, prepare));
  }
}

TEST_F(interrupted_setup, by_a_flag_that_another_thread_sets) {
  const csr<double> a = generate(sanitized ? "poisson2d:200x200" : "poisson2d:1500x1500");
  std::atomic<bool> stop{false};
  solve_options o = with(preconditioner::amg);
  o.interrupt = &stop;
  std::jthread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(sanitized ? 1 : 5));
    stop = true;
  });
  try {
    linear_solver<double>(place::where(), a.view(), o);
    other.join();
    GTEST_SKIP() << "the set-up was done before";
  } catch (const interrupted_error& e) {
    EXPECT_STREQ(e.what(), "interrupted");
  }
}

TEST_F(interrupted_setup, a_flag_that_was_set_before_is_for_the_solve) {
  const csr<double> a = grid();
  const std::atomic<bool> stop{true};
  solve_options o = with(preconditioner::amg);
  o.interrupt = &stop;
  linear_solver<double> solver(place::where(), a.view(), o);
  EXPECT_EQ(solve_ones(solver).report.stopped, stop_reason::interrupted);
}

TEST_F(interrupted_setup, a_run_is_not_ended_by_the_scope_around_it) {
  const csr<double> a = grid();
  linear_solver<double> solver(place::where(), a.view(), with(preconditioner::jacobi));
  const answer want = solve_ones(solver);
  const interruption_scope scope([] { return true; }, always);
  EXPECT_EQ(solve_ones(solver).x, want.x);
}

TEST_F(interrupted_setup, of_other_values_ends_the_solver) {
  const csr<double> a = grid();
  linear_solver<double> solver(place::where(), a.view(), with(preconditioner::amg));
  const std::span<const double> values(a.val);
  ASSERT_TRUE(interrupted_at(2, [&] { solver.update_values(values); }));
  EXPECT_NE(refusal<device_error>([&] { solve_ones(solver); }).find("make a new one"),
            std::string::npos);
}

TEST_F(interrupted_setup, amid_a_solve_keeps_the_answer_and_the_solver) {
  if (sanitized || place::on() != backend::cpu)
    GTEST_SKIP() << "needs a matrix that takes multigrid";
  const csr<double> a = generate("poisson2d:260x260");
  const solve_options o = with(preconditioner::automatic);
  linear_solver<double> judge(place::where(), a.view(), o);
  const answer want = solve_ones(judge);
  ASSERT_EQ(want.report.preconditioner, preconditioner::amg);
  const int most = questions([&] {
    linear_solver<double> solver(place::where(), a.view(), o);
    solve_ones(solver);
  });
  const int before = questions([&] { linear_solver<double>(place::where(), a.view(), o); });
  int met = 0;
  std::vector<int> moments = some_of(most - before);
  moments.resize(5);
  for (const int k : moments) {
    SCOPED_TRACE(k);
    linear_solver<double> solver(place::where(), a.view(), o);
    int asked = 0;
    answer got;
    {
      const interruption_scope scope([&] { return ++asked >= k; }, always);
      got = solve_ones(solver);
    }
    if (asked < k) continue;
    ++met;
    EXPECT_EQ(got.report.stopped, stop_reason::interrupted);
    EXPECT_GT(got.report.iterations, 0);
    EXPECT_LE(got.report.residual_relative_true, 1.0);
    EXPECT_TRUE(got.report.advice.empty()) << got.report.advice;
    const answer again = solve_ones(solver);
    EXPECT_EQ(again.report.stopped, stop_reason::converged);
    EXPECT_LE(again.report.residual_relative_true, o.rtol);
  }
  EXPECT_GT(met, 0);
}

}  // namespace
}  // namespace dwell::test
