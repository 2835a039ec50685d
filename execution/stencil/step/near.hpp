// SPDX-License-Identifier: MIT
// Views of the neighbours of cells at a border that is not fixed, where the boundary puts them.
#pragma once
#include <cstddef>

#include "dwell/execution/stencil/args.hpp"

namespace dwell {

/// The cell that stands for cell i of an axis of n cells.
DWELL_HD int cell_for(boundary edge, int i, int n) {
  if (static_cast<unsigned>(i) < static_cast<unsigned>(n)) return i;
  // A mirror at either end makes 2n cells that repeat.
  const int period = edge == boundary::periodic ? n : 2 * n;
  int k = i % period;
  if (k < 0) k += period;
  return k < n ? k : period - 1 - k;
}

/// Neighbours of a cell of the frame.
template <class S, class T>
class near_frame {
 public:
  DWELL_FN near_frame(const T* field, const stencil_args<T>& a, int z, int y, int x)
      : field_(field) {
    DWELL_UNROLL
    for (int d = -R; d <= R; ++d) {
      x_[d + R] = cell_for(a.edge, x + d, a.size.x);
      y_[d + R] = static_cast<std::ptrdiff_t>(cell_for(a.edge, y + d, a.size.y)) * a.pitch;
      if constexpr (S::dims == 3)
        z_[d + R] =
            static_cast<std::ptrdiff_t>(cell_for(a.edge, z + d, a.size.z)) * a.size.y * a.pitch;
    }
  }
  DWELL_FN T operator()(int dy, int dx) const { return (*this)(0, dy, dx); }
  DWELL_FN T operator()(int dz, int dy, int dx) const {
    std::ptrdiff_t at = y_[dy + R] + x_[dx + R];
    if constexpr (S::dims == 3) at += z_[dz + R];
    return field_[at];
  }

 private:
  static constexpr int R = radius_of<S>;
  const T* field_;
  int x_[2 * R + 1];
  std::ptrdiff_t y_[2 * R + 1], z_[S::dims == 3 ? 2 * R + 1 : 1];
};

/// Neighbours of the cells of a row whose columns lie within the grid with all of their neighbours:
/// the rows around it are where the boundary puts them.
template <class S, class T>
class near_row {
 public:
  near_row(const T* field, const stencil_args<T>& a, int z, int y) {
    for (int dz = -RZ; dz <= RZ; ++dz) {
      const std::ptrdiff_t plane =
          S::dims == 3 ? std::ptrdiff_t{cell_for(a.edge, z + dz, a.size.z)} * a.size.y : 0;
      for (int dy = -R; dy <= R; ++dy)
        row_[dz + RZ][dy + R] = field + (plane + cell_for(a.edge, y + dy, a.size.y)) * a.pitch;
    }
  }
  /// Neighbours of the cell in column x.
  struct near {
    const near_row& rows;
    int x;
    T operator()(int dy, int dx) const { return (*this)(0, dy, dx); }
    T operator()(int dz, int dy, int dx) const { return rows.row_[dz + RZ][dy + R][x + dx]; }
  };
  near at(int x) const { return {*this, x}; }

 private:
  static constexpr int R = radius_of<S>, RZ = S::dims == 3 ? R : 0;
  const T* row_[2 * RZ + 1][2 * R + 1];
};

}  // namespace dwell
