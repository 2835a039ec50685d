// SPDX-License-Identifier: MIT
// See system_scale.hpp.
#include "dwell/solvers/cg/system_scale.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>

#include "dwell/formats/parallel.hpp"
#include "dwell/formats/power_of_two.hpp"

namespace dwell {
namespace {

constexpr int of_zero = INT_MIN / 4;

/// Of the largest magnitude among n finite values; of_zero if all are zero.
template <class T>
int largest_exponent(const T* v, index n) {
  const int parts = n < (1 << 16) ? 1 : default_threads();
  std::vector<T> most(static_cast<std::size_t>(parts));
  for_parts(parts, [&](int part) {
    const auto [begin, end] = piece(n, part, parts);
    T m = 0;
    for (index i = begin; i < end; ++i) m = std::max(m, std::abs(v[i]));
    most[static_cast<std::size_t>(part)] = m;
  });
  const T m = *std::max_element(most.begin(), most.end());
  return m > T(0) ? std::ilogb(m) : of_zero;
}

}  // namespace

template <class T>
system_scale scale_of(const csr_view<T>& a, std::span<const T> b, std::span<const T> x) {
  // A vector is multiplied by the matrix twice before a sum in double looks at it, and residuals
  // fall to 2^-53 of where they began (2^-24 in f32).
  constexpr int comfortable = sizeof(T) == 8 ? 128 : 16;
  const int of_matrix = largest_exponent(a.val, a.nonzeros());
  const int of_rhs = largest_exponent(b.data(), a.rows);
  const int of_start = largest_exponent(x.data(), a.rows);
  system_scale s;
  if (of_matrix != of_zero && std::abs(of_matrix) > comfortable) s.matrix = of_matrix;
  const int of_product =
      of_start == of_zero || of_matrix == of_zero ? of_zero : of_start + of_matrix;
  s.vectors = std::max(of_rhs, of_product);
  if (s.vectors == of_zero) s.vectors = 0;
  s.rhs = of_rhs == of_zero ? s.vectors : of_rhs;
  return s;
}

template <class T>
std::vector<T> scaled(std::span<const T> v, int exponent) {
  std::vector<T> out(v.size());
  const power_of_two scale(exponent);
  std::transform(v.begin(), v.end(), out.begin(), [&](T e) { return static_cast<T>(scale(e)); });
  return out;
}

template system_scale scale_of(const csr_view<double>&, std::span<const double>,
                               std::span<const double>);
template system_scale scale_of(const csr_view<float>&, std::span<const float>,
                               std::span<const float>);
template std::vector<double> scaled(std::span<const double>, int);
template std::vector<float> scaled(std::span<const float>, int);

}  // namespace dwell
