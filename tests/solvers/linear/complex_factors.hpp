// SPDX-License-Identifier: MIT
// Incomplete factors of complex matrices by plain loops, and a system where jacobi breaks down.
#pragma once
#include <complex>
#include <cstddef>
#include <functional>
#include <numeric>
#include <vector>

#include "complex_systems.hpp"

namespace dwell::test {

/// U^-1 L^-1 v of the incomplete factors with the pattern of A, by plain loops in the order of its
/// rows.
inline std::vector<std::complex<double>> by_plain_factors(const csr<std::complex<double>>& a,
                                                          std::vector<std::complex<double>> v) {
  using number = std::complex<double>;
  const auto at = [](index i) { return static_cast<std::size_t>(i); };
  csr<number> f = a;
  const auto element = [&](index i, index j) -> number* {
    for (index k = f.row_ptr[at(i)]; k < f.row_ptr[at(i) + 1]; ++k)
      if (f.col[at(k)] == j) return &f.val[at(k)];
    return nullptr;
  };
  for (index i = 0; i < a.rows; ++i)
    for (index k = 0; k < i; ++k) {
      number* const l = element(i, k);
      if (!l) continue;
      *l /= *element(k, k);
      for (index j = k + 1; j < a.rows; ++j)
        if (number* const to = element(i, j), * const u = element(k, j); to && u) *to -= *l * *u;
    }
  for (index i = 0; i < a.rows; ++i)
    for (index j = 0; j < i; ++j)
      if (const number* l = element(i, j)) v[at(i)] -= *l * v[at(j)];
  for (index i = a.rows - 1; i >= 0; --i) {
    for (index j = i + 1; j < a.rows; ++j)
      if (const number* u = element(i, j)) v[at(i)] -= *u * v[at(j)];
    v[at(i)] /= *element(i, i);
  }
  return v;
}

/// How far x is from the multiple of `expected` that is next to it by least squares.
inline double apart_but_for_a_factor(const std::vector<std::complex<double>>& x,
                                     std::vector<std::complex<double>> expected) {
  using number = std::complex<double>;
  const number factor =
      std::inner_product(expected.begin(), expected.end(), x.begin(), number(0.0), std::plus<>{},
                         [](const number& e, const number& g) { return std::conj(e) * g; }) /
      std::accumulate(expected.begin(), expected.end(), 0.0,
                      [](double sum, const number& e) { return sum + std::norm(e); });
  for (number& v : expected) v *= factor;
  return std::abs(factor) > 0.1 ? apart(x, expected) : 1.0;
}

/// Pairs of rows that turn a vector, whose diagonals are nearly nothing: with jacobi the residual
/// of Bi-CGSTAB grows at once.
inline complex_system<double> pairs_that_turn(index n, unsigned seed) {
  complex_entries entries;
  for (index i = 0; i < n; i += 2) {
    entries[{i, i}] = entries[{i + 1, i + 1}] = 1e-9;
    entries[{i, i + 1}] = 1.0;
    entries[{i + 1, i}] = -1.0;
  }
  auto b = random_numbers(n, seed);
  for (std::complex<double>& v : b) v = v.real();
  return in_precision<double>(rows_of(n, entries), b);
}

}  // namespace dwell::test
