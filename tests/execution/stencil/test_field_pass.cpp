// SPDX-License-Identifier: MIT
// Passes of several steps: every stage of every cell is computed once, after all that it reads and
// after all that still reads what it overwrites, by the same thread or before the last meeting.
#include "dwell/execution/stencil/fields/field_pass.hpp"
#include "sanitized.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

namespace dwell::test {
namespace {

/// Distance along an axis, the shorter way where it is a ring.
int distance(const skewed_axis& axis, int a, int b) {
  const int d = std::abs(a - b);
  return axis.ring ? std::min(d, axis.end - d) : d;
}

void check(const field_pass& p, int stages, std::mt19937_64& chance) {
  const int layers = p.layers.end, across = p.across.end;
  struct moment {
    int phase = -1, team = -1;
  };
  std::vector<moment> done(static_cast<std::size_t>(stages * layers * across));
  const auto at = [&](int s, int layer, int x) -> moment& {
    return done[static_cast<std::size_t>((s * layers + layer) * across + x)];
  };
  const auto near = [&](int l, int k, int layer, int x) {
    return distance(p.layers, l, layer) <= p.layers.slope &&
           distance(p.across, k, x) <= p.across.slope;
  };
  const auto may_be_done = [&](int s, int layer, int x, const moment& now) {
    const auto which = [&] { return fmt::format("stage {} of {}, {}", s, layer, x); };
    ASSERT_EQ(at(s, layer, x).phase, -1) << which() << " again";
    for (int l = 0; l < layers; ++l)
      for (int k = 0; k < across; ++k) {
        if (s == 0 || !near(l, k, layer, x)) continue;
        const moment& m = at(s - 1, l, k);
        ASSERT_TRUE(m.phase >= 0 && (m.phase < now.phase || m.team == now.team))
            << which() << " before that of " << l << ", " << k;
      }
  };
  std::vector<int> teams;
  for (int t = 0; t < p.layers.parts + 1; ++t) teams.push_back(t);  // one has nothing to do
  for (int phase = 0; phase < 2; ++phase) {
    std::ranges::shuffle(teams, chance);
    for (const int team : teams)
      for_slab(p, stages, team, phase, [&](int s, const cell_range& ls, const cell_range& xs) {
        ASSERT_TRUE(0 <= xs.first && xs.first < xs.last && xs.last <= across);
        ASSERT_TRUE(0 <= ls.first && ls.first < ls.last && ls.last <= layers);
        ASSERT_LE(ls.last - ls.first, p.front);
        // A stage reads nothing of its own: all cells of a call are looked at before any is done.
        for (int layer = ls.first; layer < ls.last; ++layer)
          for (int x = xs.first; x < xs.last; ++x) may_be_done(s, layer, x, {phase, team});
        for (int layer = ls.first; layer < ls.last; ++layer)
          for (int x = xs.first; x < xs.last; ++x) at(s, layer, x) = {phase, team};
      });
  }
  for (const moment& m : done) ASSERT_GE(m.phase, 0);
}

TEST(FieldPass, ComputesEveryStageOnceInAnOrderThatIsRight) {
  std::mt19937_64 chance(11);
  const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
  for (int k = 0; k < rounds(400); ++k) {
    const int stages = 1 + below(6);
    field_pass p;
    p.depth = 1;
    const auto axis = [&](int slope, int parts, bool ring) {
      return skewed_axis{0, parts * skewed_axis::least(slope, stages) + below(8), parts, slope,
                         ring};
    };
    p.layers = axis(below(4), 1 + below(3), below(3) == 0);
    p.across = axis(below(3), 1 + below(3), below(3) == 0);
    if (below(2)) p.front = 1 + below(p.layers.end + 8);
    if (below(3) == 0) p.across = {0, 1, 1, 0, false};  // one dimension
    SCOPED_TRACE(fmt::format(
        "{} stages, {} layers in {} parts by {}, slope {}{}; {} across in {}, slope {}{}", stages,
        p.layers.end, p.layers.parts, p.front, p.layers.slope, p.layers.ring ? ", ring" : "",
        p.across.end, p.across.parts, p.across.slope, p.across.ring ? ", ring" : ""));
    check(p, stages, chance);
    check(p, 1 + below(stages), chance);  // the last pass of a run may be shorter
    if (HasFatalFailure()) return;
  }
}

/// A weighted sum of two cells.
field_domain domain_of(int radius, const std::vector<std::int64_t>& size, side_kind kind) {
  const int dims = static_cast<int>(size.size());
  cell_tape t{"two", dims, {"u"}, {}, {}, {}, {{{0, 2}}}};
  t.nodes = {cell_node::tap(0, std::vector<int>(size.size(), radius)),
             cell_node::tap(0, std::vector<int>(size.size(), -radius)),
             cell_node::operation(cell_op::add, 0, 1)};
  return field_domain(stencil_definition(t), checked_field_size(dims, size),
                      {field_boundary::all({kind, 0})});
}

TEST(FieldPass, PlansFitTheCacheAndWhatAPassNeeds) {
  std::mt19937_64 chance(5);
  const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
  int tiled = 0;
  for (int k = 0; k < 500; ++k) {
    const int dims = 1 + below(3), radius = below(3), threads = 1 + below(4);
    std::vector<std::int64_t> size;
    for (int a = 0; a < dims; ++a) size.push_back(4 + below(200));
    const auto domain =
        domain_of(radius, size, below(2) ? side_kind::periodic : side_kind::nearest);
    const field_pass p =
        plan_pass(domain, threads, below(2) * (1 + below(12)), 16, 1 << (8 + below(14)));
    if (p.depth == 0) continue;
    const int least = skewed_axis::least(radius, p.depth);
    EXPECT_EQ(p.layers.slope, radius);
    EXPECT_EQ(p.across.slope, dims == 1 ? 0 : radius);
    EXPECT_TRUE(p.front == 1 || dims == 1) << p.front;
    EXPECT_LE(p.front, p.layers.end);
    EXPECT_LE(p.layers.parts, threads);
    if (p.layers.parts > 1 || p.layers.ring) {
      EXPECT_GE(p.layers.end / p.layers.parts, least);
    }
    if (p.across.parts > 1) {
      EXPECT_GE(p.across.end / p.across.parts, least);
    }
    tiled += p.across.parts > 1;
  }
  EXPECT_GT(tiled, 50);
}

TEST(FieldPass, PassesOfALineTakeBlocksThatFitACache) {
  std::mt19937_64 chance(6);
  for (int k = 0; k < 200; ++k) {
    const auto below = [&](int n) { return static_cast<int>(chance() % static_cast<unsigned>(n)); };
    const int radius = 1 + below(3), threads = 1 + below(4), depth = below(2) * (1 + below(40));
    const std::int64_t cells = 100'000 + below(1'000'000),
                       cache = std::int64_t{1} << (14 + below(8));
    const std::vector<std::int64_t> size{cells};
    const auto domain = domain_of(radius, size, side_kind::periodic);
    const field_pass p = plan_pass(domain, threads, depth, 16, cache);
    ASSERT_GT(p.depth, 0);
    if (depth > 0) {
      EXPECT_EQ(p.depth, depth);
    }
    EXPECT_EQ(p.layers.parts, threads);
    EXPECT_GE(p.front, 256);
    if (p.front > 256) {
      EXPECT_LE(p.working_set, cache);
    }
  }
  const std::vector<std::int64_t> long_line{(std::int64_t{1} << 30) + 1};
  const auto why = refuses_passes(domain_of(1, long_line, side_kind::nearest));
  ASSERT_TRUE(why);
  EXPECT_NE(why->find("at most 2^30 cells along an axis, found 1073741825"), std::string::npos);
  const std::vector<std::int64_t> shorter{std::int64_t{1} << 30};
  EXPECT_FALSE(refuses_passes(domain_of(1, shorter, side_kind::nearest)));
}

}  // namespace
}  // namespace dwell::test
