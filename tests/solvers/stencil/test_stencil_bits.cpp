// SPDX-License-Identifier: MIT
// Whole arrays, bit for bit, against plain loops: every shape under every way to run, at every
// boundary, with extents of 1, 2, primes, thinner than the halo and around the size of a tile.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

#include "dwell/base/error.hpp"

namespace dwell::test {
namespace {

constexpr boundary edges[] = {boundary::fixed, boundary::periodic, boundary::reflect};

std::vector<extents> sizes_for(int dims) {
  if (dims == 2)
    return {{1, 1}, {1, 2}, {2, 1}, {3, 7}, {13, 5}, {31, 66}, {70, 131}, {45, 136}, {17, 257}};
  return {{1, 1, 1},  {2, 1, 3},   {1, 5, 2},   {7, 3, 5},
          {6, 9, 67}, {29, 34, 5}, {9, 90, 59}, {11, 13, 31}};
}

class stencil_bits : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }

  template <class T>
  static void expect_equal(const stencil_way& way, stencil_options o, const grid<T>& start,
                           const grid<T>& expected, const grid<T>* source = nullptr) {
    way.apply(o);
    grid<T> u = start;
    const auto report = solve(stencil_place::where(), u, o, source);
    EXPECT_EQ(report.steps, o.steps);
    EXPECT_EQ(difference(u, expected), "")
        << o.shape << ' ' << to_string(start.size()) << ' ' << to_string(o.edge) << ", " << o.steps
        << " steps, " << way;
  }

  template <class T>
  static void check(const extents& n, int steps, bool with_source) {
    stencil_options o;
    o.shape = GetParam();
    o.steps = steps;
    o.weights = uneven_weights(o.shape);
    const auto start = random_field<T>(n, 1), source = random_field<T>(n, 2);
    const auto* f = with_source ? &source : nullptr;
    for (const boundary edge : edges) {
      o.edge = edge;
      const auto expected = stencil_by_loops(o.shape, start, steps, edge, o.weights, f);
      for (const auto& way : stencil_place::ways(o.shape)) expect_equal(way, o, start, expected, f);
    }
  }
  static int dims() { return find_stencil_shape(GetParam()).dims; }
};

TEST_P(stencil_bits, of_every_size) {
  for (const extents& n : sizes_for(dims())) check<double>(n, 5, false);
}

TEST_P(stencil_bits, of_every_number_of_steps) {
  for (const int steps : {0, 1, 2, 17}) check<double>(sizes_for(dims()).back(), steps, false);
  check<double>(whole_tiles(dims()), 17, false);
}

TEST_P(stencil_bits, with_a_source) {
  check<double>(sizes_for(dims()).back(), 3, true);
  check<double>(whole_tiles(dims()), 3, true);
}

TEST_P(stencil_bits, in_single_precision) {
  check<float>(sizes_for(dims()).back(), 6, false);
  check<float>(whole_tiles(dims()), 5, false);
  check<float>(whole_tiles(dims()), 2, true);
  check<float>(sizes_for(dims())[3], 3, true);
  check<float>(sizes_for(dims())[5], 4, false);
}

TEST_P(stencil_bits, of_a_field_that_holds_zeros_of_both_signs) {
  stencil_options o;
  o.shape = GetParam();
  o.steps = 2;
  grid<double> start(sizes_for(dims())[4], -0.0);
  const auto expected = stencil_by_loops(o.shape, start, 2, o.edge);
  for (const auto& way : stencil_place::ways(o.shape)) expect_equal(way, o, start, expected);
}

bool has_warps_rows(const stencil_shape& shape) {
  return shape.dims == 2 && shape.linear && (shape.star() || shape.radius <= 2);
}

/// A field that is fully cached, until the change is small, which compares two whole fields.
TEST_P(stencil_bits, of_fully_cached_fields_until_the_change_is_small) {
  const stencil_shape shape = find_stencil_shape(GetParam());
  if (!shape.linear || (shape.dims == 2 && !has_warps_rows(shape)))
    GTEST_SKIP() << "no such kernel";
  if (const auto why = stencil_place::absent(GetParam(), "perks"); !why.empty())
    GTEST_SKIP() << why;
  stencil_options o;
  o.shape = GetParam();
  o.executor = "perks";
  o.policy = "both";
  o.steps = 400;
  o.until = 1e-3;
  o.check_every = 7;
  o.teams = 4;
  if (shape.dims == 2) o.blocking = "spatial", o.teams = 2;
  const auto start =
      random_field<double>(shape.dims == 3 ? extents(18, 12, 20) : extents(100, 402), 3);
  grid<double> u = start;
  const auto report = solve(stencil_place::where(), u, o);
  EXPECT_EQ(report.engine == "strip2d", shape.dims == 2) << report.reason;
  // All rows of a strip of 2ds25pt are in scratch.
  EXPECT_EQ(report.streamed > 0, shape.dims == 2 && shape.radius < 6)
      << "a strip's last rows live in the field";
  EXPECT_EQ(report.stopped, stencil_stop::converged);
  EXPECT_LT(report.steps, o.steps);
  EXPECT_EQ(difference(u, stencil_by_loops(o.shape, start, report.steps, o.edge)), "");
}

INSTANTIATE_TEST_SUITE_P(shapes, stencil_bits, testing::ValuesIn(shape_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace dwell::test
