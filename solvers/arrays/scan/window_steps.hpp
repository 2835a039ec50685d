// SPDX-License-Identifier: MIT
// Sums over windows along an axis, for threads and GPUs: one text, and one order of operations,
// which depends on the sizes alone. The axis is cut into blocks as long as a window, which then
// spans two blocks at most: the end of one and the beginning of the next (van Herk 1992; Gil and
// Werman 1993). Nothing is ever subtracted, so that a cell changes no window but those that hold
// it, and the time does not depend on the window.
#pragma once
#include <cstdint>
#include <type_traits>

#include "dwell/base/fn.hpp"

namespace dwell {

/// Rows that a warp sums at a time.
inline constexpr int window_band = 64;

/// Windows along an axis. Places are its cells and the zeros beyond its ends: the window around
/// cell i begins at place i and ends before place i + size().
struct window_axis {
  std::int64_t cells;
  std::int64_t before, behind;  ///< cells of a window to either side of its own

  /// A window of `size` cells, of an even number one more before its own cell than behind. No more
  /// than the axis has are of use.
  static window_axis of(int cells, int size) {
    const std::int64_t most = cells - 1, before = size / 2, behind = (size - 1) / 2;
    return {cells, before < most ? before : most, behind < most ? behind : most};
  }
  DWELL_HD std::int64_t size() const { return before + 1 + behind; }
  DWELL_HD std::int64_t places() const { return cells + before + behind; }
  /// Blocks consist of bands.
  DWELL_HD std::int64_t blocks() const { return (places() - 1) / size() + 1; }
  DWELL_HD std::int64_t bands_of_block() const { return (size() - 1) / window_band + 1; }
  DWELL_HD std::int64_t bands() const { return blocks() * bands_of_block(); }
  /// Number of cells in the window around a cell.
  DWELL_HD std::int64_t count(std::int64_t cell) const {
    const std::int64_t first = cell < before ? 0 : cell - before,
                       last = cell + behind < cells ? cell + behind : cells - 1;
    return last - first + 1;
  }
};

/// Columns of an image, of which windows are summed down.
template <class From>
struct window_args {
  const From* from;
  double* to;  ///< other memory
  int columns;
  window_axis axis;
  /// Sums for each band, where a block has several: of those before it in its block, and of those
  /// behind it, which first is its own.
  double *before, *behind;
};

/// A running sum and what was rounded off (Knuth's exact sum of two numbers).
class compensated_sum {
 public:
  DWELL_FN void add(double v) {
    const double all = sum_ + v, of_v = all - sum_;
    rest_ += (sum_ - (all - of_v)) + (v - of_v);
    sum_ = all;
  }
  /// The rest of an infinite sum is NaN.
  DWELL_FN double value() const { return rest_ == rest_ ? sum_ + rest_ : sum_; }

 private:
  double sum_ = 0, rest_ = 0;
};

/// A strip of columns: as many as a warp has, from column x on.
template <class From, class Warp>
class window_strip {
 public:
  using group = typename Warp::group;
  DWELL_FN window_strip(Warp& warp, const window_args<From>& a, int x)
      : warp_(warp), a_(a), x_(x) {}

