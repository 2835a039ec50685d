// SPDX-License-Identifier: MIT
// Private to formats: entries in any order become CSR. The entries are scattered, in input order,
// into buckets of neighbouring rows that fit a cache; each bucket is then sorted by row and column
// and its duplicates summed. Every step is stable, so the result depends on the input alone, never
// on the number of threads; columns that arrive ascending (the order of most files) are not sorted.
#pragma once
#include <algorithm>
#include <atomic>
#include <complex>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell::detail {

template <class T>
struct cell {
  index row;
  index col;
  T val;
};

/// Whether each entry off the diagonal stands for its mirror image too, and what that is of it.
enum class mirror { none, same, negated, conjugated };

template <class T>
T image_of(T v, mirror how) {
  if constexpr (requires { v.imag(); })
    if (how == mirror::conjugated) return std::conj(v);
  return how == mirror::negated ? -v : v;
}

/// Stable sort of one row by column.
template <class T>
void sort_row(index* col, T* val, std::int64_t n, std::vector<std::pair<index, T>>& spare) {
  constexpr std::int64_t insertion = 32;  // longest row sorted in place (reasoned)
  if (n <= insertion) {
    for (std::int64_t k = 1; k < n; ++k) {
      const index c = col[k];
      const T v = val[k];
      std::int64_t j = k;
      for (; j > 0 && col[j - 1] > c; --j) col[j] = col[j - 1], val[j] = val[j - 1];
      col[j] = c;
      val[j] = v;
    }
    return;
  }
  spare.resize(static_cast<std::size_t>(n));
  for (std::int64_t k = 0; k < n; ++k) spare[static_cast<std::size_t>(k)] = {col[k], val[k]};
  std::stable_sort(spare.begin(), spare.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (std::int64_t k = 0; k < n; ++k)
    std::tie(col[k], val[k]) = spare[static_cast<std::size_t>(k)];
}

/// Sorts entries [begin, end) of one row, sums its duplicates in input order and leaves what
/// remains at `to` <= begin. Returns the end of what remains.
template <class T>
std::int64_t tidy_row(index* col, T* val, std::int64_t begin, std::int64_t end, std::int64_t to,
                      std::vector<std::pair<index, T>>& spare) {
  bool ascending = true, strictly = true;
  for (std::int64_t k = begin + 1; k < end; ++k) {
    ascending &= col[k - 1] <= col[k];
    strictly &= col[k - 1] < col[k];
  }
  if (strictly && to == begin) return end;
  if (!ascending) sort_row(col + begin, val + begin, end - begin, spare);
  const std::int64_t first = to;
  for (std::int64_t k = begin; k < end; ++k) {
    if (to > first && col[to - 1] == col[k]) {
      val[to - 1] += val[k];
    } else {
      col[to] = col[k];
      val[to] = val[k];
      ++to;
    }
  }
  return to;
}

/// Source: size() entries, and visit(begin, end, f) calls f(row, col, val) for those numbered
/// [begin, end) in input order, 0-based and in range (visit may throw instead, in both passes).
template <class T, class Source>
class assembly {
 public:
  assembly(index rows, index cols, const Source& source, mirror reflect, int threads)
      : rows_(rows), source_(source), reflect_(reflect) {
    // 8192 entries of 16 bytes are 128 KiB, an L2 cache's part; more than 1024 streams written at
    // once overrun the TLB (both reasoned).
    const std::int64_t most = std::clamp<std::int64_t>(source.size() / 8192, 1, 1024);
    while (((static_cast<std::int64_t>(rows) - 1) >> shift_) >= most) ++shift_;
    buckets_ = rows > 0 ? ((rows - 1) >> shift_) + 1 : 1;
    const std::int64_t useful = threads > 0 ? source.size() : source.size() / 16384 + 1;
    parts_ = static_cast<int>(std::clamp<std::int64_t>(threads > 0 ? threads : default_threads(), 1,
                                                       std::max<std::int64_t>(useful, 1)));
    out_.rows = rows;
    out_.cols = cols;
  }

  csr<T> run() {
    count();
    scatter();
    sort_buckets();
    close_gaps();
    return std::move(out_);
  }

 private:
  template <class F>
  void each_cell(int part, F&& f) const {
    const auto [begin, end] = piece<std::int64_t>(source_.size(), part, parts_);
    source_.visit(begin, end, [&](index r, index c, T v) {
      f(r, c, v);
      if (reflect_ != mirror::none && r != c) f(c, r, image_of(v, reflect_));
    });
  }

  /// place_[part * buckets + b]: where part's first cell of bucket b goes.
  void count() {
    const auto buckets = static_cast<std::size_t>(buckets_);
    place_.assign(static_cast<std::size_t>(parts_) * buckets, 0);
    for_parts(parts_, [&](int part) {
      std::vector<std::int64_t> mine(buckets, 0);
      each_cell(part, [&](index r, index, T) { ++mine[static_cast<std::size_t>(r >> shift_)]; });
      std::copy(mine.begin(), mine.end(),
                place_.begin() + part * static_cast<std::int64_t>(buckets_));
    });
    start_.resize(buckets + 1);
    std::int64_t sum = 0;
    for (std::size_t b = 0; b < buckets; ++b) {
      start_[b] = sum;
      for (std::size_t part = 0; part < static_cast<std::size_t>(parts_); ++part)
        sum += std::exchange(place_[part * buckets + b], sum);
    }
    start_[buckets] = sum;
  }

  void scatter() {
    cells_ = std::make_unique_for_overwrite<cell<T>[]>(static_cast<std::size_t>(start_.back()));
    for_parts(parts_, [&](int part) {
      const auto first = place_.begin() + part * static_cast<std::int64_t>(buckets_);
      std::vector<std::int64_t> to(first, first + buckets_);
      each_cell(part, [&](index r, index c, T v) {
        cells_[static_cast<std::size_t>(to[static_cast<std::size_t>(r >> shift_)]++)] = {r, c, v};
      });
    });
  }

  void sort_buckets() {
    const auto total = static_cast<std::size_t>(start_.back());
    const int halves = std::min(parts_, 2);
    for_parts(halves, [&](int part) {  // the first touch of this memory takes a while
      if (part == 0) out_.col.resize(total);
      if (part == halves - 1) out_.val.resize(total);
    });
    out_.row_ptr.assign(static_cast<std::size_t>(rows_) + 1, 0);
    kept_.assign(static_cast<std::size_t>(buckets_), 0);
    std::atomic<index> next = 0;
    for_parts(std::min<int>(parts_, buckets_), [&](int) {
      std::vector<std::int64_t> row_at;
      std::vector<std::pair<index, T>> spare;
      for (index b; (b = next.fetch_add(1, std::memory_order_relaxed)) < buckets_;) {
        poll_interruption();
        sort_bucket(b, row_at, spare);
      }
    });
    cells_.reset();
  }

  void sort_bucket(index b, std::vector<std::int64_t>& row_at,
                   std::vector<std::pair<index, T>>& spare) {
    const std::int64_t first_row = static_cast<std::int64_t>(b) << shift_;
    const std::int64_t n = std::min<std::int64_t>(rows_ - first_row, std::int64_t{1} << shift_);
    const std::int64_t begin = start_[static_cast<std::size_t>(b)];
    const cell<T>* from = cells_.get() + begin;
    const cell<T>* to = cells_.get() + start_[static_cast<std::size_t>(b) + 1];
    row_at.assign(static_cast<std::size_t>(n) + 2, 0);
    // After the counting pass row_at[i + 2] counts row i; after the sum row_at[i + 1] is where row
    // i begins; after the placing pass it is where row i ends, that is, where row i + 1 begins.
    for (const cell<T>* c = from; c != to; ++c)
      ++row_at[static_cast<std::size_t>(c->row - first_row) + 2];
    row_at[0] = row_at[1] = begin;
    for (std::size_t i = 2; i < row_at.size(); ++i) row_at[i] += row_at[i - 1];
    index* col = out_.col.data();
    T* val = out_.val.data();
    for (const cell<T>* c = from; c != to; ++c) {
      const std::int64_t k = row_at[static_cast<std::size_t>(c->row - first_row) + 1]++;
      col[k] = c->col;
      val[k] = c->val;
    }
    std::int64_t end = begin;
    for (std::int64_t i = 0; i < n; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const std::int64_t kept = tidy_row(col, val, row_at[at], row_at[at + 1], end, spare);
      out_.row_ptr[static_cast<std::size_t>(first_row + i) + 1] = static_cast<index>(kept - end);
      end = kept;
    }
    kept_[static_cast<std::size_t>(b)] = end - begin;
  }

  /// Row lengths become row_ptr; where duplicates were summed, buckets move together.
  void close_gaps() {
    std::int64_t total = 0;
    for (std::int64_t kept : kept_) total += kept;
    if (total > std::numeric_limits<index>::max())
      throw input_error("matrix: expected at most 2147483647 entries, found " +
                        std::to_string(total));
    for (std::size_t i = 1; i < out_.row_ptr.size(); ++i) out_.row_ptr[i] += out_.row_ptr[i - 1];
    if (total == start_.back()) return;
    std::int64_t to = 0;
    for (std::size_t b = 0; b < kept_.size(); ++b) {
      const auto n = static_cast<std::size_t>(kept_[b]);
      std::memmove(out_.col.data() + to, out_.col.data() + start_[b], n * sizeof(index));
      std::memmove(out_.val.data() + to, out_.val.data() + start_[b], n * sizeof(T));
      to += kept_[b];
    }
    out_.col.resize(static_cast<std::size_t>(total));
    out_.val.resize(static_cast<std::size_t>(total));
    out_.col.shrink_to_fit();
    out_.val.shrink_to_fit();
  }

  index rows_;
  const Source& source_;
  mirror reflect_;
  int shift_ = 0, parts_ = 1;
  index buckets_ = 1;
  std::vector<std::int64_t> place_, start_, kept_;
  std::unique_ptr<cell<T>[]> cells_;
  csr<T> out_;
};

}  // namespace dwell::detail
