// SPDX-License-Identifier: MIT
// The checks of a CSR matrix and its conversion between precisions. row_ptr is proved sound before
// a column or a value is touched, so a broken view is refused and never followed out of its arrays.
// Messages count rows from 0 where the arrays themselves are wrong, which are counted so, and from
// 1 where a value is, which may come from a file.
#include "dwell/formats/csr.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstdint>
#include <type_traits>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/formats/number_words.hpp"

namespace dwell {
namespace {

/// Below this many nonzeros a thread costs more than the work it takes over (reasoned: tens of
/// microseconds to start one, about a nanosecond a nonzero).
constexpr index nonzeros_per_thread = 1 << 17;

int useful_threads(std::int64_t nonzeros) {
  return static_cast<int>(
      std::min<std::int64_t>(default_threads(), nonzeros / nonzeros_per_thread + 1));
}

template <class T>
inline constexpr bool is_single =
    std::is_same_v<T, float> || std::is_same_v<T, std::complex<float>>;

template <class T, class Offset>
void check_row_ptr(const csr_view<T, Offset>& a, const std::string& name) {
  if (a.rows < 0 || a.cols < 0)
    throw input_error(fmt::format("{}: expected sizes of 0 or more, found {} rows and {} columns",
                                  name, a.rows, a.cols));
  if (a.rows == 0) return;
  if (!a.row_ptr)
    throw input_error(fmt::format("{}: expected row_ptr, found a null pointer", name));
  if (a.row_ptr[0] != 0)
    throw input_error(
        fmt::format("{}: row 0 (counted from 0): expected row_ptr to start at 0, found {}", name,
                    a.row_ptr[0]));
  for (index i = 0; i < a.rows; ++i)
    if (a.row_ptr[i + 1] < a.row_ptr[i])
      throw input_error(fmt::format(
          "{}: row {} (counted from 0): expected row_ptr not to decrease, found {} after {}", name,
          i, a.row_ptr[i + 1], a.row_ptr[i]));
  if (a.nonzeros() > 0 && (!a.col || !a.val))
    throw input_error(
        fmt::format("{}: expected columns and values of {} nonzeros, found a null pointer", name,
                    a.nonzeros()));
}

template <class T, class Offset>
void check_row(const csr_view<T, Offset>& a, index i, const std::string& name) {
  index previous = -1;
  for (Offset k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
    const index c = a.col[k];
    if (c < 0 || c >= a.cols)
      throw input_error(
          fmt::format("{}: row {} (counted from 0): expected columns from 0 to {}, found {}", name,
                      i, a.cols - 1, c));
    if (c <= previous)
      throw input_error(
          fmt::format("{}: row {} (counted from 0): expected ascending columns, found {} after {}",
                      name, i, c, previous));
    if (!numbers::is_finite(a.val[k]))
      throw input_error(
          fmt::format("{}: row {} (counted from 1): expected finite values, found {} in column {}",
                      name, i + 1, numbers::words_of(a.val[k]), c + 1));
    previous = c;
  }
}

}  // namespace

template <class T, class Offset>
void check(const csr_view<T, Offset>& a, const std::string& name) {
  check_row_ptr(a, name);
  const int threads = useful_threads(a.nonzeros());
  // The lowest part's exception is the one thrown, so the first bad row is named.
  for_parts(threads, [&](int part) {
    const auto [begin, end] = piece(a.rows, part, threads);
    for (index i = begin; i < end; ++i) check_row(a, i, name);
  });
}

template <class To, class From, class Offset>
csr<To, Offset> convert(const csr_view<From, Offset>& a) {
  csr<To, Offset> out;
  out.rows = a.rows;
  out.cols = a.cols;
  if (a.rows > 0) out.row_ptr.assign(a.row_ptr, a.row_ptr + a.rows + 1);
  const Offset nonzeros = a.nonzeros();
  out.col.assign(a.col, a.col + nonzeros);
  out.val.resize(static_cast<std::size_t>(nonzeros));
  const int threads = useful_threads(nonzeros);
  for_parts(threads, [&](int part) {
    const auto [begin, end] = piece(nonzeros, part, threads);
    for (Offset k = begin; k < end; ++k) {
      const To v = static_cast<To>(a.val[k]);
      if (!numbers::is_finite(v) && numbers::is_finite(a.val[k])) {
        const Offset* after = std::upper_bound(a.row_ptr, a.row_ptr + a.rows + 1, k);
        throw input_error(fmt::format(
            "matrix: row {} (counted from 1): expected values in the range of {} precision, found "
            "{} in column {}",
            after - a.row_ptr, is_single<To> ? "single" : "double", numbers::words_of(a.val[k]),
            a.col[k] + 1));
      }
      out.val[static_cast<std::size_t>(k)] = v;
    }
  });
  return out;
}

template void check(const csr_view<float>&, const std::string&);
template void check(const csr_view<double>&, const std::string&);
template void check(const large_csr_view<float>&, const std::string&);
template void check(const large_csr_view<double>&, const std::string&);
template void check(const csr_view<std::complex<float>>&, const std::string&);
template void check(const csr_view<std::complex<double>>&, const std::string&);
template csr<std::complex<float>> convert(const csr_view<std::complex<double>>&);
template csr<float> convert(const csr_view<float>&);
template csr<double> convert(const csr_view<float>&);
template csr<float> convert(const csr_view<double>&);
template large_csr<float> convert(const large_csr_view<double>&);
template csr<double> convert(const csr_view<double>&);

}  // namespace dwell
