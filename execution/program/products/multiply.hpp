// SPDX-License-Identifier: MIT
// A team's part of a product with a sliced matrix: a warp takes a slice at a time, its lanes sum
// their elements in order, and lanes that share a row are halved. The loads of several steps are
// under way at once.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/execution/program/products/sliced_matrix.hpp"

namespace dwell {

/// Two columns, or two values, of a lane.
template <class V>
struct alignas(8) slice_pair {
  V v[slice_items];
};

/// give(row, sum) for every row of the slices [first, last), by one lane each.
template <class Team, class F>
DWELL_FN void multiply_slices(Team& team, const sliced_matrix& m, const float* in, index first,
                              index last, F&& give) {
  constexpr int at_once = 4;  // steps
  const auto* cols = reinterpret_cast<const slice_pair<index>*>(m.col);
  const auto* vals = reinterpret_cast<const slice_pair<float>*>(m.val);
  team.slices([&](auto& warp, int number, int count) {
    auto sum = warp.template per_lane<float>();
    for (index s = first + number; s < last; s += count) {
      const index begin = m.begin[s], steps = m.begin[s + 1] - begin;
      warp.each([&](int lane) {
        const int l = lane % slice_lanes;
        const std::ptrdiff_t at = static_cast<std::ptrdiff_t>(begin) * slice_lanes + l;
        float acc = 0;
        for (index k = 0; k < steps; k += at_once) {
          slice_pair<index> c[at_once];
          slice_pair<float> v[at_once];
          DWELL_UNROLL
          for (int u = 0; u < at_once; ++u)
            if (k + u < steps) {
              c[u] = Team::stream_pair(cols + at + (k + u) * slice_lanes);
              v[u] = Team::stream_pair(vals + at + (k + u) * slice_lanes);
            }
          float x[at_once][slice_items];
          DWELL_UNROLL
          for (int u = 0; u < at_once; ++u)
            if (k + u < steps)
              for (int i = 0; i < slice_items; ++i) x[u][i] = in[c[u].v[i]];
          DWELL_UNROLL
          for (int u = 0; u < at_once; ++u)
            if (k + u < steps)
              for (int i = 0; i < slice_items; ++i) acc = std::fma(v[u].v[i], x[u][i], acc);
        }
        sum[lane] = acc;
      });
      warp.halve_groups(sum, m.lanes);
      warp.each([&](int lane) {
        const int l = lane % slice_lanes;
        const index row = s * m.rows_per_slice() + l / m.lanes;
        if (l % m.lanes == 0 && row < m.rows) give(row, sum[lane]);
      });
    }
  });
}

}  // namespace dwell
