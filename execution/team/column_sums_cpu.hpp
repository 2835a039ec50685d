// SPDX-License-Identifier: MIT
// Sums by column for the rows of sparse products on the host, without hashing: a place per column,
// which need not be cleared between rows (Gustavson 1978; the sparse set of Briggs and Torczon
// 1993). The values of a column are added in the order in which they come, as in row_table.
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
    const int at = slot_of(column);
    sum_[at] = std::fma(x, y, sum_[at]);
  }
  /// Column's sum, and where `part` its second one too.
  void add_with_part(index column, double x, double y, bool part) {
    const int before = count_, at = slot_of(column);
    sum_[at] = std::fma(x, y, sum_[at]);
    if (count_ > before) part_[at] = 0.0, has_part_[at] = false;
    if (part) part_[at] = std::fma(x, y, part_[at]), has_part_[at] = true;
  }
  /// Number of different columns; more than `most`: there is no room for so many.
  int count() const { return count_; }
  /// f(column, sum, second sum) for all, in the order in which they came; null: no part came.
  template <class F>
  void each_with_part(F&& f) const {
    for (int i = 0; i < count_; ++i) f(column_[i], sum_[i], has_part_[i] ? part_ + i : nullptr);
  }
  /// f(column, sum) for all, in the order of columns.
  template <class F>
  void sorted(F&& f) {
    constexpr int few = 24;
    for (int i = 0; i < count_; ++i) {
      const std::uint64_t one =
          static_cast<std::uint64_t>(column_[i]) << 32 | static_cast<std::uint32_t>(i);
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
  /// Where the column's sum is; columns that there is no room for share the last slot.
  int slot_of(index column) {
    const auto c = static_cast<std::size_t>(column);
    if (c >= place_.size()) [[unlikely]]
      place_.resize(std::max(2 * place_.size(), c + 1));
    const int at = place_[c];
    if (at < count_ && column_[at] == column) return at;
    if (count_ > most) return most;
    place_[c] = count_;
    column_[count_] = column;
    sum_[count_] = 0.0;
    return count_++;
  }

  int count_ = 0;
  std::vector<int> place_;  ///< per column: where it may be among those of the row
  index column_[most + 1];
  double sum_[most + 1], part_[most + 1];
  bool has_part_[most + 1];
  std::uint64_t order_[most + 1];
};

}  // namespace dwell::cpu
