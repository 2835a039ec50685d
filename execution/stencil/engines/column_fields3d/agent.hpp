// SPDX-License-Identifier: MIT
// Engine column_fields3d: passes of several steps over all fields of a stencil, in three
// dimensions. A team has a tile of columns and goes along z with it (2.5-D blocking: Nguyen et al.
// 2010). A tile is wider and higher than the cells that it owns, and a run of planes goes on beyond
// both of its ends, by what is lost in the steps: teams compute that twice and exchange nothing.
#pragma once
#include "dwell/execution/stencil/engines/column_fields3d/lane.hpp"

namespace dwell {

/// A turn of one lane, which meets the others after each tick.
template <bool Plain, class Lane, class Meet>
DWELL_FN void turn_of_lane(Lane& lane, Meet& meet) {
  unrolled<0, Lane::turn>([&](auto) {
    lane.template tick<Plain>();
    meet();
  });
}

/// One team's part of a pass, by one of its lanes.
template <class S, class T, columns_config C, pass_demands D = pass_demands{}, class Meet>
DWELL_FN void fields_columns_of_lane(const fields_columns<T>& a, T* scratch, int team, int lane,
                                     Meet meet) {
  columns_lane<S, T, C, D> one(a, scratch, team, lane);
  while (one.open()) {
    while (one.more()) {
#pragma unroll 1
      while (one.more() && one.is_plain()) turn_of_lane<true>(one, meet);
#pragma unroll 1
      while (one.more() && !one.is_plain()) turn_of_lane<false>(one, meet);
    }
  }
}

}  // namespace dwell
