// SPDX-License-Identifier: MIT
// The body of a coordinate file: "row column value" a line, "row column" for a pattern. Duplicates
// are summed in the order of the file. A symmetric file holds the lower triangle only.
#include <cmath>
#include <complex>
#include <numeric>

#include "dwell/formats/assemble.hpp"
#include "dwell/formats/matrix_market_body.hpp"
#include "dwell/formats/number_words.hpp"

namespace dwell::mm {
namespace {

const char* remedy_for_upper_triangle(mm_symmetry symmetry) {
  switch (symmetry) {
    case mm_symmetry::symmetric:
      return "of a file with the upper triangle exchange rows and columns; one with both is "
             "'general'";
    case mm_symmetry::hermitian:
      return "of a file with the upper triangle exchange rows and columns and change the signs of "
             "imaginary parts; one with both is 'general'";
    default:
      return "of a file with the upper triangle exchange rows and columns and change the signs; "
             "one with both is 'general'";
  }
}

double imaginary(double) { return 0.0; }
double imaginary(std::complex<double> v) { return v.imag(); }

template <class T>
class line_parser {
  using entry = detail::cell<T>;

 public:
  line_parser(const mm_header& h, const char* end) : h_(h), end_(end) {}

  /// One entry; null after a complaint.
  const char* operator()(const char* p, entry& e, complaint& wrong) const {
    const char* row_at = p;
    std::int64_t row = 0, col = 0;
    if (scan_count(p, end_, row) != scan::ok || row < 1 || row > h_.rows)
      return complain(wrong, row_at, fmt::format("a row from 1 to {}", h_.rows));
    const char* col_at = p = skip_blanks(p, end_);
    if (scan_count(p, end_, col) != scan::ok || col < 1 || col > h_.cols)
      return complain(wrong, col_at, fmt::format("a column from 1 to {}", h_.cols));
    if (h_.symmetry != mm_symmetry::general && row < col)
      return complain(
          wrong, row_at, "an entry of the lower triangle (row >= column)",
          fmt::format("row {}, column {} ({})", row, col, remedy_for_upper_triangle(h_.symmetry)));
    e = {static_cast<index>(row - 1), static_cast<index>(col - 1), T(1.0)};
    if (h_.field != mm_field::pattern) {
      const char* value_at = p = skip_blanks(p, end_);
      const scan result = scan_value(p, end_, h_.field, e.val);
      if (result != scan::ok) return complain(wrong, p, expected_value(result, h_.field));
      if (h_.symmetry == mm_symmetry::hermitian && row == col && imaginary(e.val) != 0)
        return complain(wrong, value_at,
                        "an imaginary part of zero on the diagonal of a hermitian matrix",
                        numbers::words_of(e.val));
      if (h_.symmetry == mm_symmetry::skew_symmetric && row == col && e.val != T(0))
        return complain(wrong, value_at, "zero on the diagonal of a skew-symmetric matrix");
    }
    p = skip_blanks(p, end_);
    if (!at_line_end(p, end_)) return complain(wrong, p, "the end of the line");
    return p;
  }

 private:
  static const char* complain(complaint& wrong, const char* where, std::string expected,
                              std::string found = {}) {
    wrong = {where, std::move(expected), std::move(found)};
    return nullptr;
  }

  const mm_header& h_;
  const char* end_;
};

template <class T>
struct source {
  const std::vector<chunk<detail::cell<T>>>& chunks;
  std::int64_t total = 0;

  std::int64_t size() const { return total; }

  template <class F>
  void visit(std::int64_t begin, std::int64_t end, F&& f) const {
    for (const auto& c : chunks) {
      const auto n = static_cast<std::int64_t>(c.entries.size());
      const std::int64_t to = std::min(n, end);
      for (std::int64_t k = std::max<std::int64_t>(begin, 0); k < to; ++k) {
        const auto& e = c.entries[static_cast<std::size_t>(k)];
        f(e.row, e.col, e.val);
      }
      begin -= n;
      end -= n;
      if (end <= 0) return;
    }
  }
};

/// Finite values whose sum is not: names the line at which the sum of its duplicates overflows.
template <class T>
[[noreturn]] void fail_at_overflow(const text& t, const std::vector<chunk<detail::cell<T>>>& chunks,
                                   index row, index col, bool reflected) {
  if (reflected && row < col) std::swap(row, col);
  T sum = 0;
  const char* last = t.end;
  for (const auto& c : chunks) {
    std::size_t k = 0;
    each_data_line(c.begin, c.end, [&](const char* p) {
      const auto& e = c.entries[k++];
      if (e.row == row && e.col == col && numbers::is_finite(sum)) sum += e.val, last = p;
      return p;
    });
  }
  fail(t, {last, "duplicates whose sum is in the range of a double",
           fmt::format("{} at row {}, column {}", numbers::words_of(sum), row + 1, col + 1)});
}

template <class T>
csr<T> read_as(const text& t, const header_found& h, int threads) {
  using entry = detail::cell<T>;
  const mm_header& head = h.header;
  const std::size_t least_bytes = head.field == mm_field::pattern   ? 4   // "1 1\n"
                                  : head.field == mm_field::complex ? 8   // "1 1 1 1\n"
                                                                    : 6;  // "1 1 1\n"
  const auto chunks = parse_body<entry>(t, h, threads, least_bytes, [&](chunk<entry>& c) {
    const line_parser<T> parse(head, c.end);
    each_data_line(c.begin, c.end, [&](const char* p) {
      entry e;
      if ((p = parse(p, e, c.wrong)) != nullptr) c.entries.push_back(e);
      return p;
    });
  });

  source<T> entries{chunks};
  std::int64_t diagonal = 0;
  for (const auto& c : chunks) {
    entries.total += static_cast<std::int64_t>(c.entries.size());
    if (head.symmetry == mm_symmetry::general) continue;
    for (const entry& e : c.entries) diagonal += e.row == e.col;
  }
  const bool reflected = head.symmetry != mm_symmetry::general;
  const std::int64_t full = reflected ? 2 * entries.total - diagonal : entries.total;
  if (full > largest_count)
    fail(t, {h.size_line, fmt::format("at most {} entries in the full matrix", largest_count),
             std::to_string(full)});
  const auto reflect = !reflected                                ? detail::mirror::none
                       : head.symmetry == mm_symmetry::symmetric ? detail::mirror::same
                       : head.symmetry == mm_symmetry::hermitian ? detail::mirror::conjugated
                                                                 : detail::mirror::negated;
  auto a = detail::assembly<T, source<T>>(static_cast<index>(head.rows),
                                          static_cast<index>(head.cols), entries, reflect, threads)
               .run();
  if (a.nonzeros() < full)
    for (index i = 0; i < a.rows; ++i)
      for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
        if (!numbers::is_finite(a.val[k])) fail_at_overflow<T>(t, chunks, i, a.col[k], reflected);
  return a;
}

}  // namespace

std::string expected_value(scan why, mm_field field) {
  switch (why) {
    case scan::not_finite:
      return "a finite value";
    case scan::too_large:
      return "a value in the range of a double";
    case scan::inexact:
      return "an integer that a double holds exactly";
    default:
      return field == mm_field::integer   ? "an integer value"
             : field == mm_field::complex ? "a real and an imaginary part"
                                          : "a real value";
  }
}

template <>
csr<double> read_coordinate(const text& t, const header_found& h, int threads) {
  return read_as<double>(t, h, threads);
}
template <>
csr<std::complex<double>> read_coordinate(const text& t, const header_found& h, int threads) {
  return read_as<std::complex<double>>(t, h, threads);
}

}  // namespace dwell::mm
