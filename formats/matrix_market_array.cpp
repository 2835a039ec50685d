// SPDX-License-Identifier: MIT
// The body of an array file: one value a line, column after column; of a symmetric matrix the lower
// triangle, of a skew-symmetric one what is strictly below the diagonal. Zeros are stored too.
#include "dwell/formats/matrix_market_body.hpp"

namespace dwell::mm {
namespace {

template <class T>
std::vector<T> read_values(const text& t, const header_found& h, int threads) {
  const mm_field field = h.header.field;
  const std::size_t least_bytes = field == mm_field::complex ? 4 : 2;  // "1 1\n", "1\n"
  auto chunks = parse_body<T>(t, h, threads, least_bytes, [&](chunk<T>& c) {
    each_data_line(c.begin, c.end, [&](const char* p) -> const char* {
      T v = 0;
      const scan result = scan_value(p, c.end, field, v);
      if (result != scan::ok) {
        c.wrong = {p, expected_value(result, field)};
        return nullptr;
      }
      p = skip_blanks(p, c.end);
      if (!at_line_end(p, c.end)) {
        c.wrong = {p, "the end of the line"};
        return nullptr;
      }
      c.entries.push_back(v);
      return p;
    });
  });
  if (chunks.size() == 1) return std::move(chunks.front().entries);
  std::vector<T> all;
  all.reserve(static_cast<std::size_t>(h.header.stored));  // so many were read
  for (auto& c : chunks) {
    all.insert(all.end(), c.entries.begin(), c.entries.end());
    c.entries = {};
  }
  return all;
}

double conjugate_of(double v) { return v; }
std::complex<double> conjugate_of(std::complex<double> v) { return std::conj(v); }

/// Where the value of (row, col) lies among the stored ones and its sign; col <= row where a
/// triangle is stored. Column c of a triangle begins behind the c columns before it.
struct place_of {
  std::int64_t n;
  mm_symmetry symmetry;

  template <class T>
  T operator()(const std::vector<T>& v, std::int64_t row, std::int64_t col) const {
    if (symmetry == mm_symmetry::general) return v[static_cast<std::size_t>(col * n + row)];
    const bool upper = row < col;
    if (upper) std::swap(row, col);
    const std::int64_t skipped = symmetry == mm_symmetry::skew_symmetric ? 1 : 0;
    const std::int64_t first = col * n - col * (col - 1) / 2 - skipped * col;
    const T value = v[static_cast<std::size_t>(first + row - col - skipped)];
    if (!upper || symmetry == mm_symmetry::symmetric) return value;
    return skipped ? -value : conjugate_of(value);
  }
};

template <class T>
csr<T> read_array_as(const text& t, const header_found& h, int threads) {
  const std::vector<T> values = read_values<T>(t, h, threads);
  const bool skew = h.header.symmetry == mm_symmetry::skew_symmetric;
  csr<T> a;
  a.rows = static_cast<index>(h.header.rows);
  a.cols = static_cast<index>(h.header.cols);
  const index per_row = a.rows > 0 ? a.cols - (skew ? 1 : 0) : 0;
  a.row_ptr.resize(static_cast<std::size_t>(a.rows) + 1);
  for (index i = 0; i <= a.rows; ++i) a.row_ptr[static_cast<std::size_t>(i)] = i * per_row;
  const auto full = static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(per_row);
  a.col.resize(full);
  a.val.resize(full);
  const place_of value_at{a.rows, h.header.symmetry};
  const int parts = full < (1u << 16) ? 1 : threads > 0 ? threads : default_threads();
  for_parts(parts, [&](int part) {
    const auto [begin, end] = piece(a.rows, part, parts);
    for (index i = begin; i < end; ++i) {
      std::size_t k = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
      for (index j = 0; j < a.cols; ++j) {
        if (skew && i == j) continue;
        a.col[k] = j;
        a.val[k++] = value_at(values, i, j);
      }
    }
  });
  return a;
}

}  // namespace

template <>
csr<double> read_array(const text& t, const header_found& h, int threads) {
  return read_array_as<double>(t, h, threads);
}
template <>
csr<std::complex<double>> read_array(const text& t, const header_found& h, int threads) {
  return read_array_as<std::complex<double>>(t, h, threads);
}

}  // namespace dwell::mm
