// SPDX-License-Identifier: MIT
// Sums by column on a GPU: one table in shared memory per warp of setup_cuda.cuh, with the members
// of row_table_cpu.hpp. All lanes of a warp call a member together.
#pragma once
#include <cmath>

#include "dwell/base/index.hpp"
#include "dwell/execution/team/setup_cuda.cuh"

namespace dwell::cuda {

/// Capacity: places, of which three quarters may be taken.
template <int Capacity>
class row_table {
 public:
  static constexpr int capacity = Capacity, most = Capacity / 4 * 3;
  static constexpr int block = Capacity > 512 ? 128 : 256;  ///< threads: 48 KiB of tables

  DWELL_FN explicit row_table(setup_warp&) {
    __shared__ index columns[block / 32][capacity];
    __shared__ double sums[block / 32][capacity];
    column_ = columns[threadIdx.x / 32];
    sum_ = sums[threadIdx.x / 32];
  }
  DWELL_FN void open(index values) {
    size_ = 32;
    while (size_ < capacity && size_ < 2 * values) size_ *= 2;
    __syncwarp();
    for (int i = lane(); i < size_; i += 32) column_[i] = -1, sum_[i] = 0.0;
    count_ = 0;
    __syncwarp();
  }
  /// The lanes that add to one column do so in turn.
  DWELL_FN void add(bool on, index column, double x, double y) {
    if (count_ > most) return;
    const unsigned peers = __match_any_sync(~0u, on ? column : -1 - lane());
    const int leader = __ffs(static_cast<int>(peers)) - 1;
    int at = 0;
    bool fresh = false;
    if (on && lane() == leader) at = place_of(column, fresh);
    at = __shfl_sync(~0u, at, leader);
    count_ += __popc(__ballot_sync(~0u, fresh));
    if (count_ > most) return;
    const int turn = __popc(peers & ((1u << lane()) - 1));
    const int turns = __reduce_max_sync(~0u, __popc(peers));
    for (int t = 0; t < turns; ++t) {
      if (on && t == turn) sum_[at] = std::fma(x, y, sum_[at]);
      __syncwarp();
    }
  }
  DWELL_FN int count() const { return count_; }
  template <class F>
  DWELL_FN void sorted(F&& f) {
    int n = 0;  // to the front, which has been read by then
    for (int first = 0; first < size_; first += 32) {
      const index column = column_[first + lane()];
      const double sum = sum_[first + lane()];
      const unsigned used = __ballot_sync(~0u, column >= 0);
      const int to = n + __popc(used & ((1u << lane()) - 1));
      __syncwarp();
      if (column >= 0) column_[to] = column, sum_[to] = sum;
      n += __popc(used);
    }
    __syncwarp();
    for (int i = lane(); i < n; i += 32) {
      const index column = column_[i];
      int place = 0;
      for (int k = 0; k < n; ++k) place += column_[k] < column;
      f(place, column, sum_[i]);
    }
    __syncwarp();
  }

 private:
  DWELL_FN static int lane() { return static_cast<int>(threadIdx.x) % 32; }
  /// At most 32 new columns come at once, which the room above `most` holds.
  DWELL_FN int place_of(index column, bool& fresh) {
    int at = static_cast<int>(static_cast<unsigned>(column) * 2654435769u >> 16) & (size_ - 1);
    for (;;) {
      const index before = atomicCAS(column_ + at, -1, column);
      if (before == -1) fresh = true;
      if (before == -1 || before == column) return at;
      at = (at + 1) & (size_ - 1);
    }
  }

  index* column_;
  double* sum_;
  int size_ = 0, count_ = 0;
};

}  // namespace dwell::cuda
