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
  std::vector<int> teams;
  for (int t = 0; t < p.layers.parts + 1; ++t) teams.push_back(t);  // one has nothing to do
  for (int phase = 0; phase < 2; ++phase) {
    std::ranges::shuffle(teams, chance);
    for (const int team : teams)
      for_slab(p, stages, team, phase, [&](int s, int layer, int first, int last) {
        ASSERT_TRUE(0 <= first && first < last && last <= across && 0 <= layer && layer < layers);
        for (int x = first; x < last; ++x) {
          ASSERT_EQ(at(s, layer, x).phase, -1)
              << "stage " << s << " of " << layer << ", " << x << " again";
          if (s > 0)
            for (int l = 0; l < layers; ++l)
              for (int k = 0; k < across; ++k) {
                if (distance(p.layers, l, layer) > p.layers.slope ||
                    distance(p.across, k, x) > p.across.slope)
                  continue;
                const moment& m = at(s - 1, l, k);
                ASSERT_TRUE(m.phase >= 0 && (m.phase < phase || m.team == team))
                    << "stage " << s << " of " << layer << ", " << x << " before that of " << l
                    << ", " << k;
              }
          at(s, layer, x) = {phase, team};
        }
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
    SCOPED_TRACE(fmt::format(
        "{} stages, {} layers in {} parts, slope {}{}; {} across in {}, slope {}{}", stages,
        p.layers.end, p.layers.parts, p.layers.slope, p.layers.ring ? ", ring" : "", p.across.end,
        p.across.parts, p.across.slope, p.across.ring ? ", ring" : ""));
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
    const int dims = 2 + below(2), radius = below(3), threads = 1 + below(4);
    std::vector<std::int64_t> size;
    for (int a = 0; a < dims; ++a) size.push_back(4 + below(200));
    const auto domain =
        domain_of(radius, size, below(2) ? side_kind::periodic : side_kind::nearest);
    const field_pass p =
        plan_pass(domain, threads, below(2) * (1 + below(12)), 16, 1 << (8 + below(14)));
    if (p.depth == 0) continue;
    const int least = skewed_axis::least(radius, p.depth);
    EXPECT_EQ(p.layers.slope, radius);
    EXPECT_EQ(p.across.slope, radius);
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

}  // namespace
}  // namespace dwell::test
