// SPDX-License-Identifier: MIT
// Sources and receivers of fields that stay on the chip. Points are sorted by teams, lanes and
// cells (args.hpp), and a lane looks for its own ones once. Behind the last stage of a step, and
// before others get the new values, it adds sources to its registers, in the order of the list, one
// addition each, and writes receivers. Every lane that computes a copy of a cell adds its sources,
// those of halos, too; the owner's lane alone writes receivers.
#pragma once
#include "dwell/execution/stencil/engines/resident_fields/cells.hpp"
#include "dwell/execution/stencil/engines/resident_fields/region.hpp"

namespace dwell {

/// The points of a lane, in the list.
struct lane_points {
  int first = 0, end = 0;
  DWELL_FN bool any() const { return first < end; }

  /// Those of columns from `first` on to before `last`, of a team.
  template <class T>
  DWELL_FN static lane_points of(const resident_points<T>& all, int team, int first, int last) {
    const int from = all.first[team], behind = all.first[team + 1];
    return {find(all.list, from, behind, first), find(all.list, from, behind, last)};
  }

 private:
  DWELL_FN static int find(const strip_point* list, int from, int behind, int column) {
    while (from < behind) {
      const int middle = (from + behind) / 2;
      if (list[middle].column < column)
        from = middle + 1;
      else
        behind = middle;
    }
    return from;
  }
};

/// After step `step` of a run. column: that of the lane's first cell.
template <class S, class T, resident_config C>
DWELL_FN void visit_points(const resident_points<T>& all, const lane_points& here, int column,
                           int step, resident_cells<S, T, C>& own) {
  constexpr int cells = C.across * C.rows * C.deep;
#if defined(__CUDACC__)
#pragma unroll 1
#endif
  for (int i = here.first; i < here.end; ++i) {
    const strip_point p = all.list[i];
    const int cell = p.column - column;
    const std::int64_t at =
        p.values.at + (p.values.receives ? step : all.step + step) * p.values.stride;
    // Chosen, not indexed: registers have no addresses.
    if (p.values.receives) {
      T value{};
      DWELL_UNROLL
      for (int f = 0; f < S::fields; ++f) {
        DWELL_UNROLL
        for (int k = 0; k < cells; ++k)
          value = p.values.field == f && cell == k ? own.v[f][k] : value;
      }
      all.record[at] = value;
    } else {
      const T add = all.series[at];
      DWELL_UNROLL
      for (int f = 0; f < S::fields; ++f) {
        DWELL_UNROLL
        for (int k = 0; k < cells; ++k)
          own.v[f][k] = p.values.field == f && cell == k ? own.v[f][k] + add : own.v[f][k];
      }
    }
  }
}

}  // namespace dwell
