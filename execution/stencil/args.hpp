// SPDX-License-Identifier: MIT
// What the teams of a Stencil get: plain data, by value. Two copies of the field are read and
// written in turn; executors that cache nothing on the chip go from field[s % 2] to the other in
// step s.
#pragma once
#include "dwell/execution/device/monitor.hpp"
#include "dwell/execution/stencil/plan/plan.hpp"
#include "dwell/execution/team/ticket.hpp"
#include "dwell/formats/extents.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// Why a run of a Stencil ended; `running` until then.
enum class stencil_status : int { running, steps_done, converged, not_finite, interrupted };

/// Where a run stands, in the device's memory.
struct stencil_state {
  int done = 0;  ///< steps
  stencil_status stop = stencil_status::running;
  double change = 0;  ///< the largest of a cell in one step, when it was last tested
  int copy = 0;       ///< copy of the field that holds the result
};

/// Words between two flags: each has a cache line to itself.
inline constexpr int flag_distance = 32;
/// And where each tile of a field has one: of tiles there are many more.
inline constexpr int tile_flag_distance = 8;

/// A half-open box of cells.
struct cell_box {
  int z0 = 0, z1 = 0, y0 = 0, y1 = 0, x0 = 0, x1 = 0;
  friend bool operator==(const cell_box&, const cell_box&) = default;
};

/// The cell of an axis of n cells that is found at place i, which may lie beyond a border that is
/// not fixed.
DWELL_FN int cell_beyond(boundary edge, int i, int n) {
  if (edge == boundary::periodic) {  // behind the last cell comes the first one
    while (i < 0) i += n;
    while (i >= n) i -= n;
  } else {  // a mirror stands on the border
    while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
  }
  return i;
}

/// The cells of a grid that are divided among blocks of whole register tiles. Where the border is
/// fixed, its planes and columns belong to no block; its rows are divided like all others, since
/// register tiles have whole numbers of rows.
DWELL_HD cell_box cells_of_blocks(const extents& n, const cell_box& inner, boundary edge) {
  if (edge != boundary::fixed) return {0, n.z, 0, n.y, 0, n.x};
  return {inner.z0, inner.z1, 0, n.y, inner.x0, inner.x1};
}
/// The cells of a grid in two dimensions, fully cached, that are divided among warps.
DWELL_HD cell_box cells_of_rows(const extents& n, const cell_box& inner, boundary edge) {
  return edge == boundary::fixed ? inner : cell_box{0, 1, 0, n.y, 0, n.x};
}

template <class T>
struct stencil_args {
  extents size;
  boundary edge = boundary::fixed;
  cell_box inner;  ///< the cells all of whose neighbours lie in the grid
  /// Cells from a row of the field to the next, and of the source: size.x for plans that cache
  /// tiles, else padded_row(). What lies between two rows is zero.
  int pitch = 0;
  T* field[2] = {};
  const T* source = nullptr;  ///< added to every cell that a step changes, or null

  int steps = 0;         ///< to do, at most
  bool until = false;    ///< also end when the largest change is at most `tolerance`,
  double tolerance = 0;  ///< which is tested
  int check_every = 1;   ///< after so many steps, and after the last one
  int poll_every = 1;    ///< steps between two polls at the host's requests
  int mark_every = 1;    ///< steps that the host queues before it waits for earlier ones

  stencil_plan plan;
  double* partial = nullptr;  ///< plan.teams + 1: changes per team; last, whether to stop
  stencil_state* state = nullptr;
  monitor* watch = nullptr;
  unsigned* barrier = nullptr;  ///< arrivals at the grid barrier
  unsigned* tickets = nullptr;  ///< for tiles, how many have been drawn
  /// GPU: the number of the tile that is taken as n-th; null: n.
  const unsigned* tile_order = nullptr;
  unsigned* flags = nullptr;   ///< for signal and wait, one per subdomain or tile
  T* streamed = nullptr;       ///< rows that teams own and do not cache on the chip
  bool reverse_lanes = false;  ///< CPU teams only

  friend bool operator==(const stencil_args&, const stencil_args&) = default;

  DWELL_HD bool tests(int step) const {
    return until && (step % check_every == 0 || step == steps);
  }
  /// The step of the poll after the one at `done`. Every test is a poll. No other poll is the step
  /// before a test: of that step teams write their whole tiles to the field, for the test.
  DWELL_HD int next_poll(int done) const {
    const int left = steps - done;
    if (!until) return done + (left < poll_every ? left : poll_every);
    const int untested = check_every - done % check_every,
              to_test = left < untested ? left : untested;
    return done + (to_test <= poll_every + 1 ? to_test : poll_every);
  }
  /// Launches of executors whose time loop runs on the host, for `step` steps up to a poll: each
  /// takes plan.depth steps or what is left. A test compares two whole fields, one step apart.
  DWELL_HD int launches(int step) const {
    const int alone = until && plan.depth > 1 ? 1 : 0;
    return pieces(step - alone, plan.depth) + alone;
  }
  /// Whether next_poll(), from 0 on, comes to `step`. A time loop that asks this after every step
  /// remembers nothing, and registers are few: one more, and 3d7pt took up to 1.3 times as long.
  DWELL_HD bool polls(int step) const {
    if (step == steps) return true;
    if (!until) return step % poll_every == 0;
    const int tested = step % check_every;
    return tested == 0 ||
           (tested % poll_every == 0 && check_every - tested > 1 && steps - step > 1);
  }
};

/// Arguments with the weights of a shape.
template <class S, class T>
struct stencil_call : stencil_args<T> {
  T w[weight_count<S>];
};

}  // namespace dwell
