// SPDX-License-Identifier: MIT
// The sizes of engine column_fields3d, for a stencil S to the contract of ring_fields2d/sizes.hpp
// and fields/plain_step.hpp, whose taps have planes, too.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/execution/stencil/engines/column_fields3d/columns_shape.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/sizes.hpp"
#include "dwell/execution/stencil/partition/strips.hpp"
#include "dwell/stencil/side_kind.hpp"

namespace dwell {

/// Whether cells that are not fixed read beyond a side of an axis (y, x, z), where other cells or
/// constants stand for what is there.
template <class S>
constexpr bool reads_beyond(int axis, int side) {
  const side_kind kind = S::beyond(0, axis, side);
  return kind != side_kind::fixed && kind != side_kind::periodic && S::reach[axis] > 0;
}

template <class S, int Stage = 0>
constexpr void set_columns_taps(columns_shape& shape) {
  if constexpr (Stage < S::stages) {
    shape.set_taps(Stage, S::template taps<Stage>());
    set_columns_taps<S, Stage + 1>(shape);
  }
}
/// What the engine has to know of S.
template <class S>
inline constexpr columns_shape columns_shape_of = [] {
  columns_shape shape;
  shape.fields = S::fields, shape.coefficients = S::coefficients, shape.stages = S::stages;
  shape.is_mirrored_along_z = reads_beyond<S>(2, 0) || reads_beyond<S>(2, 1);
  for (int f = 0; f < S::fields; ++f) shape.copy_of[f] = S::template copy_of<0>(f);
  set_columns_taps<S>(shape);
  return shape;
}();

/// The tiles of a field: they overlap along x and y by the halos that the steps of a pass lose.
struct columns_tiles {
  overlapping_strips x, y;

  /// around_x, around_y: the axis is a ring.
  DWELL_HD static columns_tiles of(const columns_numbers& n, int nx, int ny, bool around_x,
                                   bool around_y) {
    return {{n.width(), n.halo_x(), nx, around_x}, {n.height(), n.halo_y(), ny, around_y}};
  }
  DWELL_HD int count() const { return x.count() * y.count(); }
  /// Divides the tiles among `a.teams` teams.
  template <class Args>
  void divide(Args& a) const {
    a.whole = count() / a.teams;
    const std::int64_t planes = (count() - a.whole * a.teams) * std::int64_t{a.n[2]};
    for (int t = 0; t <= a.teams; ++t) a.runs.cut[t] = static_cast<int>(planes * t / a.teams);
  }
};

}  // namespace dwell
