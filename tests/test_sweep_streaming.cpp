// SPDX-License-Identifier: MIT
// Tiles that are larger than what stays on the chip, bit for bit against plain loops: in every
// order of the rows that stream, with rows in scratch and registers among them and without.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "refusal.hpp"
#include "sweep_oracle.hpp"
#include "sweep_place.hpp"

#include "dwell/execution/core/sweep_variant.hpp"

namespace dwell::test {
namespace {

class sweep_streaming : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = sweep_place::absent(); !why.empty()) GTEST_SKIP() << why;
  }
  /// One team for all of it: more rows (planes) than registers and scratch hold, on any device.
  static extents large() {
    return find_stencil_shape(GetParam()).dims == 2 ? extents(431, 93) : extents(41, 31, 61);
  }
  /// The same for waves, of which one team takes at most 60 x 60 cells of a plane.
  static extents large_for_waves() {
    return find_stencil_shape(GetParam()).dims == 2 ? large() : extents(61, 57, 49);
  }
  /// What going up and down puts aside leaves the widest star no scratch for rows on their way.
  static bool fits(const std::string& order) {
    return order != "zig-zag" || find_stencil_shape(GetParam()).radius < 6;
  }
  static std::vector<std::string> orders() {
    if (find_stencil_shape(GetParam()).dims == 3) return {"static"};
    return {"static", "zig-zag", "ring"};
  }
  static stencil_options options(int steps) {
    stencil_options o;
    o.shape = GetParam();
    o.executor = "perks";
    o.steps = steps;
    o.teams = 1;
    o.weights = uneven_weights(o.shape);
    return o;
  }
  static void expect_bits(const stencil_options& o, const grid<double>& start,
                          const grid<double>& expected, const grid<double>* source = nullptr) {
    grid<double> u = start;
    if (!fits(o.traversal)) {
      EXPECT_THROW(solve(sweep_place::where(), u, o, source), unsupported_error);
      return;
    }
    const auto report = solve(sweep_place::where(), u, o, source);
    EXPECT_GT(report.streamed, 0u);
    EXPECT_EQ(report.traversal, o.traversal);
    EXPECT_EQ(difference(u, expected), "")
        << o.shape << ' ' << to_string(o.edge) << ' ' << o.policy << ' ' << o.traversal;
  }
};

TEST_P(sweep_streaming, in_every_order) {
  auto o = options(7);
  const auto start = random_field<double>(large(), 1);
  for (const boundary edge : {boundary::fixed, boundary::periodic}) {
    o.edge = edge;
    const auto expected = sweep_by_loops(o.shape, start, o.steps, edge, o.weights);
    for (const char* policy : {"none", "registers", "shared", "both"})
      for (const auto& order : orders())
        for (const bool reversed : {false, true}) {
          if (reversed && sweep_place::where().on() != backend::cpu) continue;
          o.policy = policy;
          o.traversal = order;
          o.reverse_lanes = reversed;
          expect_bits(o, start, expected);
        }
  }
}

TEST_P(sweep_streaming, with_a_source) {
  auto o = options(4);
  const auto start = random_field<double>(large(), 1), source = random_field<double>(large(), 2);
  const auto expected = sweep_by_loops(o.shape, start, o.steps, o.edge, o.weights, &source);
  for (const auto& order : orders()) {
    o.traversal = order;
    expect_bits(o, start, expected, &source);
  }
}

/// Steps of the longest pass that this shape has a kernel for.
int longest_pass(const std::string& shape) {
  const auto& v = find_variant(sweep_variants(), shape, "perks", precision::f64, backend::cpu);
  int most = 0;
  for (const sweep_rung& r : v.rungs) most = std::max(most, r.levels);
  return most;
}

TEST_P(sweep_streaming, in_passes_of_several_steps) {
  if (longest_pass(GetParam()) == 0) GTEST_SKIP() << "no such passes";
  auto o = options(19);  // no multiple of any pass
  o.blocking = "temporal";
  const auto start = random_field<double>(large_for_waves(), 1),
             source = random_field<double>(large_for_waves(), 2);
  for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect})
    for (const auto* f : {static_cast<const grid<double>*>(nullptr), &source}) {
      o.edge = edge;
      const auto expected = sweep_by_loops(o.shape, start, o.steps, edge, o.weights, f);
      for (const char* policy : {"none", "shared"}) {
        o.policy = policy;
        grid<double> u = start;
        const auto report = solve(sweep_place::where(), u, o, f);
        EXPECT_GT(report.streamed, 0u);
        EXPECT_EQ(report.kept_scratch > 0, o.policy == "shared");
        EXPECT_EQ(report.traversal, "");
        EXPECT_EQ(difference(u, expected), "")
            << o.shape << ' ' << to_string(edge) << ' ' << policy;
      }
    }
}

