// SPDX-License-Identifier: MIT
// How wide columns may be, so that a cache holds what a column's next row reads again
// (Prasetya 2022, sections 4.3 and 4.4).
#pragma once

namespace dwell::model {

/// A stencil, or a product of matrices, whose cells are taken in columns.
struct column_problem {
  double unit = 8;     ///< bytes of a cell
  double height = 3;   ///< rows that a cell reads (s_h)
  double width = 3;    ///< columns that a cell reads (s_w)
  double threads = 1;  ///< that take cells side by side (t)
};

/// Bytes of cache that columns of c cells need: u (t + s_h (c + s_w)), the document's asymptote.
constexpr double column_cache(const column_problem& p, double c) {
  return p.unit * (p.threads + p.height * (c + p.width));
}
/// Bytes of cache before the threads are spread over the rows of narrow columns: u (c + s_w) (s_h +
/// ceil(t / c)), for whole numbers of threads and columns.
constexpr double column_cache_exact(const column_problem& p, int threads, int c) {
  const int rows = (threads + c - 1) / c;
  return p.unit * (c + p.width) * (p.height + rows);
}
/// The widest column for a cache of so many bytes: c = (M - u (s_h s_w + t)) / (s_h u). Not
/// positive where not even one column fits.
constexpr double column_width(const column_problem& p, double cache_bytes) {
  return (cache_bytes - p.unit * (p.height * p.width + p.threads)) / (p.height * p.unit);
}
/// Columns of the product A B, where `inner` is the number of rows of B: c = M / (u h).
constexpr double column_width_of_product(double unit, double inner, double cache_bytes) {
  return cache_bytes / (unit * inner);
}

/// Columns of a product less what a cache needs beside them, the present and the next row of A:
/// with c as above a cache that replaces the least recently used line loses all of B from row to
/// row.
constexpr double column_width_beside_rows(double unit, double inner, double cache_bytes) {
  return column_width_of_product(unit, inner, cache_bytes) - 2;
}

}  // namespace dwell::model
