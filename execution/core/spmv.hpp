// SPDX-License-Identifier: MIT
// Merge-based SpMV (Merrill and Garland, SC 2016) as a member of store: two texts for one cut of
// the merge path. By tiles: lanes share the loads of a tile, then each walks its own equal part of
// the merge path, whose turns were recorded once (partition.hpp), so that no lane searches, no row
// pointers are read, and the products it needs are known before any of them has arrived. By rows:
// one lane walks the team's whole part; made for CPUs.
#pragma once
#include "dwell/execution/core/partition.hpp"
#include "dwell/execution/core/store.hpp"

namespace dwell {

template <class P, class T, class Team, int Items>
template <int In, int Out, int Sum>
DWELL_FN void store<P, T, Team, Items>::spmv(adds_to<Sum>) {
  static_assert(P::uses[In] == use::gather && P::uses[Out] == use::own);
  if constexpr (Items > 0)
    spmv_tiles<In, Out, Sum>();
  else
    spmv_rows<In, Out, Sum>();
}

/// The sum of val[k] * p[col[k]] over [k, end): four partial sums in turn, since one chain of
/// additions would wait for itself.
template <class T>
DWELL_FN T row_sum(const T* val, const index* col, const T* p, index k, index end) {
  T s0 = T(0), s1 = T(0), s2 = T(0), s3 = T(0);
  for (; k + 4 <= end; k += 4) {
    s0 = std::fma(val[k], p[col[k]], s0);
    s1 = std::fma(val[k + 1], p[col[k + 1]], s1);
    s2 = std::fma(val[k + 2], p[col[k + 2]], s2);
    s3 = std::fma(val[k + 3], p[col[k + 3]], s3);
  }
  for (; k < end; ++k) s0 = std::fma(val[k], p[col[k]], s0);
  return (s0 + s1) + (s2 + s3);
}

template <class P, class T, class Team, int Items>
template <int In, int Out, int Sum>
DWELL_FN void store<P, T, Team, Items>::spmv_rows() {
  auto dot = team_.template per_lane<sums<1>>();
  team_.each([&](int lane) { dot[lane].v[0] = 0.0; });
  team_.once([&] {
    const auto& m = a_.matrix;
    const T* p = a_.vectors[In];
    T* q = a_.vectors[Out];
    const merge_coordinate begin = a_.tile_begin[team_.worker()],
                           end = a_.tile_begin[team_.worker() + 1];
    double sum = 0.0;
    index k = begin.nonzero;
    for (index row = begin.row; row < end.row; ++row) {
      const index stop = m.row_ptr[row + 1];
      const T y = row_sum(m.val, m.col, p, k, stop);
      q[row] = y;
      sum += static_cast<double>(y) * static_cast<double>(p[row]);
      k = stop;
    }
    T carry = T(0);
    if (k < end.nonzero) {
      carry = row_sum(m.val, m.col, p, k, end.nonzero);
      sum += static_cast<double>(carry) * static_cast<double>(p[end.row]);
    }
    a_.carry[team_.worker()] = carry;
    dot[0].v[0] = sum;
  });
  give<Sum>(dot);
}

template <class P, class T, class Team, int Items>
template <int In, int Out, int Sum>
DWELL_FN void store<P, T, Team, Items>::spmv_tiles() {
  struct share {
    T v[Items];
  };
  constexpr int lanes = Team::lanes();
  const T* p = a_.vectors[In];
  T* q = a_.vectors[Out];
  T* box = box_;
  auto dot = team_.template per_lane<sums<1>>();
  auto head = team_.template per_lane<T>();    // of the first row that ends in the lane: its part
  auto tail = team_.template per_lane<T>();    // what the lane leaves for a later one
  auto before = team_.template per_lane<T>();  // what earlier lanes leave for this one
  auto ended = team_.template per_lane<bool>();
  auto path = team_.template per_lane<std::uint32_t>();
  team_.each([&](int lane) { dot[lane].v[0] = 0.0; });

  T carry = T(0);  // of the row that the previous tile left open
  const std::size_t first = static_cast<std::size_t>(team_.worker()) * a_.tiles;
  merge_coordinate begin = a_.tile_begin[first];
  for (int tile = 0; tile < a_.tiles; ++tile) {
    const merge_coordinate end = a_.tile_begin[first + tile + 1];
    const int nonzeros = end.nonzero - begin.nonzero, rows = end.row - begin.row;
    // Products of the tile into the box: [0, nonzeros). All loads before the first use.
    team_.section([&](int lane) {
      path[lane] = Team::stream(a_.lane_path + (first + tile) * lanes + lane);
      const T* val = a_.matrix.val + begin.nonzero;
      const index* col = a_.matrix.col + begin.nonzero;
      index c[Items];
      share v, x;
      DWELL_UNROLL
      for (int j = 0; j < Items; ++j) {
        const int k = lane + j * lanes;
        c[j] = k < nonzeros ? Team::stream(col + k) : 0;
        v.v[j] = k < nonzeros ? Team::stream(val + k) : T(0);
      }
      DWELL_UNROLL
      for (int j = 0; j < Items; ++j) x.v[j] = p[c[j]];
      DWELL_UNROLL
      for (int j = 0; j < Items; ++j) {
        const int k = lane + j * lanes;
        if (k < nonzeros) box[k] = v.v[j] * x.v[j];
      }
    });
    // Every lane walks its items; the sums of rows that end go to box[nonzeros + row].
    team_.each([&](int lane) {
      const std::uint32_t turns = path[lane];
      const int start = lane * a_.items, left = nonzeros + rows - start;
      const int mine = left < a_.items ? left : a_.items;  // may be negative
      int row = static_cast<int>(turns >> path_bits), k = start - row;
      T acc = lane == 0 ? carry : T(0);
      bool any = false;
      head[lane] = T(0);
      DWELL_UNROLL
      for (int j = 0; j < Items; ++j)
        if (j < mine) {
          if (turns >> j & 1u) {
            if (any)
              box[nonzeros + row] = acc;
            else
              head[lane] = acc;
            any = true;
            acc = T(0);
            ++row;
          } else {
            acc += box[k++];
          }
        }
      ended[lane] = any;
      tail[lane] = acc;
    });
    carry = team_.carries(tail, ended, before);
    team_.section([&](int lane) {
      if (ended[lane])
        box[nonzeros + static_cast<int>(path[lane] >> path_bits)] = head[lane] + before[lane];
    });
    team_.section([&](int lane) {
      for (int i = lane; i < rows; i += lanes) {
        const T y = box[nonzeros + i];
        q[begin.row + i] = y;
        dot[lane].v[0] += static_cast<double>(y) * static_cast<double>(p[begin.row + i]);
      }
    });
    begin = end;
  }
  team_.each([&](int lane) {
    if (lane != 0) return;
    a_.carry[team_.worker()] = carry;
    if (begin.row < a_.matrix.rows)
      dot[lane].v[0] += static_cast<double>(carry) * static_cast<double>(p[begin.row]);
  });
  give<Sum>(dot);
}

}  // namespace dwell
