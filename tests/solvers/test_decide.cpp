// SPDX-License-Identifier: MIT
// What is decided is what is run and what is explained, in both families: on a CPU for whole
// solves, and for stencils on an H200, from its data sheet and kernels that need not be there.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/execution/stencil/plan/policies/none.hpp"
#include "dwell/execution/stencil/plan/policies/table.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/solvers/linear/choose/decide.hpp"
#include "dwell/solvers/stencil/api/decide.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/stencil/explain.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

const csr<double>& small_system() {
  static const csr<double> a = generate("trefethen:300");
  return a;
}

solve_options cg_way(const std::string& variant, const std::string& executor = automatic,
                     const std::string& policy = automatic) {
  solve_options o = plain_options();
  o.variant = variant;
  o.executor = executor;
  o.policy = policy;
  return o;
}

stencil_options stencil_way(const std::string& executor, const std::string& policy = automatic,
                            int depth = 0) {
  stencil_options o;
  o.executor = executor;
  o.policy = policy;
  o.depth = depth;
  o.steps = 3;
  return o;
}

/// solve_options under every executor of a CPU and policy that plans.
std::vector<solve_options> ways_to_solve() {
  std::vector<solve_options> all;
  for (const auto& variant : after_auto(variants_of("cg"))) {
    all.push_back(cg_way(variant));
    for (const executor_info& e : executors::all) {
      if (!e.on_cpu || !e.programs) continue;
      const auto policies = e.caches ? planning_policies() : std::vector<std::string>{automatic};
      for (const auto& policy : policies) all.push_back(cg_way(variant, e.name, policy));
    }
  }
  return all;
}

TEST(decide_cg, is_what_solve_reports) {
  const csr<double>& a = small_system();
  const std::vector<double> b(static_cast<std::size_t>(a.rows), 1.0);
  const device where = device::cpu(2);
  const plan_target target = target_of(where);
  for (const solve_options& o : ways_to_solve()) {
    SCOPED_TRACE(fmt::format("{}, {}, {}", o.executor, o.variant, o.policy));
    cut_cache<double> cuts(device::cpu(1), arrays_of(a.view()));
    const auto made = decide(solve_request<double>{target, cuts, o});
    std::vector<double> x(b.size(), 0.0);
    const solve_report report = solve(where, a.view(), b, x, o);
    EXPECT_EQ(report.executor, made.executor);
    EXPECT_EQ(report.variant, made.variant->name);
    EXPECT_EQ(report.policy, made.made.how.policy);
    EXPECT_EQ(report.policy_chosen, made.made.how.chosen);
    EXPECT_EQ(report.teams, made.made.how.teams);
    EXPECT_EQ(report.reason, made.why + "; " + made.made.how.reason);
  }
}

TEST(decide_cg, is_what_explain_says) {
  const csr<double>& a = small_system();
  const plan_target target = target_of(device::cpu(2));
  for (solve_options o : ways_to_solve()) {
    o.executor = executors::perks.name;
    SCOPED_TRACE(fmt::format("{}, {}", o.variant, o.policy));
    cut_cache<double> cuts(device::cpu(1), arrays_of(a.view()));
    const auto made = decide(solve_request<double>{target, cuts, o});
    const solve_explanation said = explain(a.view(), target.facts, o);
    EXPECT_EQ(said.variant, made.variant->name);
    EXPECT_EQ(said.considered.size(), made.considered.size());
    EXPECT_EQ(said.plan().policy, made.made.how.policy);
    EXPECT_EQ(said.plan().reason, made.made.how.reason);
    EXPECT_EQ(said.plan().config, made.made.how.config);
    EXPECT_EQ(said.plan().teams, made.made.how.teams);
    EXPECT_EQ(said.teams_why, made.made.teams_why);
  }
}

TEST(decide_cg, a_policy_that_tries_needs_something_to_try) {
  const csr<double>& a = small_system();
  const plan_target target = target_of(device::cpu(2));
  const solve_options o = cg_way(automatic, executors::perks.name, "measured");
  cut_cache<double> cuts(device::cpu(1), arrays_of(a.view()));
  EXPECT_THROW((void)decide(solve_request<double>{target, cuts, o}), unsupported_error);
}

/// stencil_options under every executor of a CPU and policy that needs no trial.
std::vector<stencil_options> ways_to_step() {
  std::vector<stencil_options> all = {stencil_way(automatic), stencil_way(automatic, automatic, 2)};
  for (const executor_info& e : executors::all)
    if (e.stencils && e.on_cpu) all.push_back(stencil_way(e.name));
  for (const auto& p : policies::stencil_policies())
    if (!p.tries) all.push_back(stencil_way(automatic, p.name));
  return all;
}

TEST(decide_stencil, is_what_solve_reports) {
  const device where = device::cpu(2);
  const plan_target target = target_of(where);
  const extents size{40, 40};
  for (const stencil_options& o : ways_to_step()) {
    SCOPED_TRACE(fmt::format("{}, {}, depth {}", o.executor, o.policy, o.depth));
    const auto problem = problem_of(find_stencil_shape(o.shape), size, 8, o.edge, false);
    const auto made = decide({stencil_kernels(), precision::f64, target, problem}, o);
    grid<double> u(size);
    const stencil_report report = solve(where, u, o);
    EXPECT_EQ(report.executor, made.executor);
    EXPECT_EQ(report.policy, made.plans.front().policy);
    EXPECT_EQ(report.teams, made.plans.front().plan.teams);
    EXPECT_EQ(report.reason, made.why + "; " + made.plans.front().reason);
  }
}

