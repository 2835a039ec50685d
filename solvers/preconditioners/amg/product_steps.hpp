// SPDX-License-Identifier: MIT
// Sparse products row by row (Gustavson, ACM TOMS 4, 1978), as functors for setup_loops of either
// backend: a warp sums up a row in its table. Two operands say what is multiplied:
//
//   left:  index begin(row), end(row): elements k; index column(k), double value(row, k): the row
//          of the right operand, and what it is multiplied by; a column of -1: nothing.
//   right: index begin(row), end(row); index column(row, k), double value(row, k); -1: left out.
//
// A row's sums are taken in the order of its elements, so that both backends give the same bits.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"

namespace dwell::amg {

/// f(on, column, x, y) for all products of a row, by all lanes together. Without Values x and y are
/// not looked up.
template <bool Values, class Warp, class Left, class Right, class F>
DWELL_FN void for_products(Warp& w, const Left& left, const Right& right, index row, F&& f) {
  const index end = left.end(row);
  for (index first = left.begin(row); first < end; first += Warp::lanes) {
    const index k = first + w.lane();
    index at = -1, from = 0, length = 0;
    double x = 0.0;
    if (k < end) {
      at = left.column(k);
      if (at >= 0) {
        if constexpr (Values) x = left.value(row, k);
        from = right.begin(at);
        length = right.end(at) - from;
      }
    }
    const index before = w.sum_before(length), all = w.sum(length);
    for (index t0 = 0; t0 < all; t0 += Warp::lanes) {
      const index t = t0 + w.lane();
      const bool on = t < all;
      const int owner = w.owner_of(before, on ? t : 0);
      const index other = w.broadcast(at, owner);
      const index place = w.broadcast(from, owner) + t - w.broadcast(before, owner);
      const index column = on ? right.column(other, place) : -1;
      if constexpr (Values) {
        const double factor = w.broadcast(x, owner);
        f(on && column >= 0, column, factor, on ? right.value(other, place) : 0.0);
      } else {
        f(on && column >= 0, column);
      }
    }
  }
}

/// The most products of a row.
template <class Warp, class Left, class Right>
DWELL_FN index products_of(Warp& w, const Left& left, const Right& right, index row) {
  index mine = 0;
  for (index k = left.begin(row) + w.lane(); k < left.end(row); k += Warp::lanes) {
    const index at = left.column(k);
    if (at >= 0) mine += right.end(at) - right.begin(at);
  }
  return w.sum(mine);
}

/// Per row: how many columns it has; `longest` becomes the most of a row.
template <class Table, class Left, class Right>
struct count_columns {
  static constexpr int block = Table::block, lanes = Table::lanes;
  Left left;
  Right right;
  index* count;
  index* longest;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i, std::int64_t end, std::int64_t step) const {
    Table table(w);
    for (; i < end; i += step) {
      const index row = static_cast<index>(i);
      table.open(products_of(w, left, right, row));
      for_products<false>(w, left, right, row,
                          [&](bool on, index column) { table.insert(on, column); });
      if (w.lane() == 0) {
        count[row] = table.count();
        w.raise(*longest, static_cast<index>(table.count()));
      }
    }
  }
};

/// Per row: its columns in order, and put(row, place, column, sum) for each.
template <class Table, class Left, class Right, class Put>
struct fill_columns {
  static constexpr int block = Table::block, lanes = Table::lanes;
  Left left;
  Right right;
  const index* row_ptr;
  index* col;
  Put put;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i, std::int64_t end, std::int64_t step) const {
    Table table(w);
    for (; i < end; i += step) {
      const index row = static_cast<index>(i);
      table.open(products_of(w, left, right, row));
      for_products<true>(w, left, right, row, [&](bool on, index column, double x, double y) {
        table.add(on, column, x, y);
      });
      const index begin = row_ptr[row];
      table.sorted([&](int place, index column, double sum) {
        col[begin + place] = column;
        put(row, begin + place, column, sum);
      });
    }
  }
};

/// Per row, without a count before: its columns in order and their sums, from row_ptr[row] on,
/// where there is room for one per product, and its end. Nothing is put of a row with more columns
/// than a table holds.
template <class Table, class Left, class Right>
struct fill_room {
  static constexpr int block = Table::block, lanes = Table::lanes;
  Left left;
  Right right;
  const index* row_ptr;
  index* row_end;
  index* col;
  double* val;
  index* longest;  ///< becomes the most columns of a row

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i, std::int64_t end, std::int64_t step) const {
    Table table(w);
    for (; i < end; i += step) {
      const index row = static_cast<index>(i);
      table.open(products_of(w, left, right, row));
      for_products<true>(w, left, right, row, [&](bool on, index column, double x, double y) {
        table.add(on, column, x, y);
      });
      const index begin = row_ptr[row], n = static_cast<index>(table.count());
      if (w.lane() == 0) {
        row_end[row] = n > Table::most ? begin : begin + n;
        w.raise(*longest, n);
      }
      if (n <= Table::most)
        table.sorted([&](int place, index column, double sum) {
          col[begin + place] = column;
          val[begin + place] = sum;
        });
    }
  }
};

/// Puts sums into an array.
struct put_sums {
  double* val;
  DWELL_FN void operator()(index, index place, index, double sum) const { val[place] = sum; }
};

}  // namespace dwell::amg
