// SPDX-License-Identifier: MIT
// One step of some cells of a row, by a team whose lanes are the elements of vectors.
#pragma once
#include <algorithm>
#include <iterator>

#include "dwell/execution/stencil/step/near.hpp"
#include "dwell/execution/stencil/step/register_tile.hpp"

namespace dwell {

/// Columns from `first` to before `last`.
struct column_range {
  int first, last;
};

/// All cells of a row but those at its ends have their neighbours in the grid.
template <class T>
bool is_inner_row(const stencil_args<T>& a, int z, int y) {
  return z >= a.inner.z0 && z < a.inner.z1 && y >= a.inner.y0 && y < a.inner.y1;
}

/// Shapes of many cells are compiled once, without the source, which a second loop then adds to the
/// row: the same sums, and little beside those of the shape.
template <class S>
inline constexpr bool adds_source_after = std::size(S::taps) > 12;

/// Adds the source to so many cells of a row.
template <class T, class Team>
[[gnu::noinline]] void add_source(Team& team, const T* source, T* out, int count) {
  team.over(
      count, 1, [=](int i, int) __attribute__((always_inline)) { out[i] += source[i]; });
}

template <class S, class T, bool Source, class Team>
void step_row_of(Team& team, const stencil_call<S, T>& a, const T* in, T* out, int z, int y,
                 column_range columns) {
  const std::ptrdiff_t pitch = a.pitch, plane = pitch * a.size.y, row = z * plane + y * pitch;
  const cell_box& inner = a.inner;
  T w[weight_count<S>];  // which no store can change
  for (int k = 0; k < weight_count<S>; ++k) w[k] = a.w[k];
  const auto put = [&](int x, T v) __attribute__((always_inline)) {
    if constexpr (Source) v += a.source[row + x];
    out[row + x] = v;
  };
  const auto beside = [&](int first, int last) {
    for (int x = first; x < last; ++x)
      put(x, S::template apply<T>(near_frame<S, T>(in, a, z, y, x), w));
  };
  const int first = std::clamp(inner.x0, columns.first, columns.last);
  const int last = std::clamp(inner.x1, first, columns.last), count = last - first;
  beside(columns.first, first);
  if (is_inner_row(a, z, y)) {
    team.over(
        count, 1, [&](int i, int) __attribute__((always_inline)) {
          put(first + i,
              S::template apply<T>(near_inner<T>{in + row + first + i, pitch, plane}, w));
        });
  } else if (count > 0) {
    const near_row<S, T> near(in, a, z, y);
    team.over(
        count, 1, [&](int i, int) __attribute__((always_inline)) {
          put(first + i, S::template apply<T>(near.at(first + i), w));
        });
  }
  beside(last, columns.last);
}

/// From one copy of the field to the other; cells that the boundary keeps fixed are not among the
/// columns.
template <class S, class T, class Team>
void step_row(Team& team, const stencil_call<S, T>& a, const T* in, T* out, int z, int y,
              column_range columns) {
  if constexpr (adds_source_after<S>) {
    step_row_of<S, T, false>(team, a, in, out, z, y, columns);
    const std::ptrdiff_t at =
        (static_cast<std::ptrdiff_t>(z) * a.size.y + y) * a.pitch + columns.first;
    if (a.source) add_source(team, a.source + at, out + at, columns.last - columns.first);
  } else if (a.source) {
    step_row_of<S, T, true>(team, a, in, out, z, y, columns);
  } else {
    step_row_of<S, T, false>(team, a, in, out, z, y, columns);
  }
}

}  // namespace dwell
