// SPDX-License-Identifier: MIT
// Whole arrays, bit for bit, against plain loops: every shape under every way to run, at every
// boundary, with extents of 1, 2, primes, thinner than the halo and around the size of a tile.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sweep_oracle.hpp"
#include "sweep_place.hpp"

#include "dwell/formats/error.hpp"

namespace dwell::test {
namespace {

constexpr boundary edges[] = {boundary::fixed, boundary::periodic, boundary::reflect};

std::vector<extents> sizes_for(int dims) {
  if (dims == 2)
    return {{1, 1}, {1, 2}, {2, 1}, {3, 7}, {13, 5}, {31, 66}, {70, 131}, {45, 136}, {17, 257}};
  return {{1, 1, 1},  {2, 1, 3},   {1, 5, 2},   {7, 3, 5},
          {6, 9, 67}, {29, 34, 5}, {9, 90, 59}, {11, 13, 31}};
}

class sweep_bits : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = sweep_place::absent(); !why.empty()) GTEST_SKIP() << why;
  }

  template <class T>
  static void expect_equal(const sweep_way& way, stencil_options o, const grid<T>& start,
                           const grid<T>& expected, const grid<T>* source = nullptr) {
    way.apply(o);
    grid<T> u = start;
    const auto report = solve(sweep_place::where(), u, o, source);
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
      const auto expected = sweep_by_loops(o.shape, start, steps, edge, o.weights, f);
      for (const auto& way : sweep_place::ways()) expect_equal(way, o, start, expected, f);
    }
  }
  static int dims() { return find_stencil_shape(GetParam()).dims; }
};

TEST_P(sweep_bits, of_every_size) {
  for (const extents& n : sizes_for(dims())) check<double>(n, 5, false);
}

TEST_P(sweep_bits, of_every_number_of_steps) {
  for (const int steps : {0, 1, 2, 17}) check<double>(sizes_for(dims()).back(), steps, false);
  check<double>(whole_patches(dims()), 17, false);
}

TEST_P(sweep_bits, with_a_source) {
  check<double>(sizes_for(dims()).back(), 3, true);
  check<double>(whole_patches(dims()), 3, true);
}

TEST_P(sweep_bits, in_single_precision) {
  check<float>(sizes_for(dims()).back(), 6, false);
  check<float>(whole_patches(dims()), 5, false);
  check<float>(whole_patches(dims()), 2, true);
  check<float>(sizes_for(dims())[3], 3, true);
  check<float>(sizes_for(dims())[5], 4, false);
}

TEST_P(sweep_bits, of_a_field_that_holds_zeros_of_both_signs) {
  stencil_options o;
  o.shape = GetParam();
  o.steps = 2;
  grid<double> start(sizes_for(dims())[4], -0.0);
  const auto expected = sweep_by_loops(o.shape, start, 2, o.edge);
  for (const auto& way : sweep_place::ways()) expect_equal(way, o, start, expected);
}

/// Tiles in registers begin or end where a fixed border does if they can: in corners, beside one
/// side, as wide as the grid, and where they reach a border without being next to it.
TEST_P(sweep_bits, of_tiles_at_every_side_of_the_grid) {
  if (dims() == 3) GTEST_SKIP() << "bricks have no rim";
  stencil_options o;
  o.shape = GetParam();
  o.executor = "perks";
  o.policy = "registers";
  if (find_stencil_shape(o.shape).linear) o.blocking = "spatial";
  o.steps = 5;
  o.weights = uneven_weights(o.shape);
  int whole = 0;
  for (const extents& n :
       {extents(100, 300), extents(64, 128), extents(33, 127), extents(41, 129), extents(90, 60)})
    for (const boundary edge : edges) {
      o.edge = edge;
      const auto start = random_field<double>(n, 3);
      const auto expected = sweep_by_loops(o.shape, start, o.steps, edge, o.weights);
      for (const int teams : {1, 2, 4, 9})
        for (const int depth : {1, 2}) {
          o.teams = teams, o.depth = depth;
          grid<double> u = start;
          try {
            const auto report = solve(sweep_place::where(), u, o);
            whole += report.kept_registers == n.cells();
            EXPECT_EQ(difference(u, expected), "")
                << o.shape << ' ' << to_string(n) << ' ' << to_string(edge) << ", " << teams
                << " teams, depth " << depth;
          } catch (const unsupported_error&) {
            // Too wide for so few teams, or a mirror, into which every step looks.
          }
        }
    }
  EXPECT_GE(whole, 30);
}

