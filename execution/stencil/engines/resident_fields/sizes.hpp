// SPDX-License-Identifier: MIT
// The sizes of engine resident_fields for a stencil S to the contract of ring_fields2d/sizes.hpp.
#pragma once
#include "dwell/execution/stencil/engines/resident_fields/shape.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/sizes.hpp"

namespace dwell {

/// What lies beyond a side of an array. Stencils of planes alone need not know of axis 2.
template <class S>
constexpr side_kind resident_side(int array, int axis, int side) {
  if constexpr (!requires { S::reach[2]; })
    if (axis == 2) return side_kind::nearest;
  return S::beyond(array, axis, side);
}

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
  for (int axis = 0; axis < 3; ++axis)
    shape.goes_around[axis] = resident_side<S>(0, axis, 0) == side_kind::periodic;
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
  static constexpr int height = numbers.extent(0), width = numbers.extent(1),
                       planes = numbers.extent(2), cells = numbers.cells();
  static constexpr bool flat = planes == 1;  ///< there is one plane
  static constexpr int stack = numbers.stack(), plane = numbers.plane_values();
  static constexpr int group = numbers.group(), pitch = numbers.pitch(), line = numbers.line();
  static constexpr int first = numbers.front_planes() + numbers.front() + numbers.beside();
  static constexpr int unit = numbers.unit();
  template <int Axis>
  static constexpr int reach_along = numbers.shape.reach_along(Axis);
  template <int Axis>
  static constexpr int step_along = numbers.shape.step_along(Axis);
  template <int Axis>
  static constexpr int extent = numbers.extent(Axis);
  template <int Axis>
  static constexpr bool around = numbers.shape.goes_around[Axis];
  /// From the first cell of a lane to one of the region, by planes, rows and columns from it.
  DWELL_HD static constexpr int offset(int z, int row, int column) {
    const int up = floor_of(row, C.rows), left = floor_of(column, C.across);
    const int back = floor_of(z, C.deep);
    return back * stack + (z - back * C.deep) * plane + up * group + (row - up * C.rows) * pitch +
           (column - left * C.across) * line + left;
  }
  /// Cell k of a lane.
  DWELL_HD static constexpr int offset(int k) {
    return offset(plane_of(k), row_of(k), column_of(k));
  }
  DWELL_HD static constexpr int plane_of(int k) { return k / (C.across * C.rows); }
  DWELL_HD static constexpr int row_of(int k) { return k / C.across % C.rows; }
  DWELL_HD static constexpr int column_of(int k) { return k % C.across; }
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

  /// Whether a side of an axis has cells that keep their values, or cells beyond it that are read.
  /// Kinds of fixed and periodic sides are those of all fields.
  DWELL_HD static constexpr bool is_fixed(int axis, int side) {
    return resident_side<S>(0, axis, side) == side_kind::fixed;
  }
  DWELL_HD static constexpr bool has_ghosts(int axis, int side) {
    const int reach = axis == 0 ? reach_along<0> : axis == 1 ? reach_along<1> : reach_along<2>;
    return reach > 0 && !is_fixed(axis, side) &&
           resident_side<S>(0, axis, side) != side_kind::periodic;
  }
  template <class Of>
  static constexpr bool any_side(Of of) {
    for (int axis = 0; axis < 3; ++axis)
      if (of(axis, 0) || of(axis, 1)) return true;
    return false;
  }
  static constexpr bool any_fixed = any_side(is_fixed), any_ghosts = any_side(has_ghosts);
  /// Whether ends of an axis have such cells.
  template <int Axis>
  static constexpr bool has_border = is_fixed(Axis, 0) || is_fixed(Axis, 1) ||
                                     has_ghosts(Axis, 0) || has_ghosts(Axis, 1);

 private:
  DWELL_HD static constexpr int floor_of(int i, int n) {
    return i >= 0 ? i / n : -((n - 1 - i) / n);
  }
};

}  // namespace dwell