  /// The sums of a band's columns to behind[band].
  DWELL_FN void sum_band(std::int64_t band) {
    const span s = span_of(band);
    each([&](int count, int at) {
      group sum = group::all(0.0);
      for (std::int64_t p = s.begin; p < s.end; ++p) add(sum, p, count, at);
      store(sum, row(a_.behind, band), count, at);
    });
  }
  /// The sums of the bands of a block become those of the bands before and behind each.
  DWELL_FN void fold_block(std::int64_t block) {
    const std::int64_t bands = a_.axis.bands_of_block(), first = block * bands;
    each([&](int count, int at) {
      for (int i = at; i < at + count; ++i) {
        compensated_sum before, behind;
        for (std::int64_t k = first; k < first + bands; ++k) {
          row(a_.before, k)[i] = before.value();
          before.add(row(a_.behind, k)[i]);
        }
        for (std::int64_t k = first + bands - 1; k >= first; --k) {
          const double own = row(a_.behind, k)[i];
          row(a_.behind, k)[i] = behind.value();
          behind.add(own);
        }
      }
    });
  }
  /// Sums, for each place of a band, from there to the end of its block.
  DWELL_FN void sum_ends(std::int64_t band) {
    const span s = span_of(band);
    each([&](int count, int at) {
      group sum = from(a_.behind, band, count, at);
      for (std::int64_t p = s.end - 1; p >= s.begin; --p) {
        add(sum, p, count, at);
        if (p < a_.axis.cells) store(sum, row(a_.to, p), count, at);
      }
    });
  }
  /// Adds, to windows that end in a band, the sum from the beginning of its block, added to that of
  /// the end of the block before.
  DWELL_FN void add_beginnings(std::int64_t band) {
    const span s = span_of(band);
    const std::int64_t size = a_.axis.size();
    each([&](int count, int at) {
      group sum = from(a_.before, band, count, at);
      for (std::int64_t p = s.begin; p < s.end; ++p) {
        add(sum, p, count, at);
        const std::int64_t cell = p - size + 1;
        if (cell < 0) continue;
        double* const to = row(a_.to, cell);
        store(p + 1 == s.end_of_block ? sum : load(to, count, at) + sum, to, count, at);
      }
    });
  }

 private:
  /// Places of a band.
  struct span {
    std::int64_t begin, end, end_of_block;
  };
  DWELL_FN span span_of(std::int64_t band) const {
    const std::int64_t block = band / a_.axis.bands_of_block(),
                       begin =
                           block * a_.axis.size() + band % a_.axis.bands_of_block() * window_band,
                       end_of_block = (block + 1) * a_.axis.size();
    std::int64_t end = begin + window_band;
    if (end > end_of_block) end = end_of_block;
    if (end > a_.axis.places()) end = a_.axis.places();
    return {begin, end, end_of_block};
  }

  /// f(count, column) for each group: so many of its elements are there, from the column on.
  template <class F>
  DWELL_FN void each(F&& f) {
    warp_.each([&](int g) {
      const int at = x_ + Warp::column(g);
      const int left = a_.columns - at;
      if (left > 0) f(left < group::size ? left : group::size, at);
    });
  }
  DWELL_FN void add(group& sum, std::int64_t place, int count, int at) const {
    const std::int64_t cell = place - a_.axis.before;
    if (cell >= 0 && cell < a_.axis.cells) sum = sum + load(row(a_.from, cell), count, at);
  }
  /// What a sum in a band begins with.
  DWELL_FN group from(double* sums, std::int64_t band, int count, int at) const {
    return a_.axis.bands_of_block() > 1 ? load(row(sums, band), count, at) : group::all(0.0);
  }
  template <class V>
  DWELL_FN V* row(V* array, std::int64_t number) const {
    return array + number * a_.columns;
  }
  template <class V>
  static DWELL_FN group load(const V* row, int count, int at) {
    if constexpr (std::is_same_v<V, double>)
      if (count == group::size) return group::load(row + at);
    return group::of([&](int i) { return i < count ? static_cast<double>(row[at + i]) : 0.0; });
  }
  static DWELL_FN void store(const group& v, double* row, int count, int at) {
    if (count == group::size)
      v.store(row + at);
    else
      v.store_some(row + at, 0, count);
  }

  Warp& warp_;
  const window_args<From>& a_;
  int x_;
};

/// What an element becomes on its way to its place in a transposed array.
struct unchanged {
  DWELL_FN double operator()(double v, std::int64_t, std::int64_t) const { return v; }
};
/// The sum of a window around a cell: their mean.
struct mean_of_window {
  window_axis down, across;
  DWELL_FN double operator()(double sum, std::int64_t y, std::int64_t x) const {
    return sum / (static_cast<double>(down.count(y)) * static_cast<double>(across.count(x)));
  }
};

}  // namespace dwell
