// SPDX-License-Identifier: MIT
// The steps that bring a matrix into slices (sliced_matrix.hpp), as functors for setup_loops of
// either backend. A source says what the matrix is:
//
//   struct my_source {
//     index begin(index row) const;  index end(index row) const;   // its elements k
//     index column(index k) const;   float value(index row, index k) const;
//   };
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/products/sliced_matrix.hpp"

namespace dwell::slicing {

/// Per slice: its steps.
template <class Source>
struct count_steps {
  Source from;
  index rows;
  int lanes;
  index* steps;

  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t slice) const {
    const int height = slice_lanes / lanes;
    const index first = static_cast<index>(slice) * height;
    index most = 0;
    for (index row = first; row < first + height && row < rows; ++row) {
      const index n = from.end(row) - from.begin(row);
      most = n > most ? n : most;
    }
    const int per_step = lanes * slice_items;
    steps[slice] = (most + per_step - 1) / per_step;
  }
};

/// Per slice. Padding reads the first column of the slice.
template <class Source>
struct fill_slices {
  Source from;
  sliced_matrix to;
  index* col;
  float* val;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t slice, std::int64_t end,
                           std::int64_t stride) const {
    const int height = to.rows_per_slice();
    for (; slice < end; slice += stride) {
      const index first = static_cast<index>(slice) * height;
      const index begin = to.begin[slice], steps = to.begin[slice + 1] - begin;
      const index pad = steps > 0 ? first_column(first, height) : 0;
      for (int l = w.lane(); l < slice_lanes; l += Warp::lanes) {
        const index row = first + l / to.lanes;
        const bool there = row < to.rows;
        const index last = there ? from.end(row) : 0;
        index k = there ? from.begin(row) + l % to.lanes : 0;
        std::int64_t at = static_cast<std::int64_t>(begin) * slice_step + l * slice_items;
        for (index s = 0; s < steps; ++s, at += slice_step)
          for (int i = 0; i < slice_items; ++i, k += to.lanes) {
            const bool in = there && k < last;
            if (col) col[at + i] = in ? from.column(k) : pad;
            val[at + i] = in ? from.value(row, k) : 0.0f;
          }
      }
    }
  }

 private:
  DWELL_FN index first_column(index first, int height) const {
    for (index row = first; row < first + height && row < to.rows; ++row)
      if (from.begin(row) < from.end(row)) return from.column(from.begin(row));
    return 0;
  }
};

/// Per team, and one more: the slice from which on its share of all steps begins.
struct share_slices {
  sliced_matrix m;
  int teams;
  index* first_slice;

  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t team) const {
    const std::int64_t all = m.begin[m.slices];
    const index wanted = static_cast<index>(all * team / teams);
    index low = 0, high = m.slices;  // the first slice that begins there or after
    while (low < high) {
      const index middle = low + (high - low) / 2;
      if (m.begin[middle] >= wanted)
        high = middle;
      else
        low = middle + 1;
    }
    first_slice[team] = team == teams ? m.slices : low;
  }
};

}  // namespace dwell::slicing
