// SPDX-License-Identifier: MIT
// Rows of a sum of sparse rows, elements of one column added up in the order in which they come.
// Private to the solvers.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "dwell/base/index.hpp"
#include "dwell/execution/team/setup_cpu.hpp"

namespace dwell::aggregation {

inline constexpr std::int64_t rows_of_a_sum = 1 << 15;

/// A sparse matrix whose rows end where the next one begins.
struct summed_rows {
  std::vector<index> row_ptr, col;
  std::vector<double> val;
  index rows() const { return static_cast<index>(row_ptr.size()) - 1; }
  index nonzeros() const { return row_ptr.back(); }
};

/// Adds an element to the row that is being made.
class row_adder {
 public:
  row_adder(std::vector<index>& place_of, index* col, double* val)
      : place_of_(place_of), col_(col), val_(val) {}
  void operator()(index column, double v) {
    index& at = place_of_[static_cast<std::size_t>(column)];
    if (at >= 0 && at < count_ && col_[at] == column) {
      val_[at] += v;
      return;
    }
    at = count_;
    col_[count_] = column;
    val_[count_++] = v;
  }
  index count() const { return count_; }

 private:
  std::vector<index>& place_of_;
  index* col_;
  double* val_;
  index count_ = 0;
};

/// Rows of `columns` columns, in rising order. most(row): how many elements at most are added;
/// add(row, adder): adds them. Both may be called on any thread.
template <class Most, class Add>
summed_rows sum_rows(const cpu::setup_loops& loops, index rows, index columns, Most&& most,
                     Add&& add) {
  const auto n = static_cast<std::size_t>(rows);
  summed_rows out;
  out.row_ptr.assign(n + 1, 0);
  std::vector<std::size_t> room(n + 1, 0);
  for (std::size_t i = 0; i < n; ++i)
    room[i + 1] = room[i] + static_cast<std::size_t>(most(static_cast<index>(i)));
  std::vector<index> col(room[n]);
  std::vector<double> val(room[n]);
  loops.warps(rows, rows_of_a_sum, [&](auto&, std::int64_t begin, std::int64_t end, std::int64_t) {
    std::vector<index> place_of(static_cast<std::size_t>(columns), -1), order;
    std::vector<double> sorted;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      index* const c = col.data() + room[i];
      double* const v = val.data() + room[i];
      row_adder adder(place_of, c, v);
      add(static_cast<index>(i), adder);
      const index count = adder.count();
      order.assign(c, c + count);
      std::sort(order.begin(), order.end());
      sorted.clear();
      for (const index column : order)
        sorted.push_back(v[place_of[static_cast<std::size_t>(column)]]);
      std::copy(order.begin(), order.end(), c);
      std::copy(sorted.begin(), sorted.end(), v);
      out.row_ptr[i + 1] = count;
    }
  });
  for (std::size_t i = 0; i < n; ++i) out.row_ptr[i + 1] += out.row_ptr[i];
  out.col.resize(static_cast<std::size_t>(out.row_ptr[n]));
  out.val.resize(static_cast<std::size_t>(out.row_ptr[n]));
  loops.warps(rows, rows_of_a_sum, [&](auto&, std::int64_t begin, std::int64_t end, std::int64_t) {
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
      const auto from = static_cast<std::ptrdiff_t>(room[i]), to = std::ptrdiff_t{out.row_ptr[i]};
      const std::ptrdiff_t count = out.row_ptr[i + 1] - out.row_ptr[i];
      std::copy_n(col.begin() + from, count, out.col.begin() + to);
      std::copy_n(val.begin() + from, count, out.val.begin() + to);
    }
  });
  return out;
}

}  // namespace dwell::aggregation