/// Under either border against plain loops, by each number of teams, of which `reversed` has its
/// lanes backwards on a CPU: how many runs there were whose plan says `kernel`.
template <class T>
int runs_of_kernel(const std::string& kernel, stencil_options o, const std::vector<extents>& sizes,
                   const std::vector<int>& steps, const std::vector<int>& teams, int reversed) {
  o.executor = "perks";
  o.policy = "both";
  o.weights = uneven_weights(o.shape);
  int found = 0;
  for (const extents& n : sizes)
    for (const boundary edge : {boundary::fixed, boundary::periodic})
      for (const int done : steps) {
        o.edge = edge;
        o.steps = done;
        const auto start = random_field<T>(n, 3);
        const auto expected = sweep_by_loops(o.shape, start, done, edge, o.weights);
        for (const int some : teams) {
          o.teams = some;
          o.reverse_lanes = some == reversed && sweep_place::where().on() == backend::cpu;
          grid<T> u = start;
          try {
            const auto report = solve(sweep_place::where(), u, o);
            found += report.reason.find(kernel) != std::string::npos;
            EXPECT_EQ(difference(u, expected), "")
                << o.shape << ' ' << to_string(n) << ' ' << to_string(edge) << ", " << done
                << " steps, " << some << " teams, " << report.precision << ": " << report.reason;
          } catch (const unsupported_error&) {  // too wide for so few teams
          }
        }
      }
  return found;
}

/// Bricks of whole patches, none of whose planes stream: as many as planes in registers allow and
/// more, one team and several along every axis, of shares that differ.
TEST_P(sweep_bits, of_bricks_that_are_on_the_chip_whole) {
  const stencil_shape shape = find_stencil_shape(GetParam());
  if (shape.dims == 2 || !shape.linear) GTEST_SKIP() << "no such kernel";
  const auto planes = fmt::format("planes: {} in registers", shape.radius == 1 ? 4 : 3);
  stencil_options o;
  o.shape = GetParam();
  const std::vector<extents> sizes = {{14, 12, 8}, {14, 36, 70}, {28, 60, 66}};
  EXPECT_GE(runs_of_kernel<double>(planes, o, sizes, {1, 6}, {1, 2, 4, 8}, 4), 12);
  EXPECT_GE(runs_of_kernel<float>(planes, o, sizes, {1, 6}, {1, 2, 4, 8}, 4), 12);
}

bool has_warps_rows(const stencil_shape& shape) {
  return shape.dims == 2 && shape.linear && (shape.star() || shape.radius <= 2);
}

/// Shares of warps, of which but the last rows are on the chip: one and many along either axis,
/// teams with few shares and with eight, of shares that differ, whose last column begins earlier or
/// does not, and which are their own neighbours.
TEST_P(sweep_bits, of_warps_rows_that_are_on_the_chip_whole) {
  const stencil_shape shape = find_stencil_shape(GetParam());
  if (!has_warps_rows(shape)) GTEST_SKIP() << "no such kernel";
  stencil_options o;
  o.shape = GetParam();
  o.blocking = "spatial";
  // The second is one column of shares, whose neighbours above and below are other teams'.
  const int r = shape.radius, two = 128 + 2 * r;
  const std::vector<extents> sizes = {{60, 92}, {400, two}, {62, 130}, {125, 266}, {190, 412}};
  EXPECT_GE(runs_of_kernel<double>("of a warp each", o, sizes, {1, 2, 7}, {1, 2, 5}, 2), 12);
  // Pieces of four cells: between fixed borders a row is whole pieces if the radius is even.
  const int four = r % 2 == 0 ? two : 128;
  const std::vector<extents> wide = {{60, 92}, {400, four}, {62, 132}, {125, 268}, {190, 412}};
  EXPECT_GE(runs_of_kernel<float>("of a warp each", o, wide, {1, 2, 7}, {1, 2, 5}, 2), 12);
}

/// The same until the change is small, which compares two whole fields.
TEST_P(sweep_bits, of_what_is_on_the_chip_whole_until_the_change_is_small) {
  const stencil_shape shape = find_stencil_shape(GetParam());
  if (!shape.linear || (shape.dims == 2 && !has_warps_rows(shape)))
    GTEST_SKIP() << "no such kernel";
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
  const auto report = solve(sweep_place::where(), u, o);
  EXPECT_NE(report.reason.find(shape.dims == 3 ? "0 streamed" : "of a warp each"),
            std::string::npos)
      << report.reason;
  EXPECT_EQ(report.stopped, stencil_stop::converged);
  EXPECT_LT(report.steps, o.steps);
  EXPECT_EQ(difference(u, sweep_by_loops(o.shape, start, report.steps, o.edge)), "");
}

INSTANTIATE_TEST_SUITE_P(shapes, sweep_bits, testing::ValuesIn(shape_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace dwell::test
