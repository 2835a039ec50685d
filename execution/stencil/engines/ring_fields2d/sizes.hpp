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
#include "dwell/execution/stencil/engines/ring_fields2d/chain_shape.hpp"
#include "dwell/stencil/side_kind.hpp"

namespace dwell {

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

template <class S, int Stage = 0>
constexpr void set_chain_taps(chain_shape& shape) {
  if constexpr (Stage < S::stages) {
    shape.set_taps(Stage, S::template taps<Stage>());
    set_chain_taps<S, Stage + 1>(shape);
  }
}
/// What the engine has to know of S.
template <class S>
inline constexpr chain_shape chain_shape_of = [] {
  chain_shape shape;
  shape.fields = S::fields, shape.coefficients = S::coefficients;
  shape.stages = S::stages, shape.radius = S::radius;
  shape.is_mirrored_along_y = is_mirrored<S, 0>;
  for (int f = 0; f < S::fields; ++f) shape.copy_of[f] = S::template copy_of<0>(f);
  set_chain_taps<S>(shape);
  return shape;
}();

template <class S, int Stage>
inline constexpr int delay_of = chain_shape_of<S>.delay(Stage);
template <class S>
constexpr int step_delay() {
  return chain_shape_of<S>.step_delay();
}
template <class S>
constexpr int step_rows() {
  return chain_shape_of<S>.step_rows();
}
template <class S>
constexpr int step_columns() {
  return chain_shape_of<S>.step_columns();
}
template <class S, int A>
constexpr bool is_renamed() {
  return chain_shape_of<S>.is_renamed(A);
}
template <class S>
inline constexpr int late_rows = chain_shape_of<S>.late_rows();

/// Rows of an array that a lane keeps for a stage of one of its steps.
template <class S, chain_config C>
struct kept_rows {
  static constexpr kept_counts counts{chain_shape_of<S>, C};
  static constexpr int arrays = array_count<S>;
  static constexpr int carried = counts.carried();  ///< from warp to warp
  static constexpr int substages = counts.substages();

  template <int Q, int A>
  static constexpr int count() {
    return counts.count(Q, A);
  }
  static constexpr int all = counts.all();
  static constexpr int rows_of_a_period = counts.period();
  static constexpr int period() { return rows_of_a_period; }
  /// The place of the row `back` rows before the one that arrives in row `phase` of a period.
  template <int Q, int A>
  static constexpr int place(int phase, int back) {
    constexpr int n = counts.count(Q, A), first = counts.first(Q, A);
    return first + (phase + rows_of_a_period * n - back) % n;
  }
};

/// Sizes that follow from a config; as ring_sizes has them for teams of rings.
template <class S, class T, chain_config C>
struct chain_sizes {
  using value = T;
  static constexpr chain_numbers numbers{chain_shape_of<S>, C, sizeof(T)};
  static_assert(S::stages <= chain_shape::most_stages && numbers.valid());
  static constexpr int arrays = array_count<S>, carried = numbers.kept().carried();
  /// What teams know: a row of a slot is a row of one array.
  static constexpr ring_config config{C.warps, C.steps, C.across, C.slots, C.rows* carried,
                                      C.ahead, 0,       C.teams,  C.bulk};
  static constexpr int width = numbers.width();
  static constexpr int depth = numbers.depth();
  static constexpr int halo = numbers.halo();
  static constexpr int own = numbers.own();
  static constexpr int unit = numbers.unit();
  static constexpr int row_values = numbers.row_values();
  static constexpr int rings = numbers.rings();
  static constexpr std::size_t slot_bytes = numbers.slot_bytes();
  static constexpr int aux_slots = C.shared, aux_rows = C.rows, aux_arrays = arrays - carried;
  static constexpr int aux_lag = numbers.lag();
  static constexpr std::size_t scratch_bytes = numbers.scratch_bytes();
  static constexpr int turn = numbers.kept().turn();
  static constexpr int lanes = numbers.lanes();
};

}  // namespace dwell
