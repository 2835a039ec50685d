// SPDX-License-Identifier: MIT
// What the teams of a Sweep get: plain data, by value. Two copies of the field are read and written
// in turn; executors that keep nothing on the chip go from field[s % 2] to the other in step s.
#pragma once
#include <algorithm>
#include <span>

#include "dwell/execution/core/program.hpp"
#include "dwell/execution/core/sweep.hpp"
#include "dwell/execution/core/sweep_plan.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// Why a run of a Sweep ended; `running` until then.
enum class sweep_stop : int { running, steps_done, converged, not_finite, interrupted };

/// Where a run stands, in the device's memory.
struct sweep_state {
  int done = 0;  ///< steps
  sweep_stop stop = sweep_stop::running;
  double change = 0;  ///< the largest of a cell in one step, when it was last tested
  int copy = 0;       ///< of the field that holds the result
};

/// Words between two flags: each has a cache line to itself.
inline constexpr int flag_distance = 32;
/// And where each tile of a field has one: of tiles there are many more.
inline constexpr int tile_flag_distance = 8;

/// A ticket for a tile, and whether the flags that the tile needs were up when the team looked.
struct drawn_ticket {
  unsigned number;
  bool ready;
};

/// A half-open box of cells.
struct cell_box {
  int z0 = 0, z1 = 0, y0 = 0, y1 = 0, x0 = 0, x1 = 0;
};

/// What bricks of whole patches share of a grid. Where its border is fixed, planes and columns of
/// that are nobody's; its rows are shared as all others, since patches have whole numbers of rows.
DWELL_HD cell_box cells_of_bricks(const extents& n, const cell_box& inner, boundary edge) {
  if (edge != boundary::fixed) return {0, n.z, 0, n.y, 0, n.x};
  return {inner.z0, inner.z1, 0, n.y, inner.x0, inner.x1};
}
/// What warps share of a grid that is on the chip whole, in two dimensions.
DWELL_HD cell_box cells_of_rows(const extents& n, const cell_box& inner, boundary edge) {
  return edge == boundary::fixed ? inner : cell_box{0, 1, 0, n.y, 0, n.x};
}

template <class T>
struct sweep_args {
  extents size;
  boundary edge = boundary::fixed;
  cell_box inner;  ///< the cells all of whose neighbours lie in the grid
  /// Cells from a row of the field to the next, and of the source: size.x for plans that keep
  /// tiles, else padded_row(). What lies between two rows is zero.
  int pitch = 0;
  T* field[2] = {};
  const T* source = nullptr;  ///< added to every cell that a step changes, or null

  int steps = 0;         ///< to do, at most
  bool until = false;    ///< also end when the largest change is at most `tolerance`,
  double tolerance = 0;  ///< which is tested
  int check_every = 1;   ///< after so many steps, and after the last one
  int look_every = 1;    ///< steps between two looks at the host's wishes
  int mark_every = 1;    ///< steps that the host queues before it waits for earlier ones

  sweep_plan plan;
  double* partial = nullptr;  ///< plan.teams + 1: changes per team; last, whether to stop
  sweep_state* state = nullptr;
  monitor* watch = nullptr;
  unsigned* barrier = nullptr;  ///< arrivals at the grid barrier
  unsigned* tickets = nullptr;  ///< for tiles, how many have been drawn
  unsigned* flags = nullptr;    ///< for signal and wait, one per share or tile
  T* streamed = nullptr;        ///< rows that teams own and do not keep on the chip
  bool reverse_lanes = false;   ///< CPU teams only

  DWELL_HD bool tests(int step) const {
    return until && (step % check_every == 0 || step == steps);
  }
  /// The step of the look after the one at `done`. Every test is one. No other look is the step
  /// before a test: a tile shows that step whole if it sees the test coming.
  DWELL_HD int next_look(int done) const {
    const int left = steps - done;
    if (!until) return done + (left < look_every ? left : look_every);
    const int untested = check_every - done % check_every,
              to_test = left < untested ? left : untested;
    return done + (to_test <= look_every + 1 ? to_test : look_every);
  }
  /// Whether next_look(), from 0 on, comes to `step`. A time loop that asks this after every step
  /// remembers nothing, and registers are few: one more, and 3d7pt took up to 1.3 times as long.
  DWELL_HD bool looks(int step) const {
    if (step == steps) return true;
    if (!until) return step % look_every == 0;
    const int tested = step % check_every;
    return tested == 0 ||
           (tested % look_every == 0 && check_every - tested > 1 && steps - step > 1);
  }
};

/// The same with the weights of a shape.
template <class S, class T>
struct sweep_call : sweep_args<T> {
  T w[weight_count<S>];
};
/// The same from what the variant table passes on: a sweep_args<T>, and as many weights.
template <class S, class T>
sweep_call<S, T> call_of(const void* args, std::span<const double> weights) {
  sweep_call<S, T> a;
  static_cast<sweep_args<T>&>(a) = *static_cast<const sweep_args<T>*>(args);
  std::transform(weights.begin(), weights.end(), a.w, [](double w) { return static_cast<T>(w); });
  return a;
}

}  // namespace dwell
