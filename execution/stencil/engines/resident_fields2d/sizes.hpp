// SPDX-License-Identifier: MIT
// The sizes of engine resident_fields2d for a stencil S to the contract of ring_fields2d/sizes.hpp.
#pragma once
#include "dwell/execution/stencil/engines/resident_fields2d/shape.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/sizes.hpp"

namespace dwell {

template <class S, int Stage = 0>
constexpr void set_resident_stages(resident_shape& shape) {
  if constexpr (Stage < S::stages) {
    shape.set_taps(Stage, S::template taps<Stage>());
    for (int f = 0; f < S::fields; ++f) shape.writes[Stage][f] = S::template writes<Stage>(f);
    set_resident_stages<S, Stage + 1>(shape);
  }
}
/// What the engine has to know of S.
template <class S>
inline constexpr resident_shape resident_shape_of = [] {
  resident_shape shape;
  shape.fields = S::fields, shape.coefficients = S::coefficients, shape.stages = S::stages;
  shape.goes_around[0] = goes_around<S, 0>, shape.goes_around[1] = goes_around<S, 1>;
  set_resident_stages<S>(shape);
  return shape;
}();

template <class S, class T, resident_config C>
struct resident_sizes {
  static constexpr resident_numbers numbers{resident_shape_of<S>, C, sizeof(T)};
  static_assert(S::stages <= resident_shape::most_stages && numbers.valid());
  static constexpr int lanes = numbers.lanes();
  static constexpr std::size_t scratch_bytes = numbers.scratch_bytes();

  // Numbers, which device code takes as they are.
  static constexpr int width = numbers.width(), height = numbers.height(), cells = numbers.cells();
  static constexpr int group = numbers.group(), pitch = numbers.pitch(), line = numbers.line();
  static constexpr int first = numbers.front() + numbers.beside();
  static constexpr int reach_rows = numbers.shape.reach_rows();
  static constexpr int reach_columns = numbers.shape.reach_columns();
  static constexpr int step_rows = numbers.shape.step_rows();
  static constexpr int step_columns = numbers.shape.step_columns();
  static constexpr int unit = numbers.unit();
  /// From the first cell of a lane to one of the region, by rows and columns from it.
  DWELL_HD static constexpr int offset(int row, int column) {
    const int up = floor_of(row, C.rows), left = floor_of(column, C.across);
    return up * group + (row - up * C.rows) * pitch + (column - left * C.across) * line + left;
  }
  /// Cell k of a lane.
  DWELL_HD static constexpr int offset(int k) { return offset(k / C.across, k % C.across); }
  template <int A>
  static constexpr bool is_spread = numbers.shape.is_spread(A);
  template <int A>
  static constexpr resident_reach reach = numbers.shape.reach(A);
  template <int A>
  static constexpr int held_place = numbers.held_place(A);
  /// The place of array A among those in scratch.
  template <int A>
  static constexpr int scratch_place = [] {
    int n = 0;
    for (int a = 0; a < A; ++a) n += numbers.in_scratch(a);
    return n * numbers.array_values();
  }();

  /// Whether a side of an axis (0: y) has cells that keep their values, or cells beyond it that are
  /// read. Kinds of fixed and periodic sides are those of all fields.
  DWELL_HD static constexpr bool is_fixed(int axis, int side) {
    return S::beyond(0, axis, side) == side_kind::fixed;
  }
  DWELL_HD static constexpr bool has_ghosts(int axis, int side) {
    return (axis == 0 ? reach_rows : reach_columns) > 0 && !is_fixed(axis, side) &&
           S::beyond(0, axis, side) != side_kind::periodic;
  }
  template <class Of>
  static constexpr bool any_side(Of of) {
    return of(0, 0) || of(0, 1) || of(1, 0) || of(1, 1);
  }
  static constexpr bool any_fixed = any_side(is_fixed), any_ghosts = any_side(has_ghosts);

 private:
  DWELL_HD static constexpr int floor_of(int i, int n) {
    return i >= 0 ? i / n : -((n - 1 - i) / n);
  }
};

}  // namespace dwell
