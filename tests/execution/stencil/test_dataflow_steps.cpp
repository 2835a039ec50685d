// SPDX-License-Identifier: MIT
// Steps of the whole field whose tiles wait for the tiles around them only (dataflow_steps.hpp), by
// teams of a CPU: the code that a GPU runs, against plain loops, bit for bit.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "dwell/execution/stencil/loops/dataflow_steps.hpp"
#include "dwell/execution/team/grid_team_cpu.hpp"
#include "dwell/solvers/stencil/shapes/box2d25.hpp"
#include "dwell/solvers/stencil/shapes/middle3d17.hpp"
#include "dwell/solvers/stencil/shapes/star2d13.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star3d13.hpp"
#include "stencil_oracle.hpp"

namespace dwell::test {
namespace {

constexpr int lanes = 8;

/// Both copies of a field with a margin around each, rows as far from each other as in a device's
/// memory, or farther; a source, and what teams share.
template <class S, class T = double>
struct dataflow_run {
  static constexpr std::size_t margin = 32;
  stencil_call<S, T> call;
  std::vector<T> copies[2];
  grid<T> start, source;
  std::vector<T> spread_source;
  std::vector<double> partial;
  std::vector<unsigned> flags;
  stencil_state state;
  monitor watch;
  unsigned tickets = 0;

  dataflow_run(const extents& n, int teams, int tile)
      : start(random_field<T>(n, 1)), source(random_field<T>(n, 2)) {
    constexpr int r = radius_of<S>;
    call.size = n;
    call.pitch = n.x % 4 == 0 ? n.x : (n.x / 4 + 2) * 4;
    for (int k = 0; k < 2; ++k) {
      copies[k] = spread(start, margin);
      call.field[k] = copies[k].data() + margin;
    }
    spread_source = spread(source, 0);
    call.inner = {S::dims == 3 ? r : 0, S::dims == 3 ? n.z - r : n.z, r, n.y - r, r, n.x - r};
    stencil_plan& p = call.plan;
    p.teams = teams;
    p.tile_x = 16;
    p.tile_y = tile;
    p.tile_z = S::dims == 3 ? tile : 1;
    // The last tile of a column has the rows after it too if they are fewer than a tile's.
    const auto tiles = [](int cells, int of, int least) {
      const int over = cells % of;
      return cells / of + (over >= least || (over > 0 && cells < of) ? 1 : 0);
    };
    using cells = tile_shape<S, T>;
    p.tiles_x = tiles(n.x - r, p.tile_x, 1);  // from the grid's first column on, for register tiles
    p.tiles_y = tiles(call.inner.y1 - call.inner.y0, p.tile_y, cells::down);
    p.tiles_z = tiles(call.inner.z1 - call.inner.z0, p.tile_z, cells::deep);
    partial.resize(static_cast<std::size_t>(teams) + 1);
    flags.resize(std::size_t{tiles_of(p)} * tile_flag_distance);
    call.partial = partial.data();
    call.flags = flags.data();
    call.state = &state;
    call.watch = &watch;
    call.tickets = &tickets;
    const auto w = uneven_weights(shape_of<S>());
    std::transform(w.begin(), w.end(), call.w, [](double v) { return static_cast<T>(v); });
  }

  template <bool Tiles>
  void run() {
    cpu_barrier grid(call.plan.teams);
    std::vector<std::thread> threads;
    for (int t = 0; t < call.plan.teams; ++t)
      threads.emplace_back([&, t] {
        constexpr std::size_t bytes = lanes * sizeof(double);
        const std::unique_ptr<std::byte[]> scratch(new std::byte[bytes + 16]);
        cpu_dataflow_team<lanes> team(t, call.plan.teams, &grid, call.reverse_lanes, scratch.get(),
                                      bytes);
        dataflow_steps::run<S, T, Tiles>(team, call);
      });
    for (auto& t : threads) t.join();
  }

