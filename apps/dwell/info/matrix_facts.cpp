// SPDX-License-Identifier: MIT
// Rows are examined in pieces, one per thread, and the pieces joined in order, so that "first"
// means the first row whatever the number of threads.
#include "info/matrix_facts.hpp"

#include <algorithm>
#include <cmath>
#include <complex>
#include <vector>

#include "dwell/base/parallel.hpp"

namespace dwell::app {

namespace {

/// The position of (row, col), or -1 if it is not stored.
template <class T>
index find(const csr_view<T>& a, index row, index col) {
  const index* first = a.col + a.row_ptr[row];
  const index* last = a.col + a.row_ptr[row + 1];
  const index* at = std::lower_bound(first, last, col);
  return at != last && *at == col ? static_cast<index>(at - a.col) : -1;
}

double conjugate_of(double v) { return v; }
std::complex<double> conjugate_of(std::complex<double> v) { return std::conj(v); }

template <class T>
void examine_entry(const csr_view<T>& a, index i, index k, matrix_facts& f) {
  const index j = a.col[k];
  const T v = a.val[k];
  const double size = std::abs(v);
  f.explicit_zeros += size == 0;
  f.largest_entry = std::max(f.largest_entry, size);
  if (size > 0 && (f.least_entry == 0 || size < f.least_entry)) f.least_entry = size;
  if (!f.square) return;
  const index mirror = j == i ? k : find(a, j, i);
  const T w = mirror < 0 ? T(0) : a.val[mirror];
  if (mirror < 0) f.not_stored.note(i, j);
  if (v != w) f.not_equal.note(i, j);
  if (v != conjugate_of(w)) f.not_conjugate.note(i, j);
  if (v != -w) f.not_opposite.note(i, j);
  f.largest_difference = std::max(f.largest_difference, std::abs(v - conjugate_of(w)));
}

template <class T>
void examine_diagonal(const csr_view<T>& a, index i, matrix_facts& f) {
  const index k = find(a, i, i);
  if (k < 0) return f.missing_diagonal.note(i, i);
  if (std::imag(a.val[k]) != 0) return f.complex_diagonal.note(i, i);
  const double v = std::real(a.val[k]);
  if (v > 0)
    ++f.positive_diagonal;
  else if (v < 0)
    f.negative_diagonal.note(i, i);
  else
    f.zero_diagonal.note(i, i);
}

void append(matrix_facts& f, const matrix_facts& later) {
  f.explicit_zeros += later.explicit_zeros;
  f.not_stored.append(later.not_stored);
  f.not_equal.append(later.not_equal);
  f.not_opposite.append(later.not_opposite);
  f.largest_difference = std::max(f.largest_difference, later.largest_difference);
  f.not_conjugate.append(later.not_conjugate);
  f.complex_diagonal.append(later.complex_diagonal);
  f.largest_entry = std::max(f.largest_entry, later.largest_entry);
  if (f.least_entry == 0 || (later.least_entry > 0 && later.least_entry < f.least_entry))
    f.least_entry = later.least_entry;
  f.positive_diagonal += later.positive_diagonal;
  f.zero_diagonal.append(later.zero_diagonal);
  f.negative_diagonal.append(later.negative_diagonal);
  f.missing_diagonal.append(later.missing_diagonal);
}

template <class T>
void measure_rows(const csr_view<T>& a, matrix_facts& f) {
  if (a.rows == 0) return;
  std::vector<index> length(static_cast<std::size_t>(a.rows));
  for (index i = 0; i < a.rows; ++i) length[i] = a.row_ptr[i + 1] - a.row_ptr[i];
  f.empty_rows = static_cast<index>(std::count(length.begin(), length.end(), 0));
  const auto middle = length.begin() + a.rows / 2;
  std::nth_element(length.begin(), middle, length.end());
  f.median_row = *middle;
  if (a.rows % 2 == 0)
    f.median_row = (f.median_row + *std::max_element(length.begin(), middle)) / 2;
  const auto [least, most] = std::minmax_element(length.begin(), length.end());
  f.shortest_row = *least, f.longest_row = *most;
}

template <class T>
matrix_facts examine_all(const csr_view<T>& a, int threads) {
  const int parts = std::max(1, threads > 0 ? threads : default_threads());
  std::vector<matrix_facts> found(static_cast<std::size_t>(parts));
  for_parts(parts, [&](int part) {
    matrix_facts f;  // not shared while it is written to
    f.square = a.rows == a.cols;
    const auto [first, last] = piece(a.rows, part, parts);
    for (index i = first; i < last; ++i) {
      for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) examine_entry(a, i, k, f);
      if (i < a.cols) examine_diagonal(a, i, f);
    }
    found[static_cast<std::size_t>(part)] = f;
  });
  matrix_facts all = found.front();
  for (std::size_t part = 1; part < found.size(); ++part) append(all, found[part]);
  all.diagonal = std::min(a.rows, a.cols);
  measure_rows(a, all);
  return all;
}

}  // namespace

matrix_facts examine(const csr_view<double>& a, int threads) { return examine_all(a, threads); }
matrix_facts examine(const csr_view<std::complex<double>>& a, int threads) {
  return examine_all(a, threads);
}

const char* symmetry_found(const matrix_facts& f) {
  if (!f.square) return "not square";
  if (f.not_equal.count == 0) return "symmetric";
  if (f.not_conjugate.count == 0) return "Hermitian";
  if (f.not_opposite.count == 0) return "skew-symmetric";
  if (f.not_stored.count == 0) return "symmetric pattern, values differ";
  return "unsymmetric";
}

}  // namespace dwell::app
