// SPDX-License-Identifier: MIT
// The steps of scans and summed-area tables, for threads and GPUs: one text, and one order of
// operations, which depends on the number of elements alone.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "dwell/base/fn.hpp"
#include "dwell/solvers/arrays/scan/look_back_flags.hpp"

namespace dwell {

/// Associative operations; none() changes nothing.
template <class T>
struct scan_sum {
  static DWELL_FN T none() { return T(0); }
  static DWELL_FN T of(T a, T b) {
    if constexpr (std::is_integral_v<T>) {  // modulo 2^n, as sums of NumPy are
      using bits = std::make_unsigned_t<T>;
      return static_cast<T>(static_cast<bits>(a) + static_cast<bits>(b));
    } else {
      return a + b;
    }
  }
};
/// A NaN is greater than anything.
template <class T>
struct scan_max {
  static DWELL_FN T none() {
    if constexpr (std::is_floating_point_v<T>)
      return -std::numeric_limits<T>::infinity();
    else
      return std::numeric_limits<T>::lowest();
  }
  static DWELL_FN T of(T a, T b) { return a != a || !(a < b || b != b) ? a : b; }
};

inline constexpr int scan_warps = 8, scan_rows = 8;  ///< warps of a tile, rows of a warp
template <class T>
inline constexpr int scan_row_size = 32 * (16 / static_cast<int>(sizeof(T)));
template <class T>
inline constexpr int scan_tile_size = scan_warps* scan_rows* scan_row_size<T>;

template <class T>
struct scan_args {
  const T* in;
  T* out;  ///< may be `in`
  std::int64_t count;
  bool exclusive;

  DWELL_HD std::int64_t tiles() const { return (count - 1) / scan_tile_size<T> + 1; }
};

/// Elements of a row of `size` that begins at `at`.
DWELL_FN int elements_left(std::int64_t at, std::int64_t count, int size) {
  return at >= count ? 0 : count - at < size ? static_cast<int>(count - at) : size;
}

/// Rows below one another, what comes before each of them, and all of them together.
template <class T, class Warp>
struct scanned_rows {
  typename Warp::row row[scan_rows];
  T before[scan_rows];
};

/// Loads and scans rows from element `at` on, as far as there are elements; returns the total.
template <class Op, class T, class Warp>
DWELL_FN T scan_rows_of(const T* in, std::int64_t at, std::int64_t count,
                        scanned_rows<T, Warp>& r) {
  // All loads are on their way before the first row is scanned.
  DWELL_UNROLL
  for (int k = 0; k < scan_rows; ++k) {
    const std::int64_t from = at + k * Warp::columns;
    const int left = elements_left(from, count, Warp::columns);
    if (left > 0) Warp::load(r.row[k], in + from, left, Op::none());
  }
  T total = Op::none();
  DWELL_UNROLL
  for (int k = 0; k < scan_rows; ++k) {
    r.before[k] = total;
    if (elements_left(at + k * Warp::columns, count, Warp::columns) > 0)
      total = Op::of(total, Warp::template scan<Op>(r.row[k]));
  }
  return total;
}

/// Stores rows from element `at` on, `before` put before them all.
template <class Op, class T, class Warp>
DWELL_FN void store_rows(scanned_rows<T, Warp>& r, T before, T* out, std::int64_t at,
                         std::int64_t count, bool exclusive) {
  DWELL_UNROLL
  for (int k = 0; k < scan_rows; ++k) {
    const std::int64_t from = at + k * Warp::columns;
    const int left = elements_left(from, count, Warp::columns);
    if (left == 0) continue;
    const T all_before = Op::of(before, r.before[k]);
    Warp::template prepend<Op>(r.row[k], all_before);
    if (exclusive) Warp::shift_in(r.row[k], all_before);
    Warp::store(r.row[k], out + from, left);
  }
}

/// A tile by a team. What comes before an element of it: the groups of tiles before, folded from
/// the left, the tiles before in its group, in the order of a warp's scan, the warps and the rows
/// before, folded from the left.
template <class Op, class T, class Team>
DWELL_FN void scan_tile(Team& team, const scan_args<T>& a, std::int64_t tile) {
  using warp = typename Team::warp;
  typename Team::template per_warp<scanned_rows<T, warp>> rows;
  const std::int64_t begin = tile * scan_tile_size<T>;
  T* const totals = team.totals();
  team.warps([&](int w) {
    const T total = scan_rows_of<Op>(a.in, begin + w * scan_rows * warp::columns, a.count, rows[w]);
    Team::put(totals[w], total);
  });
  Team::barrier();
  T aggregate = totals[0];
  for (int w = 1; w < scan_warps; ++w) aggregate = Op::of(aggregate, totals[w]);
  const T before_tile = team.template look_back<Op, scan_group>(tile, aggregate);
  team.warps([&](int w) {
    T before = before_tile;
    for (int k = 0; k < w; ++k) before = Op::of(before, totals[k]);
    store_rows<Op>(rows[w], before, a.out, begin + w * scan_rows * warp::columns, a.count,
                   a.exclusive);
  });
  Team::barrier();  // before `totals` are written again
}

/// A line of a table by itself: a warp takes it from the left.
template <class Op, class T, class Warp>
DWELL_FN void scan_line(const T* in, T* out, std::int64_t count) {
  T before = Op::none();
  for (std::int64_t at = 0; at < count; at += scan_rows * Warp::columns) {
    scanned_rows<T, Warp> rows;
    const T total = scan_rows_of<Op>(in, at, count, rows);
    store_rows<Op>(rows, before, out, at, count, false);
    before = Op::of(before, total);
  }
}

/// Rows of a table that a warp sums down at a time. The sums of bands above one another are folded
/// from the top.
inline constexpr int table_band = 64;

template <class T>
struct table_args {
  T* table;
  int rows, columns;
  T* above;  ///< sums of the columns of each band, then of all bands above it

