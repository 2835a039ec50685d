// SPDX-License-Identifier: MIT
// P, PP and what binds, as `compare` and `explain` show them, by logic and by hand.
#include <gtest/gtest.h>

#include <algorithm>

#include "linear/prospect.hpp"
#include "stencil/prospect.hpp"

#include "dwell/device/limits.hpp"

namespace dwell::test {
namespace {

TEST(prospects, of_stencils_on_a_gpu_that_is_not_here) {
  stencil_options options;
  options.shape = "2d5pt";
  const auto e = explain(extents(8192, 8192), "f64", facts_of("h100"), options);
  int modelled = 0, roofs = 0;
  for (const stencil_policy_plan& p : e.plans) {
    const auto found = app::prospect_of(e, p.executor, p.policy);
    if (!p.refusal.empty()) {
      EXPECT_EQ(found.attainable, 0) << p.policy;
      EXPECT_EQ(found.streamed_bytes, -1) << p.policy;
      continue;
    }
    const stencil_seconds& t = p.projected;
    const double most = std::max({t.arithmetic, t.shared_memory, t.l2, t.device_memory});
    EXPECT_DOUBLE_EQ(found.attainable * most, static_cast<double>(e.changing_cells));
    EXPECT_EQ(found.binds, binding_part(t));
    EXPECT_EQ(found.streamed_bytes, p.streamed_bytes);
    if (p.roof) {
      ++roofs;
      EXPECT_EQ(found.projected, 0) << p.executor << " has a roof, and no model";
    } else {
      ++modelled;
      EXPECT_GT(found.projected, 0) << p.executor;
      EXPECT_LE(found.projected, found.attainable * (1 + 1e-12)) << p.executor << ' ' << p.policy;
    }
  }
  EXPECT_GT(modelled, 2);
  EXPECT_GT(roofs, 1);
  EXPECT_EQ(app::prospect_of(e, "perks", "no such policy").attainable, 0);
}

TEST(prospects, a_cpu_has_none) {
  stencil_options options;
  options.shape = "2d5pt";
  const auto e = explain(extents(64, 64), "f64", device::cpu(2).facts(), options);
  const auto found = app::prospect_of(e, "host-loop", "");
  EXPECT_EQ(found.attainable, 0);
  EXPECT_EQ(found.projected, 0);
  EXPECT_EQ(found.binds, "");
  EXPECT_GT(found.streamed_bytes, 0);
}

solve_explanation explained_on_h100() {
  solve_explanation e;
  e.device = facts_of("h100");
  e.projected = true;
  return e;
}

/// Bytes that take 1 us of shared memory, 3 us of L2 and 2 us of device memory, of 10 us.
policy_plan ten_microseconds(const device_limits& l) {
  policy_plan p;
  p.teams = l.units;
  p.cached_bytes_moved = 1e-6 * l.shared;
  p.l2_bytes = 3e-6 * l.l2;
  p.memory_bytes = 2e-6 * l.memory;
  p.seconds = 10e-6;
  return p;
}

TEST(prospects, of_a_system) {
  const auto e = explained_on_h100();
  policy_plan p = ten_microseconds(limits_of(e.device));
  auto found = app::prospect_of(e, p);
  EXPECT_DOUBLE_EQ(found.attainable, 3e-6);
  EXPECT_DOUBLE_EQ(found.projected, 10e-6);
  EXPECT_EQ(found.binds, "barriers");  // 4 of 10 us
  p.seconds = 8e-6;
  EXPECT_EQ(app::prospect_of(e, p).binds, "L2");
  p.refusal = "does not fit";
  EXPECT_EQ(app::prospect_of(e, p).projected, 0);
}

TEST(prospects, of_a_system_in_a_cluster) {
  auto e = explained_on_h100();
  e.in_cluster = true;
  policy_plan p = ten_microseconds(of_cluster(limits_of(e.device), 16));
  p.teams = 16;
  EXPECT_DOUBLE_EQ(app::prospect_of(e, p).attainable, 3e-6);
}

TEST(prospects, without_a_model_there_is_none) {
  auto e = explained_on_h100();
  e.projected = false;
  EXPECT_EQ(app::prospect_of(e, ten_microseconds(limits_of(e.device))).projected, 0);
}

}  // namespace
}  // namespace dwell::test
