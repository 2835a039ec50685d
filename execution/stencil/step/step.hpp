// SPDX-License-Identifier: MIT
// One step of a Stencil over the whole grid, dealt to all teams: the code that host-loop, graph and
// persistent share. Inner cells, whose neighbours all lie in the grid, go by tiles; for the cells
// of the frame, `radius` wide, every neighbour's place is computed. Under `fixed` the frame keeps
// its values, which both copies of the field hold from the start.
#pragma once
#include <cstdint>

#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/order/walk.hpp"
#include "dwell/execution/stencil/step/near.hpp"
#include "dwell/execution/stencil/step/register_tile.hpp"
#include "dwell/execution/stencil/step/row.hpp"

namespace dwell {

/// f(z, y, x) for the cells outside `inner`, each by one lane of one team.
template <class Team, class F>
DWELL_FN void each_frame_cell(Team& team, const extents& n, const cell_box& inner, F&& f) {
  // Two faces per axis; an axis before this one is cut to the inner cells, one after it is whole.
#pragma unroll 1
  for (int face = 0; face < 6; ++face) {
    const int axis = face / 2;
    const bool far = face % 2 != 0;
    cell_box b = inner;
    if (axis < 1) b.y0 = 0, b.y1 = n.y;
    if (axis < 2) b.x0 = 0, b.x1 = n.x;
    if (axis == 0) b.z0 = far ? inner.z1 : 0, b.z1 = far ? n.z : inner.z0;
    if (axis == 1) b.y0 = far ? inner.y1 : 0, b.y1 = far ? n.y : inner.y0;
    if (axis == 2) b.x0 = far ? inner.x1 : 0, b.x1 = far ? n.x : inner.x0;
    const int ny = b.y1 - b.y0, nx = b.x1 - b.x0;
    const std::int64_t count = static_cast<std::int64_t>(b.z1 - b.z0) * ny * nx;
    const auto cell = [&](auto c) {
      using number = decltype(c);
      const number row = c / static_cast<number>(nx);
      f(b.z0 + static_cast<int>(row / static_cast<number>(ny)),
        b.y0 + static_cast<int>(row % static_cast<number>(ny)),
        b.x0 + static_cast<int>(c - row * static_cast<number>(nx)));
    };
    // A GPU divides 64-bit numbers slowly, and a launch is over when its last lane is.
    if (count < 1 << 30)
      team.each_of_all(static_cast<unsigned>(count), cell);
    else
      team.each_of_all(count, cell);
  }
}

template <class S, class T, class Team>
DWELL_FN void step_frame(Team& team, const stencil_call<S, T>& a, const T* in, T* out) {
  each_frame_cell(team, a.size, a.inner, [&](int z, int y, int x) {
    const std::ptrdiff_t at = (static_cast<std::ptrdiff_t>(z) * a.size.y + y) * a.pitch + x;
    T v = S::template apply<T>(near_frame<S, T>(in, a, z, y, x), a.w);
    if (a.source) v += a.source[at];
    out[at] = v;
  });
}

/// The inner cells by teams whose lanes are the elements of vectors: each takes a part of the
/// plan's order, whose rows are loops without a branch. Where lanes are threads: register_tile.hpp.
template <class S, class T, bool Source, class Team>
void step_rows(Team& team, const stencil_call<S, T>& a, const T* in, T* out) {
  const std::ptrdiff_t pitch = a.pitch, plane = pitch * a.size.y;
  T w[weight_count<S>];  // which no store can change
  for (int k = 0; k < weight_count<S>; ++k) w[k] = a.w[k];
  extents inner = a.size;
  inner.z = a.inner.z1 - a.inner.z0;
  inner.y = a.inner.y1 - a.inner.y0;
  inner.x = a.inner.x1 - a.inner.x0;
  const index_map map(a.plan.cells, inner);
  order_walk walk(map, team.worker(), team.workers());
  for (row_run run; walk.next(run);) {
    const std::ptrdiff_t corner = (a.inner.z0 + run.first.z) * plane +
                                  (a.inner.y0 + run.first.y) * pitch + a.inner.x0 + run.first.x;
    team.over(
        run.width, run.rows, [&](int i, int j) __attribute__((always_inline)) {
          const std::ptrdiff_t at = corner + j * pitch + i;
          T v = S::template apply<T>(near_inner<T>{in + at, pitch, plane}, w);
          if constexpr (Source) v += a.source[at];
          out[at] = v;
        });
    if constexpr (adds_source_after<S>)
      if (a.source)
        for (int j = 0; j < run.rows; ++j)
          add_source(team, a.source + corner + j * pitch, out + corner + j * pitch, run.width);
  }
}

/// The cells outside `inner`, row by row.
template <class S, class T, class Team>
void step_frame_rows(Team& team, const stencil_call<S, T>& a, const T* in, T* out) {
  const cell_box& inner = a.inner;
  const auto [first, last] = team.part(static_cast<std::int64_t>(a.size.z) * a.size.y);
  for (std::int64_t row = first; row < last; ++row) {
    const int z = static_cast<int>(row / a.size.y), y = static_cast<int>(row % a.size.y);
    if (is_inner_row(a, z, y)) {
      step_row<S, T>(team, a, in, out, z, y, {0, inner.x0});
      step_row<S, T>(team, a, in, out, z, y, {inner.x1, a.size.x});
    } else {
      step_row<S, T>(team, a, in, out, z, y, {0, a.size.x});
    }
  }
}

template <class S, class T, bool Tiles, class Team>
DWELL_FN void step_field(Team& team, const stencil_call<S, T>& a, const T* in, T* out) {
  if constexpr (!Team::vectors) {
    step_tiles<S, T, Tiles>(team, a, in, out);
    if (a.edge != boundary::fixed) step_frame<S, T>(team, a, in, out);
  } else {
    if constexpr (adds_source_after<S>)
      step_rows<S, T, false>(team, a, in, out);
    else if (a.source)
      step_rows<S, T, true>(team, a, in, out);
    else
      step_rows<S, T, false>(team, a, in, out);
    if (a.edge != boundary::fixed) step_frame_rows<S, T>(team, a, in, out);
  }
}

}  // namespace dwell
