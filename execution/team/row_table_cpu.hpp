// SPDX-License-Identifier: MIT
// Sums by column, for the rows of sparse products that a set-up makes: on the host, by the one lane
// of setup_warp. See row_table_cuda.cuh for the members on a GPU: both add up the values of a
// column in the order in which they come, so that both give the same bits.
#pragma once
#include <algorithm>
#include <cmath>

#include "dwell/base/index.hpp"
#include "dwell/execution/team/setup_cpu.hpp"

namespace dwell::cpu {

template <int Capacity, int Lanes>
class row_table {
 public:
  static constexpr int lanes = Lanes;  ///< lanes of a GPU
  static constexpr int capacity = Capacity;
  static constexpr int most = Capacity / 4 * 3;  ///< columns of a row
  static constexpr int block = 1;
  explicit row_table(setup_warp&) {}

  /// For a row of at most so many values.
  void open(index values) {
    size_ = 32;
    while (size_ < capacity && size_ < 2 * values) size_ *= 2;
    std::fill(column_, column_ + size_, -1);
    count_ = 0;
  }
  /// Column's sum becomes x y + sum, where `on`. All lanes call it together.
  void add(bool on, index column, double x, double y) {
    if (!on || count_ > most) return;
    int at = static_cast<int>(static_cast<unsigned>(column) * 2654435769u >> 16) & (size_ - 1);
    while (column_[at] != column && column_[at] >= 0) at = (at + 1) & (size_ - 1);
    if (column_[at] < 0) {
      if (++count_ > most) return;
      column_[at] = column;
      sum_[at] = 0.0;
    }
    sum_[at] = std::fma(x, y, sum_[at]);
  }
  /// The column alone, where only the count is wanted.
  void insert(bool on, index column) { add(on, column, 0.0, 0.0); }
  /// Number of different columns; more than `most`: there is no room for so many.
  int count() const { return count_; }
  /// f(place, column, sum) for all, place 0 being that of the smallest column.
  template <class F>
  void sorted(F&& f) {
    int n = 0;
    for (int i = 0; i < size_; ++i)
      if (column_[i] >= 0) column_[n] = column_[i], sum_[n] = sum_[i], order_[n] = n, ++n;
    std::sort(order_, order_ + n, [&](int a, int b) { return column_[a] < column_[b]; });
    for (int i = 0; i < n; ++i) f(i, column_[order_[i]], sum_[order_[i]]);
  }

 private:
  int size_ = 0, count_ = 0;
  index column_[capacity];
  double sum_[capacity];
  int order_[capacity];
};

}  // namespace dwell::cpu
