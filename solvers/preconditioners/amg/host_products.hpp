// SPDX-License-Identifier: MIT
// Sparse products on the host in one pass: a thread sums up chunks of rows into memory of their
// own, and all are put in place once their sizes are known. The operands and the bits are those of
// product_steps.hpp.
#pragma once
#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <vector>

#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/team/column_sums_cpu.hpp"

namespace dwell::amg {

inline constexpr std::int64_t rows_per_chunk = 1 << 12;

/// Sums of a row.
template <class Left, class Right>
void sum_up_row(cpu::column_sums& sums, const Left& left, const Right& right, index row) {
  sums.open();
  const index end = left.end(row);
  for (index k = left.begin(row); k < end; ++k) {
    const index at = left.column(k);
    if (at < 0) continue;
    const double x = left.value(row, k);
    const index last = right.end(at);
    for (index e = right.begin(at); e < last; ++e)
      if (const index column = right.column(at, e); column >= 0)
        sums.add(column, x, right.value(at, e));
  }
}

/// A chunk's rows, one after another.
struct chunk_of_product {
  std::vector<index> col;
  std::vector<double> sum;
};
/// What a thread sums up.
struct chunk_work {
  cpu::column_sums sums;
  chunk_of_product made;
};

/// Rows of a product: their numbers of columns go to count[row]. Returns the longest row; one with
/// more columns than there is room for ends the work.
template <class Loops, class Left, class Right>
index sum_up_rows(const Loops& loops, index rows, const Left& left, const Right& right,
                  index* count, std::vector<chunk_of_product>& chunks) {
  chunks.resize(static_cast<std::size_t>((rows + rows_per_chunk - 1) / rows_per_chunk));
  std::atomic<index> longest = 0;
  loops.template chunks<chunk_work>(
      rows, rows_per_chunk,
      [&](chunk_work& work, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
        work.made.col.clear(), work.made.sum.clear();
        index most = 0;
        for (std::int64_t i = begin; i < end && most <= cpu::column_sums::most; ++i) {
          const index row = static_cast<index>(i);
          sum_up_row(work.sums, left, right, row);
          count[row] = work.sums.count();
          most = std::max(most, count[row]);
          work.sums.sorted([&](index column, double sum) {
            work.made.col.push_back(column);
            work.made.sum.push_back(sum);
          });
        }
        chunks[static_cast<std::size_t>(chunk)] = work.made;
        index before = longest.load();
        while (before < most && !longest.compare_exchange_weak(before, most)) {
        }
      });
  return longest.load();
}

/// Columns of all their rows.
inline std::int64_t columns_of(const std::vector<chunk_of_product>& chunks) {
  std::int64_t all = 0;
  for (const chunk_of_product& one : chunks) all += std::ssize(one.col);
  return all;
}

/// Puts what sum_up_rows() made in place: columns to `col`, sums by put(row, place, column, sum).
template <class Loops, class Put>
void put_chunks(const Loops& loops, index rows, const std::vector<chunk_of_product>& chunks,
                const index* row_ptr, index* col, const Put& put) {
  struct none {};
  loops.template chunks<none>(
      rows, rows_per_chunk, [&](none&, std::int64_t chunk, std::int64_t begin, std::int64_t end) {
        const chunk_of_product& from = chunks[static_cast<std::size_t>(chunk)];
        std::size_t e = 0;
        for (std::int64_t row = begin; row < end; ++row)
          for (index k = row_ptr[row]; k < row_ptr[row + 1]; ++k, ++e) {
            col[k] = from.col[e];
            put(static_cast<index>(row), k, from.col[e], from.sum[e]);
          }
      });
}

/// A product of a known pattern: put(row, place, column, sum) for every element.
template <class Loops, class Left, class Right, class Put>
void sum_up_again(const Loops& loops, index rows, const Left& left, const Right& right,
                  const index* row_ptr, const Put& put) {
  loops.template chunks<cpu::column_sums>(
      rows, rows_per_chunk,
      [&](cpu::column_sums& sums, std::int64_t, std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end; ++row) {
          sum_up_row(sums, left, right, static_cast<index>(row));
          index place = row_ptr[row];
          sums.sorted([&](index column, double sum) {
            put(static_cast<index>(row), place++, column, sum);
          });
        }
      });
}

