// SPDX-License-Identifier: MIT
// Tiles that are larger than what stays on the chip, bit for bit against plain loops: in every
// order of the rows (planes) that stream, with some in scratch and registers among them and
// without.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "place.hpp"
#include "refusal.hpp"
#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/stencil/explain.hpp"

namespace dwell::test {
namespace {

constexpr boundary all_edges[] = {boundary::fixed, boundary::periodic, boundary::reflect};

class stencil_streaming : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(GetParam(), "perks"); !why.empty())
      GTEST_SKIP() << why;
  }
  /// One team for all of it: more rows (planes) than registers and scratch hold, on any device.
  static extents large() { return flat() ? extents(431, 93) : extents(41, 31, 61); }
  /// A large field for streams, of which one team takes at most 60 x 60 cells of a plane.
  static extents large_for_streams() { return flat() ? large() : extents(61, 57, 49); }
  /// What going up and down puts aside leaves the widest star no scratch for rows of doubles on
  /// their way.
  template <class T>
  static bool fits(const std::string& order) {
    if (!flat()) return order == "static";  // there are kernels for no other
    return order != "zig-zag" || find_stencil_shape(GetParam()).radius < 6 || sizeof(T) == 4;
  }
  static bool flat() { return find_stencil_shape(GetParam()).dims == 2; }
  static constexpr const char* orders[] = {"static", "zig-zag", "ring"};
  static stencil_options options(int steps) {
    stencil_options o;
    o.shape = GetParam();
    o.executor = "perks";
    o.steps = steps;
    o.teams = 1;
    o.weights = uneven_weights(o.shape);
    return o;
  }
  template <class T>
  static void expect_bits(const stencil_options& o, const grid<T>& start, const grid<T>& expected,
                          const grid<T>* source = nullptr) {
    SCOPED_TRACE(fmt::format("{} {} {} {} {}, {} steps{}{}", o.shape, to_string(start.size()),
                             to_string(o.edge), o.policy, o.traversal, o.steps,
                             source ? ", source" : "", o.reverse_lanes ? ", reversed" : ""));
    grid<T> u = start;
    if (!fits<T>(o.traversal)) {
      EXPECT_THROW(solve(stencil_place::where(), u, o, source), unsupported_error);
      return;
    }
    const auto report = solve(stencil_place::where(), u, o, source);
    EXPECT_GT(report.streamed, 0u);
    EXPECT_EQ(report.traversal, o.traversal);
    EXPECT_EQ(report.teams > 1, o.teams > 1);
    if (!flat() && o.policy != "auto") {  // in two dimensions not every shape has kernels for all
      EXPECT_EQ(report.cached_registers > 0, o.policy == "registers" || o.policy == "both");
      EXPECT_EQ(report.cached_scratch > 0, o.policy == "shared" || o.policy == "both");
    }
    EXPECT_EQ(difference(u, expected), "");
  }
  template <class T>
  static void expect_bits_of_many_teams(const extents& n);
};

TEST_P(stencil_streaming, in_every_order) {
  auto o = options(7);
  const auto start = random_field<double>(large(), 1);
  for (const boundary edge : all_edges) {
    o.edge = edge;
    const auto expected = stencil_by_loops(o.shape, start, o.steps, edge, o.weights);
    for (const char* policy : {"none", "registers", "shared", "both"})
      for (const char* order : orders)
        for (const bool reversed : {false, true}) {
          if (reversed && stencil_place::where().on() != backend::cpu) continue;
          o.policy = policy;
          o.traversal = order;
          o.reverse_lanes = reversed;
          expect_bits(o, start, expected);
        }
  }
}

TEST_P(stencil_streaming, with_a_source) {
  auto o = options(4);
  const auto start = random_field<double>(large(), 1), source = random_field<double>(large(), 2);
  const auto expected = stencil_by_loops(o.shape, start, o.steps, o.edge, o.weights, &source);
  for (const char* order : orders) {
    o.traversal = order;
    expect_bits(o, start, expected, &source);
  }
}

