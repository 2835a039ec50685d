// SPDX-License-Identifier: MIT
// Steps of the whole field whose tiles wait for those around them only (flowing_steps.hpp), by
// teams of a CPU: the text that a GPU runs, against plain loops, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dwell/execution/core/grid_team_cpu.hpp"
#include "dwell/execution/perks/flowing_steps.hpp"
#include "dwell/solvers/stencil/shapes/box2d25.hpp"
#include "dwell/solvers/stencil/shapes/middle3d17.hpp"
#include "dwell/solvers/stencil/shapes/star2d13.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star3d13.hpp"

namespace dwell::test {
namespace {

constexpr int lanes = 8;

/// Both copies of a field with a margin around each, and what teams share.
template <class S>
struct flowing_run {
  static constexpr std::size_t margin = 32;
  sweep_call<S, double> call;
  std::vector<double> copies[2];
  std::vector<double> partial;
  std::vector<unsigned> flags;
  sweep_state state;
  monitor watch;
  unsigned tickets = 0;

  flowing_run(const extents& n, int teams, int tile) {
    for (int k = 0; k < 2; ++k) {
      copies[k].resize(n.cells() + 2 * margin);
      for (std::size_t i = 0; i < copies[k].size(); ++i)
        copies[k][i] = static_cast<double>(i * 7919 % 1009) / 1009 - 0.5;
      call.field[k] = copies[k].data() + margin;
    }
    constexpr int r = radius_of<S>;
    call.size = n;
    call.inner = {S::dims == 3 ? r : 0, S::dims == 3 ? n.z - r : n.z, r, n.y - r, r, n.x - r};
    sweep_plan& p = call.plan;
    p.teams = teams;
    p.tile_x = 16;
    p.tile_y = tile;
    p.tile_z = S::dims == 3 ? tile : 1;
    const auto pieces = [](int cells, int of) { return (cells + of - 1) / of; };
    p.tiles_x = pieces(n.x - r, p.tile_x);  // from the grid's first column on, as patches need it
    p.tiles_y = pieces(call.inner.y1 - call.inner.y0, p.tile_y);
    p.tiles_z = pieces(call.inner.z1 - call.inner.z0, p.tile_z);
    partial.resize(static_cast<std::size_t>(teams) + 1);
    flags.resize(std::size_t{tiles_of(p)} * tile_flag_distance);
    call.partial = partial.data();
    call.flags = flags.data();
    call.state = &state;
    call.watch = &watch;
    call.tickets = &tickets;
    const auto w = default_weights<S>();
    std::copy(w.begin(), w.end(), call.w);
  }

  template <bool Patches>
  void run() {
    cpu_barrier grid(call.plan.teams);
    std::vector<std::thread> threads;
    for (int t = 0; t < call.plan.teams; ++t)
      threads.emplace_back([&, t] {
        constexpr std::size_t bytes = lanes * sizeof(double);
        const std::unique_ptr<std::byte[]> scratch(new std::byte[bytes + 16]);
        cpu_flowing_team<lanes> team(t, call.plan.teams, &grid, call.reverse_lanes, scratch.get(),
                                     bytes);
        flowing_steps::run<S, double, Patches>(team, call);
      });
    for (auto& t : threads) t.join();
  }
};

/// The field after so many steps, cell by cell.
template <class S>
std::vector<double> by_loops(const flowing_run<S>& start, int steps) {
  const auto& c = start.call;
  const std::ptrdiff_t pitch = c.size.x, plane = pitch * c.size.y;
  std::vector<double> u = start.copies[0];
  for (int s = 0; s < steps; ++s) {
    const std::vector<double> before = u;
    for (int z = c.inner.z0; z < c.inner.z1; ++z)
      for (int y = c.inner.y0; y < c.inner.y1; ++y)
        for (int x = c.inner.x0; x < c.inner.x1; ++x) {
          const std::size_t at = start.margin + static_cast<std::size_t>(z * plane + y * pitch + x);
          u[at] =
              S::template apply<double>(near_inner<double>{before.data() + at, pitch, plane}, c.w);
        }
  }
  return u;
}

template <class S, bool Patches>
void compare(const extents& n, int tile) {
  for (const int teams : {1, 2, 3, 7})
    for (const int steps : {1, 2, 7, 12})
      for (const bool turns : {false, true}) {
        flowing_run<S> r(n, teams, tile);
        r.call.steps = steps;
        r.call.look_every = 5;
        r.call.plan.turns = turns;
        r.call.reverse_lanes = steps == 7;
        const auto expected = by_loops(r, steps);
        r.template run<Patches>();
        EXPECT_EQ(r.state.done, steps);
        EXPECT_EQ(r.state.stop, sweep_stop::steps_done);
        const auto inside = [&](const std::vector<double>& v) { return v.data() + r.margin; };
        EXPECT_EQ(std::memcmp(inside(r.copies[r.state.copy]), inside(expected),
                              n.cells() * sizeof(double)),
                  0)
            << S::name << ' ' << to_string(n) << ", " << teams << " teams, " << steps << " steps";
        EXPECT_GE(r.tickets, tiles_of(r.call.plan) * static_cast<unsigned>(steps));
      }
}

TEST(flowing_steps, of_stars) {
  compare<star2d5, false>({37, 53}, 8);
  compare<star2d5, true>({38, 54}, 8);
  compare<star2d5, false>({3, 3}, 8);
  compare<star2d13, false>({31, 70}, 4);
}
TEST(flowing_steps, of_boxes) { compare<box2d25, false>({29, 67}, 4); }
TEST(flowing_steps, of_three_dimensions) {
  compare<star3d13, false>({11, 9, 41}, 4);
  compare<middle3d17, false>({9, 10, 37}, 4);
}

/// A field without a cell that changes has no tiles.
TEST(flowing_steps, of_a_field_that_is_all_border) {
  flowing_run<star2d5> r({2, 9}, 2, 8);
  r.call.inner = {0, 1, 1, 1, 1, 8};
  r.call.plan.tiles_y = 0;
  r.call.steps = 6;
  r.call.look_every = 4;
  const auto before = r.copies[0];
  r.run<false>();
  EXPECT_EQ(r.state.done, 6);
  EXPECT_EQ(r.copies[r.state.copy], before);
}

TEST(flowing_steps, until_the_change_is_small) {
  flowing_run<star2d5> r({20, 40}, 3, 8);
  r.call.steps = 1000;
  r.call.until = true;
  r.call.check_every = r.call.look_every = 4;
  r.call.tolerance = 1e-2;
  r.run<false>();
  EXPECT_EQ(r.state.stop, sweep_stop::converged);
  EXPECT_LE(r.state.change, 1e-2);
  EXPECT_EQ(r.state.done % 4, 0);
  flowing_run<star2d5> same({20, 40}, 3, 8);
  EXPECT_EQ(r.copies[r.state.copy], by_loops(same, r.state.done));
}

TEST(flowing_steps, end_when_the_host_wishes) {
  flowing_run<star2d5> r({20, 40}, 2, 8);
  r.call.steps = 1000;
  r.call.look_every = 3;
  r.watch.interrupt = 1;
  r.run<false>();
  EXPECT_EQ(r.state.stop, sweep_stop::interrupted);
  EXPECT_EQ(r.state.done, 3);
}

}  // namespace
}  // namespace dwell::test
