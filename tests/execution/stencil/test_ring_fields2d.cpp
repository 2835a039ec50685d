// SPDX-License-Identifier: MIT
// Engine ring_fields2d, played on a CPU, against the plain loop over whole arrays: sizes, borders,
// teams, lengths of the chain, passes and the order in which warps go on are drawn at random.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "dwell/execution/stencil/engines/ring_fields2d/agent.hpp"
#include "dwell/execution/team/ring_team_cpu.hpp"
#include "fields_case.hpp"
#include "place.hpp"

namespace dwell {
namespace {

using namespace shapes_of_fields;

/// A pass of warps * steps steps from one copy of the fields to the other.
template <class S, class T, chain_config C>
void play_pass(fields_case<S, T>& c, arrays<T>& from, arrays<T>& to, int warps, int teams,
               bool reversed) {
  using sizes = chain_sizes<S, T, C>;
  auto& a = c.args;
  a.warps = warps;
  for (int f = 0; f < S::fields; ++f) {
    a.from[f] = from[f].data();
    a.to[f] = to[f].data();
  }
  for (int k = 0; k < S::coefficients; ++k) a.from[S::fields + k] = c.coefficients[k].data();
  const overlapping_strips strips{sizes::width, sizes::halo, c.nx, goes_around<S, 1>};
  const int rows = strips.count() * c.ny;
  teams = std::min(teams, rows);
  for (int t = 0; t <= teams; ++t) a.runs.cut[t] = static_cast<int>(std::int64_t{rows} * t / teams);
  for (int t = 0; t < teams; ++t) {
    using team_type = cpu_ring_team<sizes>;
    std::vector<T> scratch(team_type::scratch_bytes() / sizeof(T),
                           std::numeric_limits<T>::quiet_NaN());
    team_type team(t, reversed, reinterpret_cast<std::byte*>(scratch.data()));
    fields_pass_of_team<S, T, C, false>(team, a);
  }
}

template <class S, class T, chain_config C>
void check(std::uint64_t seed) {
  using sizes = chain_sizes<S, T, C>;
  std::mt19937_64 draw(seed);
  const auto below = [&](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  std::size_t cells = 0, finite = 0;
  for (int round = 0; round < (test::sanitized ? 4 : 25); ++round) {
    const int widths[] = {12, sizes::width, 3 * sizes::width};
    int nx = 1 + below(widths[round % 3]), ny = 1 + below(round % 2         ? 9
                                                          : test::sanitized ? 25
                                                                            : 70);
    if (round < 3) nx = sizes::width - 1 + round;
    if (is_mirrored<S, 0>) ny = std::max(ny, S::radius + 1);
    if (is_mirrored<S, 1>) nx = std::max(nx, S::radius + 1);
    const int teams = 1 + below(7), warps = 1 + below(C.warps), passes = 1 + below(3);
    const bool reversed = below(2);
    SCOPED_TRACE(::testing::Message()
                 << nx << "x" << ny << " cells, " << teams << " teams of " << warps << " warps, "
                 << passes << " passes, reversed " << reversed);
    fields_case<S, T> c(nx, ny, draw);
    arrays<T> copies[2] = {c.fields, c.fields};
    for (int p = 0; p < passes; ++p)
      play_pass<S, T, C>(c, copies[p % 2], copies[1 - p % 2], warps, teams, reversed);
    for (int s = 0; s < passes * warps * C.steps; ++s) plain_step(c);
    cells += static_cast<std::size_t>(S::fields) * nx * ny;
    ASSERT_NO_FATAL_FAILURE(expect_fields(c, copies[passes % 2], finite));
  }
  EXPECT_GT(finite, cells / 2);
}

TEST(ring_fields2d, coefficients_travel_with_the_fields) {
  check<heat, double, chain_config{3, 2, 5, 3, 1, 1}>(1);
  check<heat, float, chain_config{3, 3, 7, 2, 2, 2}>(2);
  check<wave, double, chain_config{2, 3, 7, 2, 2, 1}>(3);
  check<upwind, float, chain_config{3, 2, 5, 3, 1, 1}>(4);
}
TEST(ring_fields2d, all_warps_read_coefficients_of_one_ring) {
  check<heat, double, chain_config{3, 2, 5, 3, 1, 1, 5}>(11);
  check<heat, float, chain_config{3, 3, 7, 2, 2, 1, 5}>(12);
  check<wave, double, chain_config{3, 2, 5, 3, 1, 1, 6}>(13);
  check<wave4, double, chain_config{2, 2, 9, 2, 1, 2, 6}>(14);
}
TEST(ring_fields2d, fields_react_and_stages_follow_each_other) {
  check<gray_scott, float, chain_config{3, 2, 5, 3, 1, 1}>(21);
  check<fdtd, double, chain_config{3, 2, 7, 3, 1, 1}>(22);
  check<box, double, chain_config{3, 2, 7, 2, 1, 2}>(23);
}
TEST(ring_fields2d, fields_without_neighbours) {
  check<oscillators, double, chain_config{3, 2, 5, 3, 1, 1}>(24);
  check<oscillators, float, chain_config{2, 3, 7, 2, 2, 2}>(25);
}
TEST(ring_fields2d, fields_that_go_around) {
  check<with_border<heat, periodic, periodic, periodic, periodic>, double,
        chain_config{3, 2, 5, 3, 1, 1, 7}>(31);
  check<with_border<box, periodic, periodic, periodic, periodic>, float,
        chain_config{3, 2, 7, 2, 1, 2}>(32);
  check<with_border<wave, periodic, periodic, reflect, mirror>, double,
        chain_config{3, 2, 5, 3, 1, 1, 6}>(33);
  check<with_border<wave, reflect, antisymmetric, periodic, periodic>, float,
        chain_config{3, 2, 5, 3, 1, 1}>(34);
}
TEST(ring_fields2d, mirrors_and_constants) {
  check<with_border<wave4, mirror, nearest, antisymmetric, side_kind::constant>, double,
        chain_config{2, 2, 9, 2, 1, 2, 6}>(41);
  check<with_border<box, reflect, mirror, nearest, side_kind::constant, true>, double,
        chain_config{3, 2, 7, 2, 1, 2}>(42);
  check<with_border<box, side_kind::constant, nearest, mirror, reflect, true>, float,
        chain_config{2, 3, 9, 2, 1, 1}>(43);
  check<with_border<gray_scott, antisymmetric, antisymmetric, side_kind::constant,
                    side_kind::constant>,
        float, chain_config{3, 2, 5, 3, 1, 1}>(44);
  check<with_border<fdtd, side_kind::constant, fixed, antisymmetric, fixed>, double,
        chain_config{3, 2, 7, 3, 1, 1}>(45);
  check<with_border<upwind, fixed, side_kind::constant, reflect, fixed>, float,
        chain_config{3, 2, 5, 3, 1, 1}>(46);
}

}  // namespace
}  // namespace dwell
