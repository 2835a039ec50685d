// SPDX-License-Identifier: MIT
// The sizes of engine ring_fields2d: what a stencil of several fields reads, stage by stage, the
// rows that a lane keeps for it, and what a kernel of a pass is compiled for.
//
// A stencil S of this engine gives, at compile time:
//   fields, coefficients, parameters, stages, radius
//   taps<Stage>()       std::array of field_tap: array (fields, then coefficients) and offset
//   writes<Stage>(f)    whether the stage gives field f a new value
//   copy_of<Stage>(f)   the field whose own cell field f becomes, or -1
//   step<Stage>(view)             a cell: view.tap<array, 0, dy, dx>(), view.parameter<p>(),
//                                 view.put<field>(value), but not of fields that are copies
//   beyond(array, axis, side)     a side_kind, what lies beyond the border: axis 0 is y, side 0 the
//   lower one
#pragma once
#include <array>
#include <cstddef>

#include "dwell/base/fn.hpp"
#include "dwell/execution/stencil/engines/ring2d/sizes.hpp"
#include "dwell/stencil/side_kind.hpp"

namespace dwell {

/// What a stage reads: an array at an offset. Arrays are the fields and then the coefficients.
struct field_tap {
  int array, dy, dx;
};

template <class S>
inline constexpr int array_count = S::fields + S::coefficients;

/// Whether the rows (axis 0) or columns (1) of a field go around.
template <class S, int Axis>
inline constexpr bool goes_around = S::beyond(0, Axis, 0) == side_kind::periodic;
/// Whether cells beyond a border of an axis are found among those within.
template <class S, int Axis>
inline constexpr bool is_mirrored = [] {
  for (int array = 0; array < array_count<S>; ++array)
    for (int side = 0; side < 2; ++side) {
      const side_kind b = S::beyond(array, Axis, side);
      if (b != side_kind::fixed && b != side_kind::periodic) return true;
    }
  return false;
}();

/// Rows of one array that a stage reads, and columns.
struct tap_reach {
  int back = 0, ahead = 0;  ///< rows before and behind the cell's
  int across = 0;           ///< columns to either side
  bool wide = false;        ///< a row of the last ones is read beside the cell's column
};
/// In the taps of one array, or of all (array -1).
template <class S, int Stage>
constexpr tap_reach reach_of(int array) {
  tap_reach r;
  for (const field_tap& t : S::template taps<Stage>()) {
    if (array >= 0 && t.array != array) continue;
    r.back = std::max(r.back, -t.dy);
    r.ahead = std::max(r.ahead, t.dy);
    r.across = std::max(r.across, t.dx < 0 ? -t.dx : t.dx);
  }
  // What lies beyond a border is found as far on the other side of the cell.
  if (is_mirrored<S, 0>) r.back = r.ahead = std::max(r.back, r.ahead);
  for (const field_tap& t : S::template taps<Stage>()) {
    const int rows = is_mirrored<S, 0> && t.dy < 0 ? -t.dy : t.dy;
    if ((array < 0 || t.array == array) && rows == r.ahead && t.dx != 0) r.wide = true;
  }
  return r;
}

/// Rows by which the row that a stage makes is behind the one that arrives: of that one only the
/// cell's own column is read, since the lanes beside it have theirs at the same time.
template <class S, int Stage>
inline constexpr int delay_of = reach_of<S, Stage>(-1).ahead +
                                (reach_of<S, Stage>(-1).wide ? 1 : 0);

/// Delay of a step: all its stages.
template <class S, int Stage = 0>
constexpr int step_delay() {
  if constexpr (Stage == S::stages)
    return 0;
  else
    return delay_of<S, Stage> + step_delay<S, Stage + 1>();
}
/// Rows and columns that are lost in a step on either side.
template <class S, int Stage = 0>
constexpr int step_rows() {
  if constexpr (Stage == S::stages) {
    return 0;
  } else {
    constexpr tap_reach r = reach_of<S, Stage>(-1);
    return std::max(r.back, delay_of<S, Stage>) + step_rows<S, Stage + 1>();
  }
}
template <class S, int Stage = 0>
constexpr int step_columns() {
  if constexpr (Stage == S::stages)
    return 0;
  else
    return reach_of<S, Stage>(-1).across + step_columns<S, Stage + 1>();
}

/// Warps of a team that compute are a chain, as in ring2d; a slot holds `rows` rows of every array.
struct chain_config {
  int warps;   ///< that compute
  int steps;   ///< steps of a warp
  int across;  ///< neighbouring cells of a lane; odd, so that lanes read different banks
  int slots;   ///< slots of a ring
  int rows;    ///< rows of a slot, of each array
  int ahead;   ///< cells of a lane that are loaded ahead of their use
  /// Slots of a ring of coefficients, `rows` rows each, that all warps read. 0: coefficients travel
  /// with the fields.
  int shared = 0;
  int teams = 1;
  bool bulk = true;
};

/// Whether all stages read an array in the cell itself only.
template <class S, int Stage = 0>
constexpr bool is_pointwise(int array) {
  if constexpr (Stage == S::stages) {
    return true;
  } else {
    const tap_reach r = reach_of<S, Stage>(array);
    return r.back == 0 && r.ahead == 0 && r.across == 0 && is_pointwise<S, Stage + 1>(array);
  }
}
/// Whether coefficients may stay in a ring that all warps read: if there are any, and stages read
/// them, from number K on, in the cell itself only.
template <class S, int K = 0>
constexpr bool shares_coefficients() {
  if constexpr (S::stages != 1 || S::coefficients == 0)
    return false;
  else if constexpr (K == S::coefficients)
    return true;
  else
    return is_pointwise<S>(S::fields + K) && shares_coefficients<S, K + 1>();
}
/// Field A is the value that another, computed one had a step before, read in its own cell only:
/// its rows are rows that are kept of the other one, and it travels as many rows late as a step
/// does.
template <class S, int A>
constexpr bool is_renamed() {
  if constexpr (S::stages != 1 || A >= S::fields) {
    return false;
  } else {
    constexpr int from = S::template copy_of<0>(A);
    if constexpr (from < 0 || from == A || S::template copy_of<0>(from) >= 0 || !is_pointwise<S>(A))
      return false;
    else
      return delay_of<S, 0> <= reach_of<S, 0>(from).back;
  }
}
template <class S, int A = 0>
constexpr bool has_renamed() {
  if constexpr (A == S::fields)
    return false;
  else
    return is_renamed<S, A>() || has_renamed<S, A + 1>();
}
/// Rows by which some arrays come later than others.
template <class S>
inline constexpr int late_rows = has_renamed<S>() ? step_delay<S>() : 0;

/// Rows of an array that a lane keeps for a stage of one of its steps.
template <class S, chain_config C>
struct kept_rows {
  static constexpr int arrays = array_count<S>;
  static constexpr int carried = C.shared > 0 ? S::fields : arrays;  ///< from warp to warp
  static constexpr int substages = C.steps * S::stages;

