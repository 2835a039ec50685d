// SPDX-License-Identifier: MIT
// Which right-hand sides are solved together: what is asked for, what is refused, and what the
// bytes of a CPU and the model of an H200 say of large systems and of small ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/plan_target.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/linear/choose/decide.hpp"
#include "plain_options.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

class groups : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  /// Solves `count` systems.
  static std::vector<solve_report> solve(const csr<double>& a, const solve_options& o, int count) {
    const auto n = static_cast<std::size_t>(a.rows);
    std::vector<double> b(n * static_cast<std::size_t>(count), 1.0), x(b.size(), 0.0);
    linear_solver<double> solver(place::where(), a.view(), o);
    return solver.solve(std::span<const double>(b), n, std::span<double>(x), n, count);
  }
};

TEST_F(groups, requests_that_need_one_after_another_say_so) {
  const csr<double> a = mesh(20, 20, 4.2);
  const auto expect_alone = [&](solve_options o, const std::string& why) {
    for (const auto& r : solve(a, o, 3)) {
      EXPECT_EQ(r.columns_together, 1);
      EXPECT_EQ(r.stopped, stop_reason::converged);
      EXPECT_NE(r.reason.find("one right-hand side at a time: " + why), std::string::npos)
          << r.reason;
    }
  };
  solve_options o = plain_options();
  o.columns_at_once = 1;
  expect_alone(o, "as asked");
  o.columns_at_once = 4;
  o.executor = "perks";
  expect_alone(o, "executor perks");
  o.executor = "auto";
  o.variant = "pipelined";
  expect_alone(o, "variant pipelined");
  o.variant = "auto";
  o.history = true;
  expect_alone(o, "a history");
  o.history = false;
  o.progress = [](const solve_progress&) {};
  expect_alone(o, "progress");
}

TEST_F(groups, asked_for) {
  const csr<double> a = mesh(20, 20, 4.2);
  std::vector<std::string> executors = {automatic};
  for (const std::string& e : place::executors())
    if (!has_policies(e)) executors.push_back(e);
  for (const std::string& executor : executors)
    for (const int at_once : {2, 4, 8}) {
      solve_options o = plain_options();
      o.executor = executor;
      o.columns_at_once = at_once;
      const auto reports = solve(a, o, 9);
      for (int k = 0; k < 8; ++k) {
        const solve_report& r = reports[static_cast<std::size_t>(k)];
        EXPECT_EQ(r.columns_together, at_once);
        EXPECT_EQ(r.executor, executor == automatic ? "persistent" : executor);
        EXPECT_EQ(r.variant, "textbook");
        EXPECT_NE(r.reason.find("right-hand sides in one pass over the matrix as asked"),
                  std::string::npos)
            << r.reason;
      }
      EXPECT_EQ(reports[8].columns_together, 1);
      EXPECT_NE(reports[8].reason.find("the last one of an odd number"), std::string::npos);
    }
}

TEST_F(groups, wrong_numbers_are_refused) {
  const csr<double> a = mesh(5, 5, 4.2);
  for (const int wrong : {-1, 3, 5, 16}) {
    solve_options o = plain_options();
    o.columns_at_once = wrong;
    EXPECT_EQ(
        refusal<input_error>([&] { (void)solve(a, o, 2); }),
        "columns_at_once: expected 0 (as planned), 1, 2, 4 or 8, found " + std::to_string(wrong));
  }
}

TEST_F(groups, an_answer_must_not_overlap_another_right_hand_side) {
  const csr<double> a = mesh(5, 5, 4.2);
  const std::size_t n = 25;
  std::vector<double> both(4 * n, 1.0);
  solve_options o = plain_options();
  o.columns_at_once = 2;
  linear_solver<double> solver(place::where(), a.view(), o);
  const std::span<double> all(both);
  // b: columns 0 and 1; x: columns 1 and 2.
  EXPECT_NE(refusal<input_error>([&] {
              (void)solver.solve(std::span<const double>(all.first(2 * n)), n,
                                 all.subspan(n, 2 * n), n, 2);
            }).find("overlap"),
            std::string::npos);
  EXPECT_EQ(both, std::vector<double>(4 * n, 1.0));
}

TEST(group_decisions, a_cpu_goes_by_bytes) {
  const auto together = [](const csr<double>& a, int columns) {
    const plan_target target = target_of(device::cpu(2));
    cut_cache<double> cuts(device::cpu(1), arrays_of(a.view()));
    const solve_options o = plain_options();
    const solve_request<double> q{target, cuts, o};
    const solve_decision<double> alone = decide(q);
    const auto group = decide_group(q, alone, columns);
    EXPECT_LT(group.how.made.facts.bytes_per_iteration,
              columns * (alone.made.facts.bytes_per_iteration +
                         8 * static_cast<std::size_t>(a.rows)));  // one load of p more
    return group.together;
  };
  for (const int columns : {2, 4, 8}) {
    EXPECT_TRUE(together(mesh(40, 40), columns));
    EXPECT_TRUE(together(generate("box3d:12"), columns));
  }
  EXPECT_FALSE(together(battery_at("diagonal_512").build(), 2)) << "a matrix with nothing to share";
}

TEST(group_decisions, an_h200_goes_by_time) {
  const auto kernels = program_kernels();
  if (std::none_of(kernels.begin(), kernels.end(),
                   [](const program_kernel& k) { return k.on == backend::cuda; }))
    GTEST_SKIP() << "a build without CUDA kernels";
  const auto decided = [](const csr<double>& a, int columns) {
    const plan_target target{facts_of("h200"), {}};
    cut_cache<double> cuts(device::cpu(1), arrays_of(a.view()));
    const solve_options o = plain_options();
    const solve_request<double> q{target, cuts, o};
    return decide_group(q, decide(q), columns);
  };
  const csr<double> large = generate("box3d:100");
  for (const int columns : {2, 4, 8}) EXPECT_TRUE(decided(large, columns).together);
  EXPECT_FALSE(decided(generate("trefethen:300"), 2).together) << "held on the chip whole";
}

}  // namespace
}  // namespace dwell::test
