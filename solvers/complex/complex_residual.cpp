// SPDX-License-Identifier: MIT
// Rows are summed in blocks of fixed size, and the blocks in their order.
#include "dwell/solvers/complex/complex_residual.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
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

}  // namespace

template <class R>
complex_residual residual_of(const csr_view<std::complex<R>>& a, std::span<const std::complex<R>> b,
                             std::span<const std::complex<R>> x, int matrix, int rhs) {
  const power_of_two of_a(-matrix), of_x(matrix - rhs), of_b(-rhs);
  double largest = 0.0;
  for (const std::complex<R>& v : x) largest = larger_of(largest, size_of(scaled(of_x, v)));
  const auto blocks =
      by_blocks<complex_residual>(a.rows, [&](index first, index end, complex_residual& out) {
        for (index i = first; i < end; ++i) {
          number r = scaled(of_b, b[static_cast<std::size_t>(i)]);
          double terms = size_of(r), row = 0.0;
          for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
            const number v = scaled(of_a, a.val[k]);
            const number of = scaled(of_x, x[static_cast<std::size_t>(a.col[k])]);
            r = multiply_add(-v, of, r);
            const double size = size_of(v);
            terms = std::fma(size, size_of(of), terms);
            row += size;
          }
          const double left = size_of(r);
          add_square(r, out.norm);
          if (left == 0.0) continue;
          out.by_terms = larger_of(out.by_terms, left / terms);
          out.by_row = larger_of(out.by_row, left / std::fma(row, largest, terms));
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
