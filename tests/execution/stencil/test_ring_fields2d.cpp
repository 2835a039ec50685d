// SPDX-License-Identifier: MIT
// Engine ring_fields2d, played on a CPU, against the plain loop over whole arrays: sizes, borders,
// teams, lengths of the chain, passes and the order in which warps go on are drawn at random; so
// are, in some cases, parameters of every step, sources and receivers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

#include "dwell/execution/stencil/engines/ring_fields2d/agent.hpp"
#include "dwell/execution/stencil/fields/point_table.hpp"
#include "dwell/execution/team/ring_team_cpu.hpp"
#include "fields_case.hpp"
#include "place.hpp"

namespace dwell {
namespace {

using namespace shapes_of_fields;

/// A pass of warps * steps steps from one copy of the fields to the other.
template <class S, class T, chain_config C, pass_demands D = pass_demands{}>
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
    fields_pass_of_team<S, T, C, false, D>(team, a);
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

/// Points of one kind: fields, cells, and values of every step, [step][point].
template <class T>
struct drawn_points {
  std::vector<int> field, row, x;
  std::vector<T> values;
  std::size_t size() const { return field.size(); }
  void put(std::vector<pass_point>& to, bool receives) const {
    for (std::size_t k = 0; k < size(); ++k)
      to.push_back({row[k],
                    x[k],
                    {static_cast<std::int64_t>(k), static_cast<int>(size()),
                     static_cast<short>(field[k]), receives}});
  }
};

/// Cells by chance, many of them at borders, in corners, at edges of strips and of teams' parts,
/// and the one before again.
template <class S, class T, class Allowed>
drawn_points<T> draw_points(const fields_case<S, T>& c, const overlapping_strips& strips, int teams,
                            int most, std::mt19937_64& draw, const Allowed& allowed) {
  const auto below = [&](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  drawn_points<T> p;
  const int wanted = below(most + 1);
  const int rows = strips.count() * c.ny;
  for (int tries = 0; tries < 20 * wanted && static_cast<int>(p.size()) < wanted; ++tries) {
    const int strip = below(strips.count()), team = below(teams + 1);
    const int edges[] = {0,
                         c.nx - 1,
                         strips.origin(strip),
                         strips.origin(strip) + strips.width - 1,
                         strips.first(strip),
                         strips.first(strip) - 1,
                         strips.end(strip) - 1};
    const int tops[] = {0, c.ny - 1, static_cast<int>(std::int64_t{rows} * team / teams % c.ny)};
    int x = below(2) ? edges[below(7)] : below(c.nx), row = below(2) ? tops[below(3)] : below(c.ny);
    if (below(4) == 0 && p.size() > 0) x = p.x.back(), row = p.row.back();
    const int f = below(S::fields);
    if (x < 0 || x >= c.nx || !allowed(f, x, row)) continue;
    p.field.push_back(f), p.row.push_back(row), p.x.push_back(x);
  }
  return p;
}

/// Does what check() does, with points or tables.
template <class S, class T, chain_config C, pass_demands D>
void check_demands(std::uint64_t seed) {
  using sizes = chain_sizes<S, T, C>;
  std::mt19937_64 draw(seed);
  const auto below = [&](int n) { return static_cast<int>(draw() % static_cast<unsigned>(n)); };
  std::size_t added = 0, recorded = 0, finite = 0, cells = 0;
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
    SCOPED_TRACE(::testing::Message() << "round " << round << ", " << nx << "x" << ny << " cells, "
                                      << teams << " teams of " << warps << " warps, " << passes
                                      << " passes, reversed " << reversed);
    fields_case<S, T> c(nx, ny, draw);
    const int of_pass = warps * C.steps, steps = passes * of_pass;
    const overlapping_strips strips{sizes::width, sizes::halo, nx, goes_around<S, 1>};
    std::uniform_real_distribution<T> values(-1, 1);
    const int most = round % 4 == 3 ? 3 * (nx + ny) : 6;
    drawn_points<T> sources, receivers;
    if constexpr (D.points) {
      sources = draw_points(c, strips, teams, most, draw, [&](int f, int x, int y) {
        const plain_cell<S, T> cell{nullptr, nullptr, nullptr, nullptr, nx, ny, c.pitch, x, y};
        return !chain_shape_of<S>.is_renamed(f) && !cell.is_fixed();
      });
      receivers = draw_points(c, strips, teams, most, draw,
                              [&](int f, int x, int y) { return !is_host_s(c, f, x, y); });
    }
    for (std::size_t k = 0; k < sources.size() * steps; ++k) sources.values.push_back(values(draw));
    receivers.values.assign(receivers.size() * steps, T(-99));
    std::vector<pass_point> all;
    sources.put(all, false);
    receivers.put(all, true);
    const point_table table = point_table_of(all, strips, ny, C.across);
    std::vector<T> parameters;
    for (int k = 0; k < steps * S::parameters; ++k) parameters.push_back(T(0.1) * values(draw));

    arrays<T> copies[2] = {c.fields, c.fields};
    for (int p = 0; p < passes; ++p) {
      c.args.table = parameters.data() + p * of_pass * S::parameters;
      c.args.points = {table.rows.data(), table.list.data(), sources.values.data(),
                       std::int64_t{p} * of_pass,
                       receivers.values.data() + receivers.size() * p * of_pass};
      play_pass<S, T, C, D>(c, copies[p % 2], copies[1 - p % 2], warps, teams, reversed);
    }
    for (int s = 0; s < steps; ++s) {
      if constexpr (D.parameters_change)
        std::copy_n(parameters.data() + s * S::parameters, S::parameters, c.args.p);
      plain_step(c);
      const auto cell = [&](const drawn_points<T>& of, std::size_t k) -> T& {
        return c.fields[of.field[k]][static_cast<std::size_t>(of.row[k]) * c.pitch + of.x[k]];
      };
      for (std::size_t k = 0; k < sources.size(); ++k)
        cell(sources, k) += sources.values[s * sources.size() + k];
      for (std::size_t k = 0; k < receivers.size(); ++k) {
        const T want = cell(receivers, k), have = receivers.values[s * receivers.size() + k];
        ASSERT_TRUE(std::memcmp(&want, &have, sizeof(T)) == 0 || (want != want && have != have))
            << "step " << s << ", field " << receivers.field[k] << ", row " << receivers.row[k]
            << ", column " << receivers.x[k] << ": expected " << want << ", found " << have;
      }
    }
    added += sources.size(), recorded += receivers.size();
    cells += static_cast<std::size_t>(S::fields) * nx * ny;
    ASSERT_NO_FATAL_FAILURE(expect_fields(c, copies[passes % 2], finite));
  }
  EXPECT_GT(finite, cells / 2);
  const std::size_t some = test::sanitized ? 2 : 20;
  EXPECT_TRUE(!D.points || (added > some && recorded > some)) << added << " " << recorded;
}
constexpr pass_demands points{false, true}, tables{true, false}, both{true, true};

TEST(ring_fields2d, sources_and_receivers_of_every_step) {
  check_demands<wave, double, chain_config{3, 2, 5, 3, 1, 1, 6}, points>(51);
  check_demands<wave, float, chain_config{2, 3, 7, 2, 2, 1}, points>(52);
  check_demands<fdtd, double, chain_config{3, 2, 7, 3, 1, 1}, points>(53);
  check_demands<with_border<wave, periodic, periodic, periodic, periodic>, double,
                chain_config{3, 2, 5, 3, 1, 1, 7}, points>(54);
  check_demands<with_border<wave, reflect, antisymmetric, periodic, periodic>, float,
                chain_config{3, 2, 5, 3, 1, 1}, points>(55);
  check_demands<with_border<wave4, mirror, nearest, antisymmetric, side_kind::constant>, double,
                chain_config{2, 2, 9, 2, 1, 2, 6}, points>(56);
}
TEST(ring_fields2d, parameters_of_every_step) {
  check_demands<gray_scott, float, chain_config{3, 2, 5, 3, 1, 1}, tables>(61);
  check_demands<gray_scott, double, chain_config{3, 2, 5, 3, 1, 1}, both>(62);
  check_demands<with_border<box, periodic, periodic, fixed, mirror>, float,
                chain_config{3, 2, 7, 2, 1, 2}, both>(63);
  check_demands<fdtd, double, chain_config{3, 2, 7, 3, 1, 1}, both>(64);
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