/// Several teams side by side along each axis, of subdomains that differ; step counts after which a
/// pass begins where the first one did, and elsewhere.
template <class T>
void stencil_streaming::expect_bits_of_many_teams(const extents& n) {
  auto o = options(0);
  o.teams = 8;
  const auto start = random_field<T>(n, 1), source = random_field<T>(n, 2);
  for (const boundary edge : all_edges)
    for (const int steps : sanitized ? std::vector{2, 11} : std::vector{1, 2, 11}) {
      const auto* f = steps == 2 ? &source : nullptr;
      o.edge = edge;
      o.steps = steps;
      o.reverse_lanes = steps == 11 && stencil_place::where().on() == backend::cpu;
      const auto expected = stencil_by_loops(o.shape, start, steps, edge, o.weights, f);
      for (const char* policy : {"none", "registers"})
        for (const char* order : orders) {
          if (flat() && policy == std::string("registers")) continue;  // which hold all of it
          o.policy = policy;
          o.traversal = order;
          expect_bits(o, start, expected, f);
        }
    }
}

TEST_P(stencil_streaming, in_every_order_by_many_teams) {
  for (const int odd : {0, 1}) {
    const auto n = flat() ? extents(60 + odd, 270 - odd) : extents(26 + odd, 36 - odd, 70 + odd);
    if (odd || !sanitized) expect_bits_of_many_teams<double>(n);
    if (!sanitized) expect_bits_of_many_teams<float>(n);
  }
}

/// The window of a block is higher than the block; a ring has hardly a place to begin elsewhere.
TEST_P(stencil_streaming, in_every_order_of_few_planes) {
  if (flat()) GTEST_SKIP() << "of blocks";
  auto o = options(9);
  o.policy = "none";
  for (const int planes : {1, 2, 3, 4, 5, 6, 9}) {
    const auto start = random_field<double>({planes, 5, 7}, 1);
    for (const boundary edge : {boundary::fixed, boundary::periodic}) {
      o.edge = edge;
      const auto expected = stencil_by_loops(o.shape, start, o.steps, edge, o.weights);
      for (const char* order : orders) {
        o.traversal = order;
        expect_bits(o, start, expected);
      }
    }
  }
}

/// A test compares two whole copies of the field, in whatever order they have been written.
TEST_P(stencil_streaming, in_every_order_between_tests) {
  auto o = options(8);
  o.until = 0;
  o.check_every = 3;
  const auto start = random_field<double>(large(), 1);
  const auto before = stencil_by_loops(o.shape, start, o.steps - 1, o.edge, o.weights),
             after = stencil_by_loops(o.shape, before, 1, o.edge, o.weights);
  double largest = 0;
  for (std::size_t i = 0; i < after.cells().size(); ++i)
    largest = std::max(largest, std::abs(after.cells()[i] - before.cells()[i]));
  for (const char* order : orders) {
    if (!fits<double>(order)) continue;
    o.traversal = order;
    grid<double> u = start;
    EXPECT_EQ(solve(stencil_place::where(), u, o).change, largest) << order;
    EXPECT_EQ(difference(u, after), "") << order;
  }
}

/// Steps of the longest pass that this shape has a kernel for.
int longest_pass(const std::string& shape) {
  const auto& v =
      find_kernel(stencil_kernels(), shape, "perks", precision::f64, stencil_place::where().on());
  int most = 0;
  const stencil_problem fixed{};
  for (const stencil_engine* e : v.engines)
    if (e->shape().temporal) most = std::max(most, e->most_depth(fixed));
  return most;
}

TEST_P(stencil_streaming, in_passes_of_several_steps) {
  if (longest_pass(GetParam()) == 0) GTEST_SKIP() << "no such passes";
  auto o = options(19);  // no multiple of any pass
  o.blocking = "temporal";
  const auto start = random_field<double>(large_for_streams(), 1),
             source = random_field<double>(large_for_streams(), 2);
  for (const boundary edge : all_edges)
    for (const auto* f : {static_cast<const grid<double>*>(nullptr), &source}) {
      o.edge = edge;
      const auto expected = stencil_by_loops(o.shape, start, o.steps, edge, o.weights, f);
      for (const char* policy : {"none", "shared"}) {
        o.policy = policy;
        grid<double> u = start;
        const auto report = solve(stencil_place::where(), u, o, f);
        EXPECT_GT(report.streamed, 0u);
        EXPECT_EQ(report.cached_scratch > 0, o.policy == "shared");
        EXPECT_EQ(report.traversal, "");
        EXPECT_EQ(difference(u, expected), "")
            << o.shape << ' ' << to_string(edge) << ' ' << policy;
      }
    }
}

