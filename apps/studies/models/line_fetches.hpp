// SPDX-License-Identifier: MIT
// How many lines a cache fetches for a stencil of S_w x S_h cells on I_w x I_h tasks, by the
// equations of Prasetya 2022, chapters 3 and 4, and the interference of Lam et al. 1991. All sizes
// are in cells, of which a line has L; M is a cache's lines. The document counts S_w and S_h where
// the field around I tasks is wider by S - 1 only, and leaves out the S_h - 1 rows beyond in 3.1's
// two numbers of fetches. 3.4 to 3.6 and 4.8 are bounds where tiles and columns begin with a line;
// one that does not has a line more. trace/model.hpp counts all exactly.
#pragma once
#include <cmath>

namespace dwell::model {

/// Sizes of a stencil's step in two dimensions.
struct stencil_lines {
  double input_width, input_height;      ///< tasks (I_w, I_h)
  double stencil_width, stencil_height;  ///< cells that one reads (S_w, S_h)
  double line;                           ///< cells (L)
};

/// Lines of a row for tasks w wide: ceil((w + S_w) / L).
inline double lines_of_row(const stencil_lines& s, double w) {
  return std::ceil((w + s.stencil_width) / s.line);
}
/// Equation 3.1: lines of cache from which on rows are fetched once.
inline double lines_for_rows(const stencil_lines& s) {
  return lines_of_row(s, s.input_width) * s.stencil_height;
}
/// The fetches by rows where 3.1 does not hold, at most.
inline double fetches_by_rows_evicted(const stencil_lines& s) {
  return lines_of_row(s, s.input_width) * s.input_height * s.stencil_height;
}
/// And where it holds.
inline double fetches_by_rows(const stencil_lines& s) {
  return lines_of_row(s, s.input_width) * s.input_height;
}
/// Equation 3.2: lines of cache for tiles t wide.
inline double lines_for_tiles(const stencil_lines& s, double t) {
  return lines_of_row(s, t) * s.stencil_height;
}
/// Equation 3.3: the widest tile for a cache of M lines.
inline double widest_tile(const stencil_lines& s, double cache_lines) {
  return s.line * cache_lines / s.stencil_height - s.stencil_width;
}
/// Equation 3.4: the fetches by square tiles of t x t tasks, at most.
inline double fetches_by_tiles(const stencil_lines& s, double t) {
  return std::ceil(s.input_width / t) * lines_of_row(s, t) * std::ceil(s.input_height / t) *
         (t + s.stencil_height);
}
/// Equation 3.4 for tiles w wide and h high.
inline double fetches_by_tiles(const stencil_lines& s, double w, double h) {
  return std::ceil(s.input_width / w) * lines_of_row(s, w) * std::ceil(s.input_height / h) *
         (h + s.stencil_height);
}
/// Equation 3.5: the same by the widest tiles for a cache of M lines.
inline double fetches_by_widest_tiles(const stencil_lines& s, double cache_lines) {
  return fetches_by_tiles(s, widest_tile(s, cache_lines));
}
/// Equation 3.6: the same without rounding, which is a bound only where nothing was rounded.
inline double fetches_by_widest_tiles_relaxed(const stencil_lines& s, double cache_lines) {
  const double t = widest_tile(s, cache_lines);
  return s.input_width * s.input_height * cache_lines / (t * t * s.stencil_height) *
         (t + s.stencil_height);
}
/// Equation 4.8: the fetches by columns c wide, at most.
inline double fetches_by_columns(const stencil_lines& s, double c) {
  return std::ceil(s.input_width / c) * lines_of_row(s, c) * (s.input_height + s.stencil_height);
}
/// Lines that a warp of `threads` reads, which are in one row, or in two (section 3.2.1).
inline double lines_of_warp(const stencil_lines& s, double threads, int rows) {
  return std::ceil((threads + rows * s.stencil_width) / s.line) * s.stencil_height;
}

/// Reuse of a variable v, by Lam et al. 1991 (section 2.1.4 of the document).
struct reuse {
  double references;  ///< loads (D)
  double factor;      ///< loads for each intrinsic miss, spatial and temporal reuse (R)
  double itself = 0;  ///< part of the reuse that v itself displaces (S), 0 to 1
};
/// The part of reuse that misses: 1 - (1 - S) times the product over all other variables u of
/// 1 - F(u), where F is the part of the cache that u uses, 0 to 1. (The document lost the minus.)
template <class Footprints>
double interference(const reuse& v, const Footprints& of_others) {
  double undisturbed = 1 - v.itself;
  for (const double f : of_others) undisturbed *= 1 - f;
  return 1 - undisturbed;
}
/// Misses: D (1 / R + (R - 1) / R M).
inline double misses(const reuse& v, double missing) {
  return v.references * (1 / v.factor + (v.factor - 1) / v.factor * missing);
}

}  // namespace dwell::model
