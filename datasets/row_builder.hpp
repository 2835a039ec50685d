// SPDX-License-Identifier: MIT
// Private to datasets: a CSR matrix from a function that lists the entries of one row. The function
// is called twice for every row (to count, then to fill), in parallel, so that nothing is sorted,
// nothing is held twice and the result cannot depend on the number of threads.
#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell::detail {

/// The largest number of rows or nonzeros that a 32-bit index counts.
inline constexpr std::int64_t index_limit = std::numeric_limits<index>::max();

/// `row(i, sink)` calls `sink(column, value)` for every entry of row i, columns ascending, the same
/// each time. Throws input_error before the entries are allocated if there are more than
/// index_limit.
template <class Row>
csr<double> build_rows(index rows, index cols, int threads, Row&& row) {
  csr<double> a;
  a.rows = rows;
  a.cols = cols;
  a.row_ptr.assign(static_cast<std::size_t>(rows) + 1, 0);
  const int parts = std::max(1, std::min<int>(threads, rows));
  for_parts(parts, [&](int part) {
    const auto [first, last] = piece(rows, part, parts);
    for (index i = first; i < last; ++i) {
      poll_interruption_at(i);
      index entries = 0;
      row(i, [&](index, double) { ++entries; });
      a.row_ptr[static_cast<std::size_t>(i) + 1] = entries;
    }
  });
  std::int64_t total = 0;
  for (std::size_t i = 1; i < a.row_ptr.size(); ++i) {
    total += a.row_ptr[i];
    if (total > index_limit)
      throw input_error("the matrix has more than " + std::to_string(index_limit) + " nonzeros");
    a.row_ptr[i] = static_cast<index>(total);
  }
  a.col.resize(static_cast<std::size_t>(total));
  a.val.resize(static_cast<std::size_t>(total));
  for_parts(parts, [&](int part) {
    const auto [first, last] = piece(rows, part, parts);
    for (index i = first; i < last; ++i) {
      poll_interruption_at(i);
      auto k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
      row(i, [&](index column, double value) {
        a.col[k] = column;
        a.val[k] = value;
        ++k;
      });
    }
  });
  return a;
}

}  // namespace dwell::detail