/// A product into rows that have room from begin[row] on; their ends go to `end_of`. Returns the
/// longest row; nothing is put of one with more columns than there is room for.
template <class Loops, class Left, class Right>
index sum_up_in_room(const Loops& loops, index rows, const Left& left, const Right& right,
                     const index* begin_of, index* end_of, index* col, double* val) {
  std::atomic<index> longest = 0;
  loops.template chunks<cpu::column_sums>(
      rows, rows_per_chunk,
      [&](cpu::column_sums& sums, std::int64_t, std::int64_t begin, std::int64_t end) {
        index most = 0;
        for (std::int64_t row = begin; row < end; ++row) {
          sum_up_row(sums, left, right, static_cast<index>(row));
          index place = begin_of[row];
          most = std::max(most, static_cast<index>(sums.count()));
          if (sums.count() <= cpu::column_sums::most)
            sums.sorted([&](index column, double sum) {
              col[place] = column;
              val[place++] = sum;
            });
          end_of[row] = place;
        }
        index before = longest.load();
        while (before < most && !longest.compare_exchange_weak(before, most)) {
        }
      });
  return longest.load();
}

/// A product that is not kept: put(row, columns, sums, n) of each row, in the order of columns;
/// false if one has more columns than there is room for.
template <class Loops, class Left, class Right, class Put>
bool put_rows_on_host(const Loops& loops, index rows, const Left& left, const Right& right,
                      const Put& row) {
  std::atomic<bool> fits = true;
  loops.template chunks<chunk_work>(
      rows, rows_per_chunk,
      [&](chunk_work& work, std::int64_t, std::int64_t begin, std::int64_t end) {
        work.made.col.resize(cpu::column_sums::most);
        work.made.sum.resize(cpu::column_sums::most);
        for (std::int64_t i = begin; i < end; ++i) {
          sum_up_row(work.sums, left, right, static_cast<index>(i));
          if (work.sums.count() > cpu::column_sums::most) {
            fits = false;
            return;
          }
          index n = 0;
          work.sums.sorted([&](index column, double sum) {
            work.made.col[static_cast<std::size_t>(n)] = column;
            work.made.sum[static_cast<std::size_t>(n++)] = sum;
          });
          row.put(static_cast<index>(i), work.made.col.data(), work.made.sum.data(), n);
        }
      });
  return fits;
}

/// The transpose of a pattern: begin_of gets where each column begins, sorted its elements in
/// order. Each thread counts and places a part of the elements, so that none needs another's.
inline void transpose_on_host(index elements, const index* col, index columns, index* begin_of,
                              index* sorted) {
  const int parts = static_cast<int>(std::clamp<std::int64_t>(
      elements / (std::max<std::int64_t>(columns, rows_per_chunk)), 1, default_threads()));
  const auto n = static_cast<std::size_t>(columns);
  std::vector<index> next(n * static_cast<std::size_t>(parts));
  for_parts(parts, [&](int part) {
    poll_interruption();
    index* const count = next.data() + n * static_cast<std::size_t>(part);
    const auto [begin, end] = piece(elements, part, parts);
    for (index k = begin; k < end; ++k) ++count[col[k]];
  });
  index sum = 0;
  for (std::size_t c = 0; c < n; ++c) {
    begin_of[c] = sum;
    for (int part = 0; part < parts; ++part) {
      index& of = next[n * static_cast<std::size_t>(part) + c];
      sum += of;
      of = sum - of;
    }
  }
  begin_of[n] = sum;
  for_parts(parts, [&](int part) {
    poll_interruption();
    index* const at = next.data() + n * static_cast<std::size_t>(part);
    const auto [begin, end] = piece(elements, part, parts);
    for (index k = begin; k < end; ++k) sorted[at[col[k]]++] = k;
  });
}

}  // namespace dwell::amg
