// SPDX-License-Identifier: MIT
// The whole of a row_source, a few rows of each thread at a time.
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <new>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/formats/row_source.hpp"

namespace dwell {
namespace {

/// Nonzeros of the rows that a thread has twice for a while, about.
constexpr std::int64_t at_once = 1 << 20;

void check_sizes(const row_source& of) {
  constexpr std::int64_t most = std::numeric_limits<index>::max();
  if (of.rows() > most || of.cols() > most)
    throw input_error(fmt::format("matrix: expected at most {} rows and columns, found {} x {}",
                                  most, of.rows(), of.cols()));
}

/// Rows from `first` to before `last`, to their places.
void copy_rows(const row_source& of, index first, index last, large_csr<double>& to) {
  const matrix_rows rows = of.part(first, last, 1);
  const std::int64_t before = of.row_ptr(first);
  for (std::size_t i = 0; i + 1 < rows.row_ptr.size(); ++i)
    to.row_ptr[static_cast<std::size_t>(first) + i] = before + rows.row_ptr[i];
  std::transform(rows.col.begin(), rows.col.end(), to.col.begin() + before,
                 [](std::int64_t column) { return static_cast<index>(column); });
  std::copy(rows.val.begin(), rows.val.end(), to.val.begin() + before);
}

}  // namespace

large_csr<double> whole_matrix(const row_source& of, int threads) {
  check_sizes(of);
  try {
    large_csr<double> a;
    a.rows = static_cast<index>(of.rows());
    a.cols = static_cast<index>(of.cols());
    a.row_ptr.resize(static_cast<std::size_t>(a.rows) + 1);
    a.col.resize(static_cast<std::size_t>(of.nonzeros()));
    a.val.resize(static_cast<std::size_t>(of.nonzeros()));
    a.row_ptr.back() = of.nonzeros();
    const int steps = static_cast<int>(std::min<std::int64_t>(of.nonzeros() / at_once + 1, a.rows));
    const int parts = std::min(threads > 0 ? threads : default_threads(), steps);
    for_parts(parts, [&](int part) {
      const auto [begin, end] = piece(steps, part, parts);
      for (int step = begin; step < end; ++step) {
        poll_interruption();
        const auto [first, last] = piece(a.rows, step, steps);
        copy_rows(of, first, last, a);
      }
    });
    return a;
  } catch (const std::bad_alloc&) {
    throw device_error(fmt::format("not enough memory for a matrix of {} nonzeros", of.nonzeros()));
  }
}

}  // namespace dwell
