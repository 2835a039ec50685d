// SPDX-License-Identifier: MIT
// One stage of one cell of several fields, in one to three dimensions, as a kernel of a device
// takes it: every cell by itself, borders included. S is a stencil as engine ring_fields2d has it
// (ring_fields2d/sizes.hpp), with two facts more: reach[axis], cells to the farthest neighbour
// along y, x and z; and axis 2 of beyond(), which is z.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/execution/stencil/engines/ring_fields2d/sizes.hpp"
#include "dwell/execution/stencil/fields/border_place.hpp"
#include "dwell/stencil/field_limits.hpp"

namespace dwell {

/// What a stage gets: plain data, by value, laid out for every stencil alike.
template <class T>
struct fields_stage_args {
  int n[3] = {1, 1, 1};    ///< rows, cells of a row, planes: axes y, x, z
  std::int64_t pitch = 0;  ///< cells from a row to the next
  const T* in[field_limits::arrays] = {};
  T* out[field_limits::fields] = {};  ///< for computed fields; may be one of `in`
  T outside[field_limits::arrays][3][2] =
      {};  ///< constants beyond the border: axis; lower, upper side
  T p[field_limits::parameters] = {};
};

/// A cell. Inner: all that it reads lies in the field.
template <class S, class T, bool Inner>
struct fields_cell {
  using value = T;
  const fields_stage_args<T>& a;
  int at[3];  ///< y, x, z
  std::int64_t here;
  T (&made)[S::fields];  ///< new values

  template <int P>
  DWELL_HD T parameter() const {
    return a.p[P];
  }
  template <int F>
  DWELL_HD void put(T v) const {
    made[F] = v;
  }
  template <int A, int Dz, int Dy, int Dx>
  DWELL_HD T tap() const {
    if constexpr (Inner || (Dz == 0 && Dy == 0 && Dx == 0))
      return a.in[A][here + (std::int64_t{Dz} * a.n[0] + Dy) * a.pitch + Dx];
    else
      return beyond<A>(at[2] + Dz, at[0] + Dy, at[1] + Dx);
  }

 private:
  /// Axes apply one after the other, x last: so of a corner x decides first.
  template <int A>
  DWELL_HD T beyond(int z, int y, int x) const {
    bool minus = false;
    T v{};
    if (found<A, 1>(x, minus, v) && found<A, 0>(y, minus, v) && found<A, 2>(z, minus, v))
      v = a.in[A][(std::int64_t{z} * a.n[0] + y) * a.pitch + x];
    return minus ? -v : v;
  }
  template <int A, int Axis>
  DWELL_HD bool found(int& i, bool& minus, T& v) const {
    return is_within_border<S, A, Axis>(a.n[Axis], a.outside[A][Axis], i, minus, v);
  }
};

/// Whether the cell keeps its values in every step.
template <class S, class T>
DWELL_HD bool is_fixed_cell(const fields_stage_args<T>& a, const int (&at)[3]) {
  for (int axis = 0; axis < 3; ++axis)
    if ((S::beyond(0, axis, 0) == side_kind::fixed && at[axis] < S::radius) ||
        (S::beyond(0, axis, 1) == side_kind::fixed && at[axis] >= a.n[axis] - S::radius))
      return true;
  return false;
}

/// A fixed cell is copied where a new value has other memory than the old one.
template <class S, class T, int Stage, int F = 0>
DWELL_HD void keep_cell(const fields_stage_args<T>& a, std::int64_t here) {
  if constexpr (F < S::fields) {
    if constexpr (S::template writes<Stage>(F) && S::template copy_of<Stage>(F) < 0)
      if (a.out[F] != a.in[F]) a.out[F][here] = a.in[F][here];
    keep_cell<S, T, Stage, F + 1>(a, here);
  }
}

/// New values go to memory.
template <class S, class T, int Stage, int F = 0>
DWELL_HD void store_cell(const fields_stage_args<T>& a, std::int64_t here,
                         const T (&made)[S::fields]) {
  if constexpr (F < S::fields) {
    if constexpr (S::template writes<Stage>(F) && S::template copy_of<Stage>(F) < 0)
      a.out[F][here] = made[F];
    store_cell<S, T, Stage, F + 1>(a, here, made);
  }
}

/// Stage `Stage` of cell (z, y, x).
template <class S, class T, int Stage>
DWELL_HD void stage_of_cell(const fields_stage_args<T>& a, int z, int y, int x) {
  const int at[3] = {y, x, z};
  const std::int64_t here = (std::int64_t{z} * a.n[0] + y) * a.pitch + x;
  if (is_fixed_cell<S, T>(a, at)) return keep_cell<S, T, Stage>(a, here);
  T made[S::fields];
  S::template step<Stage>(fields_cell<S, T, false>{a, {y, x, z}, here, made});
  store_cell<S, T, Stage>(a, here, made);
}

/// Rows that a lane takes together: it has what they read before it stores, so that its loads wait
/// side by side, and neighbours along y are loaded once. Few for stages that read much.
constexpr int rows_for_taps(std::size_t taps) { return taps <= 16 ? 4 : taps <= 40 ? 2 : 1; }
template <class S, int Stage>
inline constexpr int rows_together = rows_for_taps(S::template taps<Stage>().size());

/// Stage `Stage` of cell x of plane z in these rows, from row y on.
template <class S, class T, int Stage>
DWELL_HD void stage_of_rows(const fields_stage_args<T>& a, int z, int y, int x) {
  constexpr int rows = rows_together<S, Stage>;
  // No cell that is not fixed reads beyond a fixed side.
  const auto inner = [&](int axis, int first, int last) {
    const int margin = S::reach[axis] > S::radius ? S::reach[axis] : S::radius;
    const bool low = S::reach[axis] > 0 || S::beyond(0, axis, 0) == side_kind::fixed;
    const bool high = S::reach[axis] > 0 || S::beyond(0, axis, 1) == side_kind::fixed;
    return (!low || first >= margin) && (!high || last < a.n[axis] - margin);
  };
  if (inner(1, x, x) && inner(0, y, y + rows - 1) && y + rows <= a.n[0] && inner(2, z, z)) {
    const std::int64_t here = (std::int64_t{z} * a.n[0] + y) * a.pitch + x;
    T made[rows][S::fields];
    DWELL_UNROLL
    for (int r = 0; r < rows; ++r)
      S::template step<Stage>(
          fields_cell<S, T, true>{a, {y + r, x, z}, here + r * a.pitch, made[r]});
    DWELL_UNROLL
    for (int r = 0; r < rows; ++r) store_cell<S, T, Stage>(a, here + r * a.pitch, made[r]);
    return;
  }
  for (int r = 0; r < rows && y + r < a.n[0]; ++r) stage_of_cell<S, T, Stage>(a, z, y + r, x);
}

}  // namespace dwell
