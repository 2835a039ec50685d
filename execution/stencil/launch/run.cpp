// SPDX-License-Identifier: MIT
// Pitch of rows, and the cells inside a border.
#include "dwell/execution/stencil/launch/run.hpp"

#include <algorithm>

namespace dwell {

int row_pitch(const stencil_kernel& v, const stencil_plan& how, const extents& n,
              std::size_t scalar_bytes) {
  if (engine_of(v, how).shape().caches) return n.x;
  return padded_row(n.x, scalar_bytes);
}

cell_box inner_box(const extents& n, int radius) {
  const auto axis = [&](int cells, int r, int& first, int& last) {
    first = std::min(r, cells);
    last = std::max(first, cells - r);
  };
  cell_box b;
  axis(n.z, n.dims == 3 ? radius : 0, b.z0, b.z1);
  axis(n.y, radius, b.y0, b.y1);
  axis(n.x, radius, b.x0, b.x1);
  return b;
}

}  // namespace dwell