TEST_P(sweep_streaming, in_passes_as_long_as_there_are) {
  const int most = longest_pass(GetParam());
  if (most == 0) GTEST_SKIP() << "no such passes";
  auto o = options(2 * most + 1);
  o.blocking = "temporal";
  o.depth = most;
  const auto start = random_field<double>(large_for_waves(), 1);
  grid<double> u = start;
  EXPECT_EQ(solve(sweep_place::where(), u, o).pass_steps, most);
  EXPECT_EQ(difference(u, sweep_by_loops(o.shape, start, o.steps, o.edge, o.weights)), "");
  o.depth = most + 1;
  EXPECT_EQ(
      refusal<unsupported_error>([&] { solve(sweep_place::where(), u, o); }),
      fmt::format("depth {}: a pass of blocking 'temporal' takes at most {} step{} of this stencil",
                  most + 1, most, most == 1 ? "" : "s"));
}

template <class T>
void expect_bits_of_many_teams(const std::string& shape, const extents& n) {
  stencil_options o;
  o.shape = shape;
  o.executor = "perks";
  o.blocking = "temporal";
  o.weights = uneven_weights(shape);
  o.steps = 2 * longest_pass(shape) + 1;  // whole passes, and one that is not
  const auto start = random_field<T>(n, 1);
  for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect}) {
    o.edge = edge;
    const auto expected = sweep_by_loops(shape, start, o.steps, edge, o.weights);
    for (const bool reversed : {false, true}) {
      o.reverse_lanes = reversed && sweep_place::where().on() == backend::cpu;
      grid<T> u = start;
      EXPECT_GT(solve(sweep_place::where(), u, o).teams, 1);
      EXPECT_EQ(difference(u, expected), "") << shape << ' ' << to_string(edge) << ' ' << reversed;
    }
  }
}

/// Several teams side by side along each axis but one; lanes that own some of their columns, or all
/// of them as in nearly every field that is worth a wave: these have texts of their own.
TEST_P(sweep_streaming, in_passes_of_several_steps_by_many_teams) {
  if (longest_pass(GetParam()) == 0) GTEST_SKIP() << "no such passes";
  const bool flat = find_stencil_shape(GetParam()).dims == 2;
  for (const int odd : {1, 0}) {
    const auto n = flat ? extents(47, 300 + odd) : extents(7, 68 - odd, 132 - odd);
    expect_bits_of_many_teams<double>(GetParam(), n);
    expect_bits_of_many_teams<float>(GetParam(), n);
  }
}

/// What a plan of perks is asked to be, and is refused for a small field.
class sweep_wishes : public testing::Test {
 protected:
  stencil_options wish;

  template <class Error = unsupported_error>
  std::string refused(const char* shape = "2d5pt") {
    wish.shape = shape;
    wish.executor = "perks";
    grid<double> u(find_stencil_shape(shape).dims == 2 ? extents(5, 5) : extents(5, 5, 5));
    return refusal<Error>([&] { solve(device::cpu(1), u, wish); });
  }
};

TEST_F(sweep_wishes, of_a_blocking_of_another_name) {
  wish.blocking = "cubic";
  EXPECT_EQ(refused<input_error>(), "blocking: expected auto, spatial or temporal, found 'cubic'");
}

TEST_F(sweep_wishes, of_a_traversal_of_another_name) {
  wish.traversal = "spiral";
  EXPECT_EQ(refused<input_error>(),
            "traversal: expected auto, static, zig-zag or ring, found 'spiral'");
}

TEST_F(sweep_wishes, of_an_order_of_rows_in_passes_of_several_steps) {
  wish.blocking = "temporal";
  for (const std::string order : {"static", "zig-zag", "ring"}) {
    wish.traversal = order;
    EXPECT_EQ(refused(), "traversal '" + order +
                             "': an order of rows is for passes of one step (blocking 'spatial'), "
                             "found blocking 'temporal'");
  }
}

TEST_F(sweep_wishes, of_several_steps_between_exchanges_where_there_is_one) {
  wish.depth = 2;
  EXPECT_EQ(refused("3d7pt"),
            "depth 2: in three dimensions there is 1 only, unless blocking is 'temporal'");
  wish.edge = boundary::reflect;
  for (const char* blocking : {"auto", "spatial", "temporal"}) {
    wish.blocking = blocking;
    EXPECT_EQ(refused(), "depth 2: with boundary 'reflect' there is 1 only");
  }
}

std::vector<std::string> all_names() {
  std::vector<std::string> names;
  for (const auto& s : stencil_shapes()) names.push_back(s.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(shapes, sweep_streaming, testing::ValuesIn(all_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace dwell::test
