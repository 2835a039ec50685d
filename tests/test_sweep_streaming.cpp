// SPDX-License-Identifier: MIT
// Tiles that are larger than what stays on the chip, bit for bit against plain loops: in every
// order of the rows that stream, with rows in scratch and registers among them and without.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "sweep_oracle.hpp"
#include "sweep_place.hpp"

#include "dwell/formats/error.hpp"

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

TEST_P(sweep_streaming, in_passes_of_several_steps) {
  const auto shape = find_stencil_shape(GetParam());
  if (shape.dims == 3 || !shape.linear) GTEST_SKIP() << "of linear ones in two dimensions only";
  auto o = options(19);  // no multiple of any pass
  o.blocking = "temporal";
  const auto start = random_field<double>(large(), 1), source = random_field<double>(large(), 2);
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

TEST(sweep_blocking, of_another_name_is_refused) {
  stencil_options o;
  o.blocking = "cubic";
  grid<double> u({5, 5});
  try {
    solve(device::cpu(1), u, o);
    FAIL() << "expected an input_error";
  } catch (const input_error& e) {
    EXPECT_STREQ(e.what(), "blocking: expected auto, spatial or temporal, found 'cubic'");
  }
}

TEST(sweep_traversal, of_another_name_is_refused) {
  stencil_options o;
  o.traversal = "spiral";
  grid<double> u({5, 5});
  try {
    solve(device::cpu(1), u, o);
    FAIL() << "expected an input_error";
  } catch (const input_error& e) {
    EXPECT_STREQ(e.what(), "traversal: expected auto, static, zig-zag or ring, found 'spiral'");
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