TEST(decide_stencil, is_what_explain_says) {
  const plan_target target = target_of(device::cpu(2));
  const extents size{200, 300};
  const stencil_explanation said = explain(size, "f64", target.facts);
  const auto problem = problem_of(find_stencil_shape(said.shape), size, 8, boundary::fixed, false);
  int planned = 0;
  for (const stencil_policy_plan& p : said.plans) {
    if (!p.refusal.empty()) continue;
    const stencil_options o = stencil_way(p.executor, p.policy.empty() ? automatic : p.policy);
    const auto made = decide({stencil_kernels(), precision::f64, target, problem}, o);
    EXPECT_EQ(p.reason, made.plans.front().reason) << p.executor << ' ' << p.policy;
    EXPECT_EQ(p.teams, made.plans.front().plan.teams) << p.executor << ' ' << p.policy;
    ++planned;
  }
  EXPECT_EQ(planned, 10) << "all policies but measured, host-loop, persistent and temporal";
}

/// With kernels for star2d5 that nobody can run or ask.
class decide_elsewhere : public testing::Test {
 protected:
  stencil_decision decided(const stencil_options& o, const extents& size = {1344, 1232}) const {
    const auto problem = problem_of(find_stencil_shape(star2d5::name), size, 8, o.edge, false);
    return decide({planned_stencil_kernels(), precision::f64, target_, problem}, o);
  }

  plan_target target_{facts_of("h200"), {}};
};

TEST_F(decide_elsewhere, auto_is_the_executor_of_less_projected_time) {
  std::set<std::string> taken;
  for (const extents& size : {extents{64, 64}, {300, 300}, {1344, 1232}, {8192, 8192}}) {
    const auto by_itself = decided(stencil_way(automatic), size);
    const auto cached = decided(stencil_way(executors::perks.name), size);
    const auto queued = decided(stencil_way(executors::graph.name), size);
    const auto problem =
        problem_of(find_stencil_shape(star2d5::name), size, 8, boundary::fixed, false);
    const stencil_choice& each = queued.plans.front();
    const double launched_s =
        policies::time_of_launches(problem, each, *queued.facts_of(each.plan).engine, target_.facts)
            .seconds;
    const bool caches = cached.plans.front().projected.seconds < launched_s;
    EXPECT_EQ(by_itself.executor, caches ? cached.executor : queued.executor) << to_string(size);
    EXPECT_EQ(by_itself.why.rfind("projected ", 0), 0u) << by_itself.why;
    taken.insert(by_itself.executor);
  }
  EXPECT_TRUE(taken.contains(executors::perks.name));
}

/// Passes of several steps pay over large fields; not where a test ends them after a few steps.
TEST_F(decide_elsewhere, auto_takes_passes_of_several_steps_over_large_fields) {
  stencil_options o = stencil_way(automatic);
  o.steps = 1000;
  EXPECT_EQ(decided(o, {8192, 8192}).executor, executors::temporal.name);
  EXPECT_EQ(decided(o, {300, 300}).executor, executors::perks.name);
  o.until = 1e-6;
  o.check_every = 100;
  EXPECT_EQ(decided(o, {8192, 8192}).executor, executors::temporal.name);
  o.check_every = 1;
  EXPECT_NE(decided(o, {8192, 8192}).executor, executors::temporal.name);
  o.check_every = 100;
  o.edge = boundary::periodic;
  EXPECT_EQ(decided(o, {4099, 5004}).executor, executors::temporal.name);
  EXPECT_EQ(decided(o, {4099, 5003}).executor, executors::temporal.name);
  o = stencil_way(automatic);
  o.edge = boundary::reflect;
  o.steps = 1000;
  EXPECT_NE(decided(o, {8192, 8192}).executor, executors::temporal.name);
  target_.facts.compute_capability = 80;
  EXPECT_EQ(decided(stencil_way(executors::temporal.name)).executor, executors::temporal.name);
  target_.facts.compute_capability = 75;
  EXPECT_THROW((void)decided(stencil_way(executors::temporal.name)), unsupported_error);
  target_.facts.compute_capability = 86;
  target_.facts.shared_per_team = 99 * 1024;
  EXPECT_THROW((void)decided(stencil_way(executors::temporal.name)), unsupported_error);
}

TEST_F(decide_elsewhere, auto_heeds_what_only_one_executor_has) {
  EXPECT_EQ(decided(stencil_way(automatic, "both")).executor, executors::perks.name);
  EXPECT_EQ(decided(stencil_way(automatic, automatic, 2)).executor, executors::perks.name);
  EXPECT_EQ(decided(stencil_way(automatic, nothing_cached)).executor, executors::graph.name);
  target_.facts.cooperative_launch = false;
  EXPECT_EQ(decided(stencil_way(automatic)).executor, executors::graph.name);
}

TEST_F(decide_elsewhere, only_a_caching_executor_takes_policies_and_tilings) {
  for (const executor_info& e : executors::all) {
    if (!e.stencils || !e.on_cuda) continue;
    for (const stencil_options& o :
         {stencil_way(e.name, "both"), stencil_way(e.name, automatic, 2)}) {
      const bool passes = o.depth > 0 && e.name == std::string_view(executors::temporal.name);
      if (e.caches || passes)
        EXPECT_NO_THROW((void)decided(o)) << e.name;
      else
        EXPECT_THROW((void)decided(o), unsupported_error) << e.name;
    }
  }
}

TEST_F(decide_elsewhere, a_policy_that_tries_says_so) {
  EXPECT_TRUE(decided(stencil_way(automatic, "measured")).tries);
  EXPECT_FALSE(decided(stencil_way(automatic, "model")).tries);
  EXPECT_THROW((void)decided(stencil_way(automatic, "no such")), input_error);
}

}  // namespace
}  // namespace dwell::test
