// SPDX-License-Identifier: MIT
// Rows are summed in blocks of fixed size, and the blocks in their order.
#include "dwell/solvers/complex/complex_residual.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/base/power_of_two.hpp"
#include "dwell/solvers/linear/run/system_scale.hpp"

namespace dwell {
namespace {

using number = complex_value<double>;
constexpr index block = 4096;  // rows

template <class R>
number scaled(const power_of_two& by, std::complex<R> v) {
  return {by(static_cast<double>(v.real())), by(static_cast<double>(v.imag()))};
}
double larger_of(double most, double v) { return v > most || v != v ? v : most; }

/// f(first row, end, result) for all blocks; their results in order.
template <class Result, class F>
std::vector<Result> by_blocks(index rows, F&& f) {
  const index blocks = (rows + block - 1) / block;
  std::vector<Result> all(static_cast<std::size_t>(blocks));
  const int parts =
      std::clamp<int>(static_cast<int>(std::min<index>(blocks, default_threads())), 1, 1 << 16);
  for_parts(parts, [&](int part) {
    const auto [begin, end] = piece(blocks, part, parts);
    for (index k = begin; k < end; ++k)
      f(k * block, std::min<index>(rows, (k + 1) * block), all[static_cast<std::size_t>(k)]);
  });
  return all;
}

/// Digits of about 1, or 0, and their exponent; of what is not finite NaN.
struct with_exponent {
  number digits{0.0};
  int exponent = exponent_of_zero;
};
template <class R>
with_exponent exponent_apart(std::complex<R> v) {
  const double re = v.real(), im = v.imag(), most = std::fmax(std::fabs(re), std::fabs(im));
  if (!std::isfinite(re) || !std::isfinite(im)) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    return {{nan, nan}, 0};
  }
  if (most == 0.0) return {};
  const int e = std::ilogb(most);
  return {{std::ldexp(re, -e), std::ldexp(im, -e)}, e};
}
number by_power(number v, int e) { return {std::ldexp(v.re, e), std::ldexp(v.im, e)}; }

/// A row of a residual: r, and the sizes of its terms and of |A| max|x|.
struct complex_row {
  number r{0.0};
  double terms = 0.0, row = 0.0;
  int exponent = 0;  ///< exponent of all of them
};

/// With an exponent of its own, for terms that leave the range of a double.
template <class R>
complex_row wide_row(const csr_view<std::complex<R>>& a, index i, std::complex<R> b,
                     std::span<const std::complex<R>> x, with_exponent largest) {
  complex_row out;
  int most = exponent_of_zero;
  const auto each = [&](auto&& f) {
    const with_exponent of_b = exponent_apart(b);
    f(number(1.0), of_b.digits, of_b.exponent);
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
      const with_exponent v = exponent_apart(a.val[k]),
                          of = exponent_apart(x[static_cast<std::size_t>(a.col[k])]);
      f(-v.digits, of.digits, v.exponent + of.exponent);
    }
  };
  each([&](number v, number of, int e) {
    if (size_of(v) * size_of(of) != 0.0) most = std::max(most, e);  // or NaN
  });
  if (most == exponent_of_zero) return out;
  out.exponent = most;
  each([&](number v, number of, int e) {
    if (size_of(v) * size_of(of) == 0.0) return;
    out.r = multiply_add(v, by_power(of, e - most), out.r);
    out.terms += std::ldexp(size_of(v) * size_of(of), e - most);
  });
  for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
    const with_exponent v = exponent_apart(a.val[k]);
    if (v.exponent == exponent_of_zero || largest.exponent == exponent_of_zero) continue;
    out.row += std::ldexp(size_of(v.digits) * largest.digits.re,
                          std::min(v.exponent + largest.exponent - most, 1000));
  }
  return out;
}

/// Is a size so far within the range of a double that sums of such numbers lose nothing?
bool within_range(double v) { return v >= 0x1p-900 && v <= 0x1p900; }

}  // namespace

template <class R>
complex_residual residual_of(const csr_view<std::complex<R>>& a, std::span<const std::complex<R>> b,
                             std::span<const std::complex<R>> x, int matrix, int rhs) {
  const power_of_two of_a(-matrix), of_x(matrix - rhs), of_b(-rhs);
  double largest = 0.0;
  for (const std::complex<R>& v : x) largest = larger_of(largest, size_of(scaled(of_x, v)));
  with_exponent wide_largest;
  for (const std::complex<R>& v : x) {
    const with_exponent one = exponent_apart(v);
    if (one.exponent > wide_largest.exponent) wide_largest = {{2.0, 0.0}, one.exponent};
  }
  const auto blocks =
      by_blocks<complex_residual>(a.rows, [&](index first, index end, complex_residual& out) {
        for (index i = first; i < end; ++i) {
          number r = scaled(of_b, b[static_cast<std::size_t>(i)]);
          double terms = size_of(r), row = 0.0;
          bool out_of_range =
              b[static_cast<std::size_t>(i)] != std::complex<R>(0) && !within_range(terms);
          for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
            const number v = scaled(of_a, a.val[k]);
            const number of = scaled(of_x, x[static_cast<std::size_t>(a.col[k])]);
            r = multiply_add(-v, of, r);
            const double size = size_of(v), of_size = size_of(of);
            terms = std::fma(size, of_size, terms);
            row += size;
            out_of_range |=
                a.val[k] != std::complex<R>(0) &&
                x[static_cast<std::size_t>(a.col[k])] != std::complex<R>(0) &&
                !(within_range(size) && within_range(of_size) && within_range(size * of_size));
          }
          complex_row found{r, terms, row * largest, 0};
          if (out_of_range) {
            found = wide_row(a, i, b[static_cast<std::size_t>(i)], x, wide_largest);
            r = by_power(found.r, found.exponent - rhs);
          }
          const double left = size_of(found.r);
          add_square(r, out.norm);
          if (left == 0.0) continue;
          out.by_terms = larger_of(out.by_terms, left / found.terms);
          out.by_row = larger_of(out.by_row, left / (found.terms + found.row));
        }
      });
  complex_residual all;
  for (const complex_residual& one : blocks) {
    all.norm += one.norm;
    all.by_terms = larger_of(all.by_terms, one.by_terms);
    all.by_row = larger_of(all.by_row, one.by_row);
  }
  all.norm = std::sqrt(all.norm);
  return all;
}

template <class R>
double norm_of(std::span<const std::complex<R>> b, int rhs) {
  const power_of_two of_b(-rhs);
  double sum = 0.0;
  for (const double one :
       by_blocks<double>(static_cast<index>(b.size()), [&](index first, index end, double&out) {
         for (index i = first; i < end; ++i)
           add_square(scaled(of_b, b[static_cast<std::size_t>(i)]), out);
       }))
    sum += one;
  return std::sqrt(sum);
}

template <class R>
int largest_exponent(std::span<const std::complex<R>> v) {
  double most = 0.0;
  for (const std::complex<R>& one : v)
    most = std::max({most, std::abs(static_cast<double>(one.real())),
                     std::abs(static_cast<double>(one.imag()))});
  return exponent_of(most);
}

#define DWELL_RESIDUAL_OF(R)                                                         \
  template complex_residual residual_of(const csr_view<std::complex<R>>&,            \
                                        std::span<const std::complex<R>>,            \
                                        std::span<const std::complex<R>>, int, int); \
  template double norm_of(std::span<const std::complex<R>>, int);                    \
  template int largest_exponent(std::span<const std::complex<R>>);
DWELL_RESIDUAL_OF(double)
DWELL_RESIDUAL_OF(float)
#undef DWELL_RESIDUAL_OF

}  // namespace dwell
