// SPDX-License-Identifier: MIT
// Sums by column on a GPU: a table in shared memory for each group of lanes of
// setup_kernels_cuda.cuh, with the members of row_table_cpu.hpp. All lanes of a group call a member
// together. A host's compiler sees the sizes alone.
#pragma once
#include <cmath>

#include "dwell/base/index.hpp"
#include "dwell/execution/team/setup_kernels_cuda.cuh"

namespace dwell::cuda {

/// Capacity: places, of which three quarters may be taken. Lanes: of a group.
template <int Capacity, int Lanes>
class row_table {
 public:
  static constexpr int capacity = Capacity, most = Capacity / 4 * 3;
  static constexpr int lanes = Lanes;
  /// Threads: with 48 KiB of tables, or 256.
  static constexpr int block = Capacity / Lanes > 16 ? 128 : 256;

#if defined(__CUDACC__)
  DWELL_FN explicit row_table(setup_lanes<Lanes>&) {
    __shared__ index columns[block / Lanes][capacity];
    __shared__ double sums[block / Lanes][capacity];
    column_ = columns[threadIdx.x / Lanes];
    sum_ = sums[threadIdx.x / Lanes];
  }
  DWELL_FN void open(index values) {
    size_ = Lanes;
    while (size_ < capacity && size_ < 2 * values) size_ *= 2;
    __syncwarp(mask());
    for (int i = lane(); i < size_; i += Lanes) column_[i] = -1, sum_[i] = 0.0;
    count_ = 0;
    __syncwarp(mask());
  }
  /// The lanes that add to one column do so in turn.
  DWELL_FN void add(bool on, index column, double x, double y) {
    if (count_ > most) return;
    const unsigned peers = __match_any_sync(mask(), on ? column : -1 - lane());
    const int leader = __ffs(static_cast<int>(peers)) - 1;
    const int me = static_cast<int>(threadIdx.x) % 32;
    int at = 0;
    bool fresh = false;
    if (on && me == leader) at = place_of(column, fresh);
    at = __shfl_sync(mask(), at, leader);
    count_ += __popc(__ballot_sync(mask(), fresh));
    if (count_ > most) return;
    const int turn = __popc(peers & ((1u << me) - 1));
    const int turns = __reduce_max_sync(mask(), __popc(peers));
    for (int t = 0; t < turns; ++t) {
      if (on && t == turn) sum_[at] = std::fma(x, y, sum_[at]);
      __syncwarp(mask());
    }
  }
  DWELL_FN void insert(bool on, index column) {
    if (count_ > most) return;
    bool fresh = false;
    if (on) place_of(column, fresh);
    count_ += __popc(__ballot_sync(mask(), fresh));
  }
  DWELL_FN int count() const { return count_; }
  template <class F>
  DWELL_FN void sorted(F&& f) {
    int n = 0;  // to the front, which has been read by then
    const unsigned before = mask() & ((1u << threadIdx.x % 32) - 1);
    for (int first = 0; first < size_; first += Lanes) {
      const index column = column_[first + lane()];
      const double sum = sum_[first + lane()];
      const unsigned used = __ballot_sync(mask(), column >= 0);
      const int to = n + __popc(used & before);
      __syncwarp(mask());
      if (column >= 0) column_[to] = column, sum_[to] = sum;
      n += __popc(used);
    }
    __syncwarp(mask());
    for (int i = lane(); i < n; i += Lanes) {
      const index column = column_[i];
      int place = 0;
      for (int k = 0; k < n; ++k) place += column_[k] < column;
      f(place, column, sum_[i]);
    }
    __syncwarp(mask());
  }

 private:
  DWELL_FN static int lane() { return static_cast<int>(threadIdx.x) % Lanes; }
  DWELL_FN static unsigned mask() { return setup_lanes<Lanes>::mask(); }
  /// At most so many new columns come at once as there are lanes, for which there is room above
  /// `most`.
  DWELL_FN int place_of(index column, bool& fresh) {
    static_assert(capacity - most > Lanes);
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
#endif
};

}  // namespace dwell::cuda
