// SPDX-License-Identifier: MIT
// A team's part of a product with a sliced matrix: a warp takes a slice at a time, its lanes sum
// their elements in order, and lanes that share a row are halved. On a GPU the first steps of the
// next slice are loaded while one is multiplied: most slices have no more of them.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/products/sliced_matrix.hpp"

namespace dwell {

/// Two columns, or two values, of a lane.
template <class V>
struct alignas(8) slice_pair {
  V v[slice_items];
};

/// Some steps of a lane, as loaded.
struct slice_block {
  static constexpr int steps = 4;
  slice_pair<index> col[steps];
  slice_pair<float> val[steps];

  /// From `at` on, as many as there are.
  template <class Team>
  DWELL_FN void load(const sliced_matrix& m, std::ptrdiff_t at, index there) {
    const auto* c = reinterpret_cast<const slice_pair<index>*>(m.col) + at;
    const auto* v = reinterpret_cast<const slice_pair<float>*>(m.val) + at;
    DWELL_UNROLL
    for (int u = 0; u < steps; ++u)
      if (u < there) {
        col[u] = Team::stream_pair(c + u * slice_lanes);
        val[u] = Team::stream_pair(v + u * slice_lanes);
      }
  }
  DWELL_FN float add_to(float sum, const float* in, index there) const {
    float x[steps][slice_items];
    DWELL_UNROLL
    for (int u = 0; u < steps; ++u)
      if (u < there)
        for (int i = 0; i < slice_items; ++i) x[u][i] = in[col[u].v[i]];
    DWELL_UNROLL
    for (int u = 0; u < steps; ++u)
      if (u < there)
        for (int i = 0; i < slice_items; ++i) sum = std::fma(val[u].v[i], x[u][i], sum);
    return sum;
  }
};

/// Where a lane's steps of a slice begin, and how many there are.
struct slice_range {
  index begin = 0, steps = 0;
  slice_range() = default;
  DWELL_FN slice_range(const sliced_matrix& m, index slice)
      : begin(m.begin[slice]), steps(m.begin[slice + 1] - begin) {}
  DWELL_FN std::ptrdiff_t place(int lane, index step = 0) const {
    return (static_cast<std::ptrdiff_t>(begin) + step) * slice_lanes + lane % slice_lanes;
  }
};

/// The sum of a lane, whose first block is there.
template <class Team>
DWELL_FN float lane_sum(const sliced_matrix& m, const float* in, const slice_range& r, int lane,
                        const slice_block& first) {
  float sum = first.add_to(0.0f, in, r.steps);
  for (index k = slice_block::steps; k < r.steps; k += slice_block::steps) {
    slice_block more{};
    more.load<Team>(m, r.place(lane, k), r.steps - k);
    sum = more.add_to(sum, in, r.steps - k);
  }
  return sum;
}

/// All lanes' sums of a slice, for a thread that plays them all: the compiler takes several at a
/// time, each lane's elements in their order.
DWELL_FN void slice_sums(const sliced_matrix& m, const float* in, const slice_range& r, float* to) {
  const std::ptrdiff_t begin = static_cast<std::ptrdiff_t>(r.begin) * slice_step;
  const index* col = m.col + begin;
  const float* val = m.val + begin;
  float sum[slice_lanes] = {};
  for (index k = 0; k < r.steps; ++k, col += slice_step, val += slice_step)
    for (int l = 0; l < slice_lanes; ++l)
      for (int i = 0; i < slice_items; ++i) {
        const int at = l * slice_items + i;
        sum[l] = std::fma(val[at], in[col[at]], sum[l]);
      }
  for (int l = 0; l < slice_lanes; ++l) to[l] = sum[l];
}

/// give(row, sum) for every row of the slices [first, last), by one lane each.
template <class Team, class F>
DWELL_FN void multiply_slices(Team& team, const sliced_matrix& m, const float* in, index first,
                              index last, F&& give) {
  if constexpr (requires { team.reversed(); })  // a thread that plays all lanes
    if (!team.reversed()) {
      team.slices([&](auto& warp, int, int) {
        auto sum = warp.template per_lane<float>();
        for (index slice = first; slice < last; ++slice) {
          slice_sums(m, in, slice_range(m, slice), sum.v);
          if (m.lanes > 1) warp.halve_groups(sum, m.lanes);
          const int rows = m.rows_per_slice();
          const index begin = slice * rows, end = begin + rows < m.rows ? begin + rows : m.rows;
          for (index row = begin; row < end; ++row) give(row, sum.v[(row - begin) * m.lanes]);
        }
      });
      return;
    }
  team.slices([&](auto& warp, int number, int count) {
    index slice = first + number, next = slice + count;
    if (slice >= last) return;
    auto now = warp.template per_lane<slice_block>();
    auto then = warp.template per_lane<slice_block>();
    auto sum = warp.template per_lane<float>();
    const auto load = [&](auto& blocks, const slice_range& r) {
      warp.each([&](int lane) { blocks[lane].template load<Team>(m, r.place(lane), r.steps); });
    };
    slice_range here(m, slice), there;
    if (next < last) there = slice_range(m, next);
    load(now, here);
    for (;;) {
      const bool more = next < last;
      slice_range after;
      if constexpr (Team::batch > 1) {
        if (more) load(then, there);
        if (next + count < last) after = slice_range(m, next + count);
      }
      warp.each([&](int lane) { sum[lane] = lane_sum<Team>(m, in, here, lane, now[lane]); });
      warp.halve_groups(sum, m.lanes);
      warp.each([&](int lane) {
        const int l = lane % slice_lanes;
        const index row = slice * m.rows_per_slice() + l / m.lanes;
        if (l % m.lanes == 0 && row < m.rows) give(row, sum[lane]);
      });
      if (!more) break;
      slice = next, next += count;
      if constexpr (Team::batch > 1) {
        now = then, here = there, there = after;
      } else {
        here = slice_range(m, slice);
        load(now, here);
      }
    }
  });
}

}  // namespace dwell
