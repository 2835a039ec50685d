// SPDX-License-Identifier: MIT
// What a lane must know of the cells of one plane of a block: which of its cells other teams read,
// which keep their values, and which cells of the halo around the plane it fetches for all. The
// same for every plane, so it is computed once.
#pragma once
#include "dwell/execution/stencil/engines/layers.hpp"
#include "dwell/execution/stencil/engines/reference_block3d/plane.hpp"
#include "dwell/execution/stencil/partition/blocks3d.hpp"

namespace dwell {

template <class S, class T>
struct reference_halo {
  static constexpr int R = radius_of<S>, RX = perks_across<S>, RY = perks_down<S>;
  using plane = perks_plane<S>;
  /// Cells of the halo: rows above and below, columns at the sides; a star needs no corners.
  static constexpr int corner = is_star<S> ? 0 : R;
  static constexpr int cells = 2 * R * (plane::width + 2 * corner) + 2 * R * plane::height;
  static constexpr int part = (cells + perks_lanes - 1) / perks_lanes;  ///< cells of a lane

  /// A lane's cells of the halo: where they are published (negative: nowhere), and where they lie
  /// in a plane of the field (which is no larger than all teams' planes together: an int will do).
  struct places {
    int to[part], from[part];
  };

  DWELL_FN static places places_of(const stencil_args<T>& a, const block_subdomain<T>& own, int l) {
    places r;
    const int across = own.nx + 2 * corner, rows = 2 * R * across;
    for (int k = 0; k < part; ++k) {
      const int c = k * perks_lanes + l;
      const bool exists = c < rows + 2 * R * own.ny;
      int y, x;
      if (c < rows) {
        y = c / across - R;
        x = c % across - corner;
        if (y >= 0) y += own.ny;
      } else {
        y = (c - rows) / (2 * R);
        x = (c - rows) % (2 * R) - R;
        if (x >= 0) x += own.nx;
      }
      r.to[k] = exists ? plane::at(y, x) : -1;
      r.from[k] = exists ? own.place(a.edge, own.y0 + y, a.size.y) * a.size.x +
                               own.place(a.edge, own.x0 + x, a.size.x)
                         : own.y0 * a.size.x + own.x0;  // never used; the team's own
    }
    return r;
  }

  /// 8 bits each for the lane's cells: owned by the team, also needed by others, fixed.
  DWELL_FN static unsigned marks_of(const stencil_args<T>& a, const block_subdomain<T>& own,
                                    int l) {
    unsigned m = 0;
    for (int k = 0; k < RX * RY; ++k) {
      const int y = l / 32 * RY + k / RX, x = l % 32 * RX + k % RX;
      if (y >= own.ny || x >= own.nx) continue;
      m |= 1u << k;
      if (y < R || y >= own.ny - R || x < R || x >= own.nx - R) m |= 256u << k;
      const int gy = own.y0 + y, gx = own.x0 + x;
      if (a.edge == boundary::fixed &&
          (gy < a.inner.y0 || gy >= a.inner.y1 || gx < a.inner.x0 || gx >= a.inner.x1))
        m |= 65536u << k;
    }
    return m;
  }
};

}  // namespace dwell
