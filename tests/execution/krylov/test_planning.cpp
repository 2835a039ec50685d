// SPDX-License-Identifier: MIT
// Planning without a device: facts from the table of devices, kernels as perks has them. The model
// of the H200 against times that were measured there (docs/results/cg-h200.md), and how policy
// "measured" chooses among times that the test makes up.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "battery.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/krylov/launch/trial_time.hpp"
#include "dwell/execution/krylov/plan/planning.hpp"
#include "dwell/execution/krylov/plan/projection.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/solvers/cg/preconditioned.hpp"
#include "dwell/solvers/cg/textbook.hpp"
#include "real_matrices.hpp"

namespace dwell::test {
namespace {

/// perks on the H200: one team a multiprocessor; a config for any plan, three for whole systems.
enum { part, ghosts, whole, whole_wide };
std::vector<config_facts> configs() {
  return {{{512, 1, true, true, true, 0}, 122, 0, 132, 4880},
          {{448, 1, true, false, true, 3, caching::ghosts, 2}, 128, 0, 132, 4880},
          {{512, 1, true, false, true, 4, caching::all, 1}, 124, 0, 132, 4880},
          {{512, 1, true, false, true, 4, caching::all, 0, true}, 108, 0, 132, 4880}};
}

planned<double> plan_for(const csr<double>& a, plan_request request = {},
                         const device_facts& device = facts_of("h200")) {
  const program_kernel v{"cg", "perks", precision::f64, backend::cuda, true, {}, {}, {}, {}};
  textbook_cg::scalars steady;
  steady.step = 1;
  steady.fixed = true;
  steady.max_steps = 2;
  cut_cache<double> cuts(dwell::device::cpu(1), arrays_of(a.view()));
  return make_plan<textbook_cg, double>(v, configs(), device, cuts, request, steady);
}

projection project(const planned<double>& made, const device_facts& device = facts_of("h200")) {
  return project(made.facts, made.how, made.configs, limits_of(device));
}

/// Within a twelfth of what textbook took under policy model, and never under its floor.
void expect_measured(const std::string& name, const csr<double>& a, double measured_us) {
  const auto made = plan_for(a);
  EXPECT_TRUE(made.how.in_cluster) << name;
  EXPECT_EQ(made.how.teams, 16) << name;
  const projection p = project(made);
  EXPECT_NEAR(p.seconds * 1e6 / measured_us, 1.0, 0.083)
      << name << ": " << p.seconds * 1e6 << " us";
  EXPECT_LT(p.floor * 1e6, measured_us) << name;
  EXPECT_GT(p.floor, 3 * limits_of(facts_of("h200")).cluster_barrier) << name;
}

// A start of 5 s and iterations of 2 s; then runs of a few that other work has held up.
TEST(planning, a_trial_that_was_held_up_says_no_less_than_an_iteration_takes) {
  EXPECT_EQ(seconds_of_iteration(5 + 3 * 2, 5 + 15 * 2, 3, 12), 2);
  EXPECT_EQ(seconds_of_iteration(60, 30, 3, 12), 2);
  EXPECT_EQ(seconds_of_iteration(30, 30, 3, 12), 2);
}

TEST(model, small_systems_run_in_a_cluster) {
  expect_measured("Trefethen_2000", generate("trefethen:2000"), 3.32);
}

TEST(model, small_real_systems_run_in_a_cluster) {
  const auto all = indexed_matrices();
  if (all.empty()) GTEST_SKIP() << why_no_matrices();
  const std::map<std::string, double> measured_us = {
      {"msc01440", 3.25}, {"fv1", 3.60}, {"msc04515", 3.54}};
  std::size_t found = 0;
  for (const auto& m : all)
    if (const auto known = measured_us.find(m.name); known != measured_us.end()) {
      expect_measured(m.name, read_matrix_market(m.file).matrix, known->second);
      ++found;
    }
  EXPECT_EQ(found, measured_us.size());
}

TEST(model, a_cluster_has_the_rates_of_its_multiprocessors) {
  const auto a = generate("poisson2d:400x400");
  const auto grid = plan_for(a), cluster = plan_for(a, {.policy = "none", .teams = 16});
  EXPECT_FALSE(grid.how.in_cluster);
  EXPECT_EQ(grid.how.teams, 132);
  EXPECT_TRUE(cluster.how.in_cluster);
  EXPECT_GT(project(cluster).seconds, 1.5 * project(grid).seconds)
      << "sixteen multiprocessors cannot draw what 132 can";
  const device_limits all = limits_of(facts_of("h200")), part = of_cluster(all, 16);
  EXPECT_DOUBLE_EQ(part.shared * all.units, all.shared * 16);
  EXPECT_LT(part.l2, all.l2);
  EXPECT_LT(part.barrier, all.barrier);
}

TEST(model, fewer_barriers_pay_for_small_systems_only) {
  const projection small = project(plan_for(generate("trefethen:2000")));
  EXPECT_TRUE(bound_by_barriers(small));
  EXPECT_LT(small.waiting, small.seconds);
  EXPECT_FALSE(bound_by_barriers(project(plan_for(generate("poisson2d:1500x1500")))));
}

/// Plan of cg with a sequence of products under policy model.
planned<double> plan_with_sequence(const csr<double>& a, const sequence_facts& sequence) {
  const program_kernel v{"cg", "perks", precision::f64, backend::cuda, true, {}, {}, {}, {}};
  cut_cache<double> cuts(dwell::device::cpu(1), arrays_of(a.view()));
  plan_request request;
  request.sequence = sequence;
  return make_plan<preconditioned_cg, double>(v, configs(), facts_of("h200"), cuts, request,
                                              preconditioned_cg::steady_state(false));
}

// What an iteration with multigrid took there (docs/results/preconditioners.md).
TEST(model, chains_take_their_bytes_and_phases) {
  struct known {
    const char* name;
    sequence_facts sequence;
    double measured_us;
  };
  for (const known& k : {known{"poisson2d:250x250", {7, 12'900'000, 12'900'000}, 35.4},
                         known{"poisson2d:500x500", {9, 51'900'000, 51'900'000}, 60.7},
                         known{"poisson2d:1000x1000", {11, 197'800'000, 197'800'000}, 130.0}}) {
    SCOPED_TRACE(k.name);
    const planned<double> made = plan_with_sequence(generate(k.name), k.sequence);
    EXPECT_EQ(made.facts.barriers, 3 + k.sequence.phases);
    const projection p = project(made);
    EXPECT_NEAR(p.seconds * 1e6 / k.measured_us, 1.0, 0.15) << p.seconds * 1e6 << " us";
    EXPECT_LT(p.floor * 1e6, k.measured_us);
  }
}

TEST(model, parts_of_an_iteration_add_up) {
  const sequence_facts sequence{9, 51'900'000, 51'900'000};
  const projection all = project(plan_with_sequence(generate("poisson2d:500x500"), sequence));
  const auto bytes = static_cast<double>(sequence.bytes);
  EXPECT_EQ(all.without_sequence.barriers, 3);
  EXPECT_GT(all.without_sequence.cached_bytes, 0.0);
  EXPECT_NEAR(all.without_sequence.streamed_bytes + bytes, all.streamed_bytes, 1.0);
  const double sum = all.seconds_of(all.without_sequence) +
                     all.seconds_of({0.0, 0.5 * bytes, 4, 4}) +
                     all.seconds_of({0.0, 0.5 * bytes, 5, 5});
  EXPECT_NEAR(sum / all.seconds, 1.0, 1e-12);
  const projection none = project(plan_for(generate("poisson2d:500x500")));
  EXPECT_NEAR(none.seconds_of(none.without_sequence) / none.seconds, 1.0, 1e-12);
}

TEST(model, the_number_of_teams_has_a_reason) {
  const auto small = generate("trefethen:2000"), large = generate("poisson2d:400x400");
  const auto says = [](const planned<double>& made, const char* part) {
    EXPECT_NE(made.teams_why.find(part), std::string::npos) << made.teams_why;
  };
  says(plan_for(small), "43906 rows and nonzeros");
  says(plan_for(large), "more than the 128000");
  says(plan_for(small, {.teams = 132}), "as asked");
  says(plan_for(small, {.teams = 8}), "one cluster");
  const auto a100 = facts_of("a100");
  const auto made = plan_for(small, {}, a100);
  EXPECT_FALSE(made.how.in_cluster);
  EXPECT_EQ(made.how.teams, a100.units);
  says(made, "no clusters");
}

/// Fully cached systems go to a config that assumes it, whatever the policy.
void expect_whole(const csr<double>& a, int config, const plan_request& request = {}) {
  for (const char* policy : {"mixed", "greedy", "model"}) {
    plan_request by = request;
    by.policy = policy;
    const planned<double> made = plan_for(a, by);
    SCOPED_TRACE(policy + (": " + made.how.reason));
    EXPECT_EQ(made.how.config, config);
    EXPECT_TRUE(made.how.fully_cached);
    EXPECT_GT(made.how.cache.tiles_in_registers, 0);
    EXPECT_EQ(made.how.cache.tiles_in_registers + made.how.cache.tiles, made.facts.tiles_per_team);
    EXPECT_EQ(made.how.cache.halo > 0, config == ghosts);
    if (config == ghosts) {
      EXPECT_EQ(project(made).streamed_bytes, 0.0);
    }
  }
}

/// The dissertation's MIX: r is whole, no other vector takes scratch, and tiles take all of the
/// rest.
TEST(policies, mixed_caches_the_residual_and_then_the_matrix) {
  constexpr int r = textbook_cg::r;
  const auto a = generate("poisson2d:700x700");
  for (const char* device : {"v100", "a100", "h200"}) {
    const auto d = facts_of(device);
    const auto made = plan_for(a, {.policy = "mixed"}, d);
    const auto matrix_only = plan_for(a, {.policy = "matrix"}, d);
    SCOPED_TRACE(device + (": " + made.how.reason));
    const program_facts& facts = made.facts;
    const program_config& shape = made.configs[static_cast<std::size_t>(made.how.config)].shape;
    const bool in_registers = shape.slots > 0;
    for (int f = 0; f < textbook_cg::vectors; ++f)
      EXPECT_EQ(made.how.cache.vector[f], f == r && !in_registers ? facts.rows_per_team : 0) << f;
    // Scratch that tiles do not have: r and the start of a tile that is not there.
    const std::size_t other =
        facts.tile_bytes +
        (in_registers ? 0 : static_cast<std::size_t>(facts.rows_per_team + 2) * facts.scalar_bytes);
    EXPECT_GT(made.how.cache.tiles, 0);
    EXPECT_LE(static_cast<std::size_t>(matrix_only.how.cache.tiles - made.how.cache.tiles) *
                  facts.tile_bytes,
              other);
  }
}

TEST(policies, whole_systems_have_configs_of_their_own) {
  expect_whole(generate("trefethen:2000"), ghosts);
  expect_whole(generate("poisson2d:200x200"), whole);
  expect_whole(generate("trefethen:2000"), whole, {.teams = 132});
  expect_whole(generate("trefethen:2000"), whole, {.clusters = false});
  expect_whole(generate("poisson2d:120x120"), ghosts);
  const auto line = tridiagonal(30000, 2.1, -1);  // more rows than ghosts are compiled for
  expect_whole(line, whole);
  EXPECT_TRUE(plan_for(line).how.in_cluster);
}

TEST(policies, other_systems_have_not) {
  const auto large = plan_for(generate("poisson2d:1000x1000"));
  EXPECT_FALSE(large.how.fully_cached);
  EXPECT_EQ(large.how.cache.tiles_in_registers, 0);
  EXPECT_EQ(large.how.config, part);
  const auto cramped =
      plan_for(generate("trefethen:2000"), {.scratch_per_team = std::size_t{6} << 10});
  EXPECT_FALSE(cramped.how.fully_cached);
  const auto partly = plan_for(generate("trefethen:2000"), {.policy = "vectors"});
  EXPECT_FALSE(partly.how.fully_cached);
  EXPECT_EQ(partly.how.config, part);
}

TEST(policies, far_columns_have_a_config_of_their_own) {
  const auto made = plan_for(battery_at("corner_65537").build());
  EXPECT_FALSE(made.cut->outline.narrow);
  EXPECT_EQ(made.how.config, whole_wide);
  EXPECT_TRUE(made.how.fully_cached);
  EXPECT_EQ(made.how.cache.tiles_in_registers, 0);
}

TEST(policy_model, says_whose_plan_it_took) {
  const auto made = plan_for(generate("poisson2d:1000x1000"));
  EXPECT_EQ(made.how.policy, "model");
  EXPECT_NE(made.how.chosen, "none");
  const auto named = plan_for(generate("poisson2d:1000x1000"), {.policy = made.how.chosen});
  EXPECT_EQ(named.how.chosen, made.how.chosen);
  EXPECT_EQ(project(named).seconds, project(made).seconds);
}

/// Plans that are all different, of a system of which a part fits.
class policy_measured : public testing::Test {
 protected:
  const planned<double> made = plan_for(generate("poisson2d:1000x1000"));
  plan choose(const plan_trial& try_plan) const {
    return find_policy("measured").measure(made.facts, made.configs, facts_of("h200"), try_plan);
  }
};

TEST_F(policy_measured, takes_the_least_wherever_it_is) {
  int plans = 0;
  (void)choose([&](const plan&) { return ++plans; });
  ASSERT_EQ(plans, 4);
  for (int fast = 0; fast < plans; ++fast) {
    int tried = 0;
    std::string name;
    const plan how = choose([&](const plan& p) {
      if (tried == fast) name = p.chosen;
      return tried++ == fast ? 1.5e-6 : 2.5e-6;
    });
    EXPECT_EQ(tried, plans) << "each once";
    EXPECT_EQ(how.chosen, name);
    EXPECT_NE(how.reason.find(" 1.50"), std::string::npos) << how.reason;
    EXPECT_NE(how.reason.find(" 2.50"), std::string::npos) << how.reason;
  }
}

TEST_F(policy_measured, leaves_out_what_does_not_fit) {
  const plan how = choose([](const plan& p) {
    return p.chosen == "matrix" ? 9e-6 : std::numeric_limits<double>::infinity();
  });
  EXPECT_EQ(how.chosen, "matrix");
  EXPECT_NE(how.reason.find("none does not fit"), std::string::npos) << how.reason;
}

TEST_F(policy_measured, ends_when_it_is_told_to) {
  int tried = 0;
  std::string first;
  const plan how = choose([&](const plan& p) -> std::optional<double> {
    if (++tried == 3) return std::nullopt;
    if (tried == 1) first = p.chosen;
    return tried * 1e-6;
  });
  EXPECT_EQ(tried, 3);
  EXPECT_EQ(how.chosen, first) << "the best so far";
  EXPECT_NE(how.reason.find("interrupted"), std::string::npos) << how.reason;
}

TEST_F(policy_measured, tries_equal_plans_once) {
  const auto small = plan_for(generate("trefethen:200"));  // all of it fits, whoever plans
  int tried = 0;
  const plan how = find_policy("measured")
                       .measure(small.facts, small.configs, facts_of("h200"),
                                [&](const plan&) { return static_cast<double>(++tried); });
  EXPECT_LT(tried, 5);
  EXPECT_NE(how.reason.find("mixed, greedy"), std::string::npos) << how.reason;
}

TEST(policy_refusals, plans_are_not_tried_where_nothing_runs) {
  try {
    (void)plan_for(generate("trefethen:20"), {.policy = "measured"});
    ADD_FAILURE() << "measured without a device";
  } catch (const unsupported_error& e) {
    EXPECT_NE(std::string(e.what()).find("nothing is run here"), std::string::npos) << e.what();
    EXPECT_NE(std::string(e.what()).find("greedy"), std::string::npos) << e.what();
  }
}

}  // namespace
}  // namespace dwell::test
