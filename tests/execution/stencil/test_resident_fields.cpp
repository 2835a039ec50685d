// SPDX-License-Identifier: MIT
// Engine resident_fields in two dimensions, whose teams are threads of a CPU, against the plain
// loop over whole arrays (in one and three, and with points, test_device_text.cpp has it): sizes,
// borders, tiles, steps of a pass, passes and the order of lanes are drawn at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <limits>
#include <random>
#include <thread>
#include <vector>

#include "dwell/execution/stencil/engines/resident_fields/agent.hpp"
#include "dwell/execution/team/grid_team_cpu.hpp"
#include "fields_case.hpp"
#include "place.hpp"

namespace dwell {
namespace {

using namespace shapes_of_fields;

/// A run from copies[0]; the fields are then in the copy of the number of passes.
template <class S, class T, resident_config C>
void play_run(resident_run<T>& a, bool reversed) {
  using sizes = resident_sizes<S, T, C>;
  using team_type = cpu_grid_team<sizes::lanes>;
  const int teams = a.tiles[0] * a.tiles[1];
  std::vector<unsigned> flags(static_cast<std::size_t>(teams) * resident_flag_distance);
  a.flags = flags.data();
  cpu_barrier grid(teams);
  first_failure failed;
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < teams; ++t)
      threads.emplace_back([&, t] {
        if (!failed.guard([&] {
              std::vector<T> scratch(sizes::scratch_bytes / sizeof(T) + 2,
                                     std::numeric_limits<T>::quiet_NaN());
              team_type team(t, teams, &grid, reversed,
                             reinterpret_cast<std::byte*>(scratch.data()),
                             scratch.size() * sizeof(T));
              resident_fields_of_team<S, T, C, pass_demands{}>(team, a);
            }))
          grid.waiting().give_up();
      });
  }
  failed.rethrow();
}

template <class S, class T, resident_config C>
void check(std::uint64_t seed) {
  using sizes = resident_sizes<S, T, C>;
  std::mt19937_64 draw(seed);
  const auto below = [&](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  std::size_t cells = 0, finite = 0;
  int played = 0, several = 0;
  for (int round = 0; played < (test::sanitized ? 4 : 30); ++round) {
    ASSERT_LT(round, 10000) << "nothing fits";
    int nx = 1 + below(70), ny = 1 + below(round % 2 ? 9 : 70);
    if (is_mirrored<S, 0>) ny = std::max(ny, S::radius + 1);
    if (is_mirrored<S, 1>) nx = std::max(nx, S::radius + 1);
    if (goes_around<S, 0>) ny = std::max(ny, S::radius);
    if (goes_around<S, 1>) nx = std::max(nx, S::radius);
    const int depth = 1 + below(4), passes = 1 + below(4), last = 1 + below(depth);
    const int tiles_x = 1 + below(4), tiles_y = 1 + below(4);
    if (!sizes::numbers.fits({ny, nx, 1}, {tiles_y, tiles_x, 1}, depth)) continue;
    const bool reversed = below(2);
    SCOPED_TRACE(::testing::Message() << nx << "x" << ny << " cells, " << tiles_x << "x" << tiles_y
                                      << " tiles, " << passes << " passes of " << depth
                                      << ", the last of " << last << ", reversed " << reversed);
    fields_case<S, T> c(nx, ny, draw);
    arrays<T> copies[2] = {c.fields, c.fields};
    for (auto& field : copies[1]) std::ranges::fill(field, std::numeric_limits<T>::quiet_NaN());
    resident_run<T> a;
    a.n[0] = ny, a.n[1] = nx, a.pitch = c.pitch;
    for (int f = 0; f < S::fields; ++f)
      for (int copy = 0; copy < 2; ++copy) a.fields[copy][f] = copies[copy][f].data();
    for (int k = 0; k < S::coefficients; ++k) a.coefficients[k] = c.coefficients[k].data();
    for (std::size_t k = 0; k < std::size(a.outside); ++k)
      std::memcpy(a.outside[k], c.args.outside[k], sizeof c.args.outside[k]);
    std::memcpy(a.p, c.args.p, sizeof a.p);
    a.tiles[0] = tiles_y, a.tiles[1] = tiles_x;
    a.depth = depth, a.passes = passes, a.last = last;
    play_run<S, T, C>(a, reversed);
    for (int s = 0; s < (passes - 1) * depth + last; ++s) plain_step(c);
    cells += static_cast<std::size_t>(S::fields) * nx * ny;
    ASSERT_NO_FATAL_FAILURE(expect_fields(c, copies[passes % 2], finite));
    ++played;
    several += tiles_x * tiles_y > 1 && passes > 1;
  }
  EXPECT_GT(finite, cells / (test::sanitized ? 8 : 2));
  EXPECT_GT(several, 0);
}

constexpr resident_config small{7, 6, 5, 4, 0}, held{9, 5, 4, 5, 1}, wide{3, 16, 12, 3, 0},
    tall{20, 3, 2, 12, 1}, narrow{33, 9, 1, 4, 0};

TEST(resident_fields, coefficients_in_scratch_and_in_registers) {
  check<heat, double, small>(1);
  check<heat, float, held>(2);
  check<wave, double, wide>(3);
  check<wave, float, tall>(4);
  check<wave4, double, narrow>(5);
  check<upwind, float, small>(6);
}
TEST(resident_fields, fields_react_and_stages_follow_each_other) {
  check<gray_scott, float, wide>(21);
  check<fdtd, double, small>(22);
  check<box, double, narrow>(23);
  check<oscillators, float, held>(24);
}
TEST(resident_fields, fields_that_go_around) {
  check<with_border<heat, periodic, periodic, periodic, periodic>, double, held>(31);
  check<with_border<box, periodic, periodic, periodic, periodic>, float, small>(32);
  check<with_border<wave, periodic, periodic, reflect, mirror>, double, tall>(33);
  check<with_border<wave, reflect, antisymmetric, periodic, periodic>, float, small>(34);
  check<with_border<fdtd, periodic, periodic, fixed, reflect>, float, wide>(35);
}
TEST(resident_fields, mirrors_and_constants) {
  check<with_border<wave4, mirror, nearest, antisymmetric, side_kind::constant>, double, narrow>(
      41);
  check<with_border<box, reflect, mirror, nearest, side_kind::constant, true>, double, small>(42);
  check<with_border<box, side_kind::constant, nearest, mirror, reflect, true>, float, wide>(43);
  check<with_border<gray_scott, antisymmetric, antisymmetric, side_kind::constant,
                    side_kind::constant>,
        float, small>(44);
  check<with_border<fdtd, side_kind::constant, fixed, antisymmetric, fixed>, double, wide>(45);
  check<with_border<upwind, fixed, side_kind::constant, reflect, fixed>, float, small>(46);
}

}  // namespace
}  // namespace dwell