  DWELL_HD int bands() const { return (rows - 1) / table_band + 1; }
};

/// A strip of columns of a table: as many as a warp has, from column x on.
template <class T, class Warp>
class table_strip {
 public:
  using group = typename Warp::group;
  DWELL_FN table_strip(Warp& warp, const table_args<T>& a, int x) : warp_(warp), a_(a), x_(x) {}

  /// The sums of a band's columns to above[band].
  DWELL_FN void sum_band(int band) {
    each([&](int count, int at) {
      group sum = group::all(T(0));
      for (int y = band * table_band; y < end_of(band); ++y) sum = sum + load(row(y), count, at);
      store(sum, a_.above + band_at(band), count, at);
    });
  }
  /// above[band] becomes the sum of all bands above.
  DWELL_FN void fold_bands() {
    each([&](int count, int at) {
      group sum = group::all(T(0));
      for (int band = 0; band < a_.bands(); ++band) {
        const group own = load(a_.above + band_at(band), count, at);
        store(sum, a_.above + band_at(band), count, at);
        sum = sum + own;
      }
    });
  }
  /// The rows of a band, each added to the one above.
  DWELL_FN void add_down(int band) {
    each([&](int count, int at) {
      group sum = load(a_.above + band_at(band), count, at);
      for (int y = band * table_band; y < end_of(band); ++y) {
        sum = sum + load(row(y), count, at);
        store(sum, row(y), count, at);
      }
    });
  }

 private:
  /// f(count, column) for each group: so many of its elements are in the table, from the column on.
  template <class F>
  DWELL_FN void each(F&& f) {
    warp_.each([&](int g) {
      const int at = x_ + Warp::column(g);
      const int left = a_.columns - at;
      if (left > 0) f(left < group::size ? left : group::size, at);
    });
  }
  static DWELL_FN group load(const T* p, int count, int at) {
    return count == group::size ? group::load(p + at)
                                : group::of([&](int i) { return i < count ? p[at + i] : T(0); });
  }
  static DWELL_FN void store(const group& v, T* p, int count, int at) {
    if (count == group::size)
      v.store(p + at);
    else
      v.store_some(p + at, 0, count);
  }
  DWELL_FN std::int64_t band_at(int band) const {
    return static_cast<std::int64_t>(band) * a_.columns;
  }
  DWELL_FN T* row(int y) const { return a_.table + static_cast<std::int64_t>(y) * a_.columns; }
  DWELL_FN int end_of(int band) const {
    const int end = (band + 1) * table_band;
    return end < a_.rows ? end : a_.rows;
  }

  Warp& warp_;
  const table_args<T>& a_;
  int x_;
};

}  // namespace dwell