  template <int Q, int A>
  static constexpr int count() {
    if constexpr (is_renamed<S, A>())
      return 0;
    else if constexpr (A >= carried)
      return Q == 0 ? (C.steps - 1) * delay_of<S, 0> : 0;
    else
      return delay_of<S, Q % S::stages> + reach_of<S, Q % S::stages>(A).back;
  }
  /// The first of them among all that a lane keeps.
  template <int Q, int A>
  static constexpr int first() {
    if constexpr (A > 0)
      return first<Q, A - 1>() + count<Q, A - 1>();
    else if constexpr (Q > 0)
      return first<Q - 1, arrays - 1>() + count<Q - 1, arrays - 1>();
    else
      return 0;
  }
  static constexpr int all =
      first<substages - 1, arrays - 1>() + count<substages - 1, arrays - 1>();

  /// After so many rows every array's rows are kept in the places where they were.
  template <int Q = 0, int A = 0>
  static constexpr int period() {
    if constexpr (Q == substages) {
      return 1;
    } else if constexpr (A == arrays) {
      return period<Q + 1, 0>();
    } else {
      constexpr int n = count<Q, A>() > 0 ? count<Q, A>() : 1, rest = period<Q, A + 1>();
      int least = rest;
      while (least % n != 0) least += rest;
      return least;
    }
  }
  /// The place of the row `back` rows before the one that arrives in row `phase` of a period.
  template <int Q, int A>
  static constexpr int place(int phase, int back) {
    constexpr int n = count<Q, A>();
    return first<Q, A>() + (phase + period() * n - back) % n;
  }
};

/// Sizes that follow from a config; as ring_sizes has them for teams of rings.
template <class S, class T, chain_config C>
struct chain_sizes {
  using value = T;
  static constexpr int arrays = array_count<S>, carried = kept_rows<S, C>::carried;
  /// What teams know: a row of a slot is a row of one array.
  static constexpr ring_config config{C.warps, C.steps, C.across, C.slots, C.rows* carried,
                                      C.ahead, 0,       C.teams,  C.bulk};
  static constexpr int width = 32 * C.across;
  static constexpr int depth = C.warps * C.steps;
  static constexpr int halo = depth * step_columns<S>();
  static constexpr int own = width - 2 * halo;
  static constexpr int unit = 16 / sizeof(T);
  static constexpr int row_values = width + unit;
  static constexpr int rings = C.warps + 1;
  static constexpr std::size_t slot_bytes = sizeof(T) * C.rows * carried * row_values;
  static constexpr int aux_slots = C.shared, aux_rows = C.rows, aux_arrays = arrays - carried;
  /// Rows by which a warp is behind the one before it.
  static constexpr int aux_lag = C.steps * step_delay<S>();
  static constexpr std::size_t scratch_bytes =
      rings * C.slots * (slot_bytes + 16) +
      aux_slots * (sizeof(T) * aux_rows * aux_arrays * row_values + 8);
  /// Rows that come and go in one turn of the loop: whole periods of what lanes keep, whole slots.
  static constexpr int turn = [] {
    constexpr int p = kept_rows<S, C>::period();
    int n = p;
    while (n % C.rows != 0) n += p;
    return n;
  }();
  static constexpr int lanes = 32 * (C.warps + (C.bulk ? 4 : 2));
  static_assert(C.shared == 0 || (shares_coefficients<S>() &&
                                  C.shared >= ((C.warps - 1) * aux_lag + C.rows - 1) / C.rows + 1));
  static_assert(own > 0 && C.slots >= 2 && C.across <= 32 && step_columns<S>() <= C.across);
};

}  // namespace dwell
