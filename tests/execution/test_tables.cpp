// SPDX-License-Identifier: MIT
// The tables from which the command line, errors and the rules of "auto" take names: executors,
// policies of either family, variants of CG. Each is compared with what is compiled.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/policy_words.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/plan/policies/table.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"
#include "dwell/solvers/linear/choose/variant.hpp"

namespace dwell::test {
namespace {

TEST(executors, rows_say_what_is_compiled) {
  const auto expect_row = [](const auto& v, bool caches, bool executor_info::*family) {
    const executor_info* row = find_executor(v.executor);
    ASSERT_NE(row, nullptr) << v.executor << " has no row";
    EXPECT_TRUE(row->*family) << v.executor;
    EXPECT_TRUE(row->runs_on(v.on)) << v.executor << " on " << to_string(v.on);
    EXPECT_EQ(row->caches, caches) << v.executor;
  };
  for (const auto& v : program_kernels())
    expect_row(v, v.configs[0].caches, &executor_info::programs);
  for (const auto& v : stencil_kernels())
    expect_row(v, v.engines[0]->shape().caches, &executor_info::stencils);
}

TEST(executors, rows_are_compiled_for_every_backend_of_this_build) {
  std::set<backend> built;
  for (const auto& v : program_kernels()) built.insert(v.on);
  for (const executor_info& e : executors::all)
    for (const backend on : built) {
      const auto here = [&](const auto& v) {
        return v.on == on && std::string_view(v.executor) == e.name;
      };
      const auto programs = program_kernels();
      const auto stencils = stencil_kernels();
      EXPECT_EQ(std::any_of(programs.begin(), programs.end(), here), e.programs && e.runs_on(on))
          << e.name << " on " << to_string(on);
      EXPECT_EQ(std::any_of(stencils.begin(), stencils.end(), here), e.stencils && e.runs_on(on))
          << e.name << " on " << to_string(on);
    }
}

TEST(executors, have_names_and_help_of_their_own) {
  std::set<std::string> names;
  for (const executor_info& e : executors::all) {
    EXPECT_TRUE(names.insert(e.name).second) << e.name;
    EXPECT_STRNE(e.what, "") << e.name;
    EXPECT_EQ(find_executor(e.name), &e);
  }
  EXPECT_EQ(find_executor(automatic), nullptr);
  EXPECT_FALSE(has_policies("no such"));
}

/// A table of policies and the function that looks in it.
template <class Rows, class Find>
void expect_policies(const Rows& rows, const Find& find, const std::vector<std::string>& listed) {
  std::vector<std::string> names;
  for (const auto& p : rows) {
    names.emplace_back(p.name);
    EXPECT_STRNE(p.what, "") << p.name;
    EXPECT_EQ(&find(p.name), &p);
  }
  EXPECT_EQ(names, listed);
  EXPECT_EQ(std::set<std::string>(names.begin(), names.end()).size(), names.size());
  EXPECT_STREQ(rows[0].name, nothing_cached);
  const auto& by_default = find(automatic);
  EXPECT_TRUE(
      std::any_of(rows.begin(), rows.end(), [&](const auto& p) { return &p == &by_default; }));
  try {
    (void)find("no such");
    ADD_FAILURE() << "policy 'no such' was found";
  } catch (const input_error& e) {
    for (const auto& name : names)
      EXPECT_NE(std::string(e.what()).find(name), std::string::npos) << name << ": " << e.what();
  }
}

TEST(policies_of_programs, are_found_by_name) {
  expect_policies(program_policies(), find_policy, built_policies());
  EXPECT_TRUE(find_policy(automatic).choose) << "auto needs no trial";
  std::vector<std::string> planning;
  for (const named_policy& p : program_policies()) {
    EXPECT_NE(p.choose == nullptr, p.measure == nullptr) << p.name;
    if (p.choose) planning.emplace_back(p.name);
  }
  EXPECT_EQ(planning, planning_policies());
}

TEST(policies_of_stencils, are_found_by_name) {
  expect_policies(policies::stencil_policies(), policies::find_stencil_policy,
                  built_stencil_policies());
  EXPECT_FALSE(policies::find_stencil_policy(automatic).tries) << "auto needs no trial";
}

TEST(policy_words, two_need_no_executor_that_caches) {
  EXPECT_FALSE(asks_to_cache(automatic));
  EXPECT_FALSE(asks_to_cache(nothing_cached));
  for (const named_policy& p : program_policies())
    EXPECT_EQ(asks_to_cache(p.name), p.name != std::string(nothing_cached)) << p.name;
}

TEST(variants_of_cg, are_compiled_for_every_executor_of_this_build) {
  for (const solver_variant& f : solver_variants())
    for (const auto& v : program_kernels())
      if (v.problem == std::string(solver_variants().front().program)) {
        EXPECT_NO_THROW((void)find_kernel(f.program, v.executor, v.type, v.on)) << f.name;
      }
}

TEST(variants_of_cg, one_is_weighed_first_and_others_say_when_they_may_beat_it) {
  const auto variants = solver_variants();
  EXPECT_EQ(std::count_if(variants.begin(), variants.end(),
                          [](const auto& f) { return f.planned_first; }),
            1);
  for (const solver_variant& f : variants) {
    EXPECT_EQ(&find_variant(f.method, f.name), &f);
    EXPECT_FALSE(f.planned_first && f.may_beat) << f.name;
  }
  const solver_variant& textbook = find_variant("cg", "textbook");
  EXPECT_TRUE(textbook.may_beat({.tiles_per_team = 13, .fair_tiles = 10}));
  EXPECT_FALSE(textbook.may_beat({.tiles_per_team = 11, .fair_tiles = 10}));
  const solver_variant& pipelined = find_variant("cg", "pipelined");
  EXPECT_TRUE(pipelined.may_beat({.bound_by_barriers = true, .cooperative = true}));
  EXPECT_FALSE(pipelined.may_beat({.bound_by_barriers = true, .cooperative = false}));
  EXPECT_FALSE(pipelined.may_beat({.bound_by_barriers = false, .cooperative = true}));
}

}  // namespace
}  // namespace dwell::test