TEST_P(stencil_streaming, in_passes_as_long_as_there_are) {
  const int most = longest_pass(GetParam());
  if (most == 0) GTEST_SKIP() << "no such passes";
  auto o = options(2 * most + 1);
  o.blocking = "temporal";
  o.depth = most;
  const auto start = random_field<double>(large_for_streams(), 1);
  grid<double> u = start;
  EXPECT_EQ(solve(stencil_place::where(), u, o).pass_steps, most);
  EXPECT_EQ(difference(u, stencil_by_loops(o.shape, start, o.steps, o.edge, o.weights)), "");
  o.depth = most + 1;
  EXPECT_EQ(
      refusal<unsupported_error>([&] { solve(stencil_place::where(), u, o); }),
      fmt::format("depth {}: a pass of blocking 'temporal' takes at most {} step{} of this stencil",
                  most + 1, most, most == 1 ? "" : "s"));
}

template <class T>
void expect_bits_of_long_passes(const std::string& shape, const extents& n) {
  stencil_options o;
  o.shape = shape;
  o.executor = "perks";
  o.blocking = "temporal";
  o.weights = uneven_weights(shape);
  o.steps = 2 * longest_pass(shape) + 1;  // whole passes, and one that is not
  const auto start = random_field<T>(n, 1);
  for (const boundary edge : all_edges) {
    o.edge = edge;
    const auto expected = stencil_by_loops(shape, start, o.steps, edge, o.weights);
    for (const bool reversed : {false, true}) {
      o.reverse_lanes = reversed && stencil_place::where().on() == backend::cpu;
      grid<T> u = start;
      EXPECT_GT(solve(stencil_place::where(), u, o).teams, 1);
      EXPECT_EQ(difference(u, expected), "") << shape << ' ' << to_string(edge) << ' ' << reversed;
    }
  }
}

/// Several teams side by side along each axis but one; lanes that own some of their columns, or all
/// of them as in nearly every field that is worth a stream: these have code paths of their own.
TEST_P(stencil_streaming, in_passes_of_several_steps_by_many_teams) {
  if (longest_pass(GetParam()) == 0) GTEST_SKIP() << "no such passes";
  for (const int odd : {1, 0}) {
    const auto n = flat() ? extents(47, 300 + odd) : extents(7, 68 - odd, 132 - odd);
    expect_bits_of_long_passes<double>(GetParam(), n);
    expect_bits_of_long_passes<float>(GetParam(), n);
  }
}

/// Warps beside a fixed border have fewer rows than the others, so that subdomains next to each
/// other do not begin at the same rows; and there are fewer subdomains than warps.
TEST_P(stencil_streaming, in_passes_by_columns_of_subdomains_that_differ) {
  if (!flat() || longest_pass(GetParam()) == 0) GTEST_SKIP() << "no such passes";
  auto o = options(2 * longest_pass(GetParam()) + 1);
  o.blocking = "temporal";
  int differ = 0;
  for (const extents& n : {extents(401, 420), extents(190, 333)})
    for (const int teams : {3, 7}) {
      o.teams = teams;
      try {
        const auto plan = explain(n, "f64", stencil_place::where().facts(), o).plan();
        differ += plan.side_tiles > plan.tiles_along.y;
      } catch (const unsupported_error&) {  // too wide for so few teams
        continue;
      }
      grid<double> u = random_field<double>(n, 1);
      const auto expected = stencil_by_loops(o.shape, u, o.steps, o.edge, o.weights);
      solve(stencil_place::where(), u, o);
      EXPECT_EQ(difference(u, expected), "") << to_string(n) << ", " << teams << " teams";
    }
  EXPECT_GE(differ, 1);
}

INSTANTIATE_TEST_SUITE_P(shapes, stencil_streaming, testing::ValuesIn(shape_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace dwell::test
