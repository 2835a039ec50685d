// SPDX-License-Identifier: MIT
// Sums by column for the rows of sparse products on the host, without hashing: a place per column,
// which need not be cleared between rows (Gustavson 1978; the sparse set of Briggs and Torczon 1993).
// The values of a column are added in the order in which they come, as in row_table.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dwell/base/index.hpp"

namespace dwell::cpu {

class column_sums {
 public:
  static constexpr int most = 768;  ///< columns of a row, as of the largest row_table

  void open() { count_ = 0; }
  /// Column's sum becomes x y + sum.
  void add(index column, double x, double y) {
    const auto c = static_cast<std::size_t>(column);
    if (c >= place_.size()) [[unlikely]]
      place_.resize(std::max(2 * place_.size(), c + 1));
    const int at = place_[c];
    if (at < count_ && column_[at] == column) {
      sum_[at] = std::fma(x, y, sum_[at]);
    } else if (count_ <= most) {
      place_[c] = count_;
      column_[count_] = column;
      sum_[count_++] = std::fma(x, y, 0.0);
    }
  }
  /// Number of different columns; more than `most`: there is no room for so many.
  int count() const { return count_; }
  /// f(column, sum) for all, in the order of columns.
  template <class F>
  void sorted(F&& f) {
    constexpr int few = 24;
    for (int i = 0; i < count_; ++i) {
      const std::uint64_t one = static_cast<std::uint64_t>(column_[i]) << 32 |
                                static_cast<std::uint32_t>(i);
      int at = i;
      if (count_ <= few)
        for (; at > 0 && order_[at - 1] > one; --at) order_[at] = order_[at - 1];
      order_[at] = one;
    }
    if (count_ > few) std::sort(order_, order_ + count_);
    for (int i = 0; i < count_; ++i)
      f(static_cast<index>(order_[i] >> 32), sum_[order_[i] & 0xffffffffu]);
  }

 private:
  int count_ = 0;
  std::vector<int> place_;  ///< per column: where it may be among those of the row
  index column_[most + 1];
  double sum_[most + 1];
  std::uint64_t order_[most + 1];
};

}  // namespace dwell::cpu