  /// The copy that a run says.
  grid<T> result() const {
    grid<T> u(call.size);
    each_row([&](std::size_t packed, std::size_t there) {
      std::copy_n(call.field[state.copy] + there, call.size.x,
                  u.cells().begin() + static_cast<std::ptrdiff_t>(packed));
    });
    return u;
  }
  /// f(where a row begins in a grid, where it begins in a field).
  template <class F>
  void each_row(const F& f) const {
    const auto row = static_cast<std::size_t>(call.size.x);
    for (std::size_t k = 0; k * row < call.size.cells(); ++k)
      f(k * row, k * static_cast<std::size_t>(call.pitch));
  }
  /// Rows at their pitch, zeros between them, and values that nobody may use around all.
  std::vector<T> spread(const grid<T>& u, std::size_t around) const {
    const std::size_t rows = call.size.cells() / static_cast<std::size_t>(call.size.x);
    std::vector<T> all(rows * static_cast<std::size_t>(call.pitch) + 2 * around,
                       std::numeric_limits<T>::quiet_NaN());
    std::fill(all.begin() + static_cast<std::ptrdiff_t>(around),
              all.end() - static_cast<std::ptrdiff_t>(around), T(0));
    each_row([&](std::size_t packed, std::size_t there) {
      std::copy_n(u.cells().begin() + static_cast<std::ptrdiff_t>(packed), call.size.x,
                  all.begin() + static_cast<std::ptrdiff_t>(around + there));
    });
    return all;
  }
  grid<T> by_loops(int steps, bool with_source = false) const {
    const auto shape = shape_of<S>();
    return stencil_by_loops<T>(shape, start, steps, boundary::fixed, uneven_weights(shape),
                               with_source ? &source : nullptr);
  }
};

template <class S, bool Tiles, class T = double>
void compare(const extents& n, int tile) {
  const struct {
    int steps;
    bool with_source;
  } runs[] = {{1, false}, {2, false}, {7, false}, {7, true}, {12, false}};
  for (const auto& [steps, with_source] : runs) {
    const auto expected = dataflow_run<S, T>(n, 1, tile).by_loops(steps, with_source);
    for (const int teams : {1, 2, 3, 7})
      for (const bool alternates : {false, true}) {
        dataflow_run<S, T> r(n, teams, tile);
        r.call.steps = steps;
        r.call.poll_every = 5;
        r.call.plan.alternates = alternates;
        r.call.reverse_lanes = steps == 7;
        if (with_source) r.call.source = r.spread_source.data();
        r.template run<Tiles>();
        EXPECT_EQ(r.state.done, steps);
        EXPECT_EQ(r.state.stop, stencil_status::steps_done);
        EXPECT_EQ(difference(r.result(), expected), "")
            << S::name << ' ' << to_string(n) << ", " << teams << " teams, " << steps << " steps"
            << (with_source ? ", with a source" : "");
        EXPECT_GE(r.tickets, tiles_of(r.call.plan) * static_cast<unsigned>(steps));
      }
  }
}

TEST(dataflow_steps, of_stars) {
  compare<star2d5, false>({37, 53}, 8);
  for (const int rows : {35, 36, 37, 38, 39, 40}) compare<star2d5, true>({rows, 54}, 8);
  compare<star2d5, false>({3, 3}, 8);
  compare<star2d13, false>({31, 70}, 4);
  for (const int columns : {49, 50, 51, 53, 55}) compare<star2d5, true>({38, columns}, 8);
  compare<star2d13, true>({31, 71}, 4);
}
TEST(dataflow_steps, of_boxes) {
  compare<box2d25, false>({29, 67}, 4);
  for (const int rows : {28, 29, 30, 31}) compare<box2d25, true>({rows, 66}, 4);
}
/// Tiles are four cells wide.
TEST(dataflow_steps, in_single_precision) {
  compare<star2d5, true, float>({38, 56}, 8);
  compare<box2d25, true, float>({30, 68}, 4);
  for (const int columns : {65, 66, 67}) compare<box2d25, true, float>({30, columns}, 4);
  compare<star3d13, true, float>({12, 13, 40}, 4);
}
TEST(dataflow_steps, of_three_dimensions) {
  compare<star3d13, false>({11, 9, 41}, 4);
  for (const int planes : {10, 11, 12, 13})
    for (const int rows : {12, 13, 14, 15}) compare<star3d13, true>({planes, rows, 40}, 4);
  compare<middle3d17, false>({9, 10, 37}, 4);
  for (const int columns : {37, 39}) compare<middle3d17, true>({9, 14, columns}, 4);
}

/// A field without a cell that changes has no tiles.
TEST(dataflow_steps, of_a_field_that_is_all_border) {
  dataflow_run<star2d5> r({2, 9}, 2, 8);
  r.call.inner = {0, 1, 1, 1, 1, 8};
  r.call.plan.tiles_y = 0;
  r.call.steps = 6;
  r.call.poll_every = 4;
  r.run<false>();
  EXPECT_EQ(r.state.done, 6);
  EXPECT_EQ(difference(r.result(), r.start), "");
}

TEST(dataflow_steps, until_the_change_is_small) {
  dataflow_run<star2d5> r({20, 40}, 3, 8);
  r.call.steps = 1000;
  r.call.until = true;
  r.call.check_every = r.call.poll_every = 4;
  r.call.tolerance = 1e-2;
  r.run<false>();
  EXPECT_EQ(r.state.stop, stencil_status::converged);
  EXPECT_LE(r.state.change, 1e-2);
  EXPECT_EQ(r.state.done % 4, 0);
  EXPECT_EQ(difference(r.result(), r.by_loops(r.state.done)), "");
}

/// What lies between two rows never changes.
TEST(dataflow_steps, until_the_change_of_padded_rows_is_small) {
  dataflow_run<star2d5> r({20, 41}, 3, 8);
  r.call.steps = 1000;
  r.call.until = true;
  r.call.check_every = r.call.poll_every = 4;
  r.call.tolerance = 1e-2;
  r.run<true>();
  EXPECT_EQ(r.state.stop, stencil_status::converged);
  EXPECT_LE(r.state.change, 1e-2);
  EXPECT_EQ(difference(r.result(), r.by_loops(r.state.done)), "");
}

TEST(dataflow_steps, end_when_the_host_asks) {
  dataflow_run<star2d5> r({20, 40}, 2, 8);
  r.call.steps = 1000;
  r.call.poll_every = 3;
  r.watch.interrupt = 1;
  r.run<false>();
  EXPECT_EQ(r.state.stop, stencil_status::interrupted);
  EXPECT_EQ(r.state.done, 3);
}

}  // namespace
}  // namespace dwell::test
