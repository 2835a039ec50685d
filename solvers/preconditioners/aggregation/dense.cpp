// SPDX-License-Identifier: MIT
// Gauss and Jordan's elimination.
#include "dwell/solvers/preconditioners/aggregation/dense.hpp"

#include <cmath>
#include <cstddef>
#include <utility>

namespace dwell::aggregation {

std::vector<double> inverse_of(const sequences::rows_f64& a, const double* diagonal) {
  constexpr double least_pivot = 1e-12;
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> m(n * n), inverse(n * n);
  for (std::size_t i = 0; i < n; ++i) {
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      m[i * n + static_cast<std::size_t>(a.col[k])] += a.val[k] / diagonal[i];
    inverse[i * n + i] = 1.0 / diagonal[i];
  }
  for (std::size_t j = 0; j < n; ++j) {
    std::size_t pivot = j;
    for (std::size_t i = j + 1; i < n; ++i)
      if (std::fabs(m[i * n + j]) > std::fabs(m[pivot * n + j])) pivot = i;
    const double p = m[pivot * n + j];
    if (!(std::fabs(p) > least_pivot)) {  // x_j = 0, and its equation is left out
      for (std::size_t i = 0; i < n; ++i) m[i * n + j] = 0.0;
      for (std::size_t k = 0; k < n; ++k) m[j * n + k] = inverse[j * n + k] = 0.0;
      continue;
    }
    for (std::size_t k = 0; k < n && pivot != j; ++k) {
      std::swap(m[j * n + k], m[pivot * n + k]);
      std::swap(inverse[j * n + k], inverse[pivot * n + k]);
    }
    for (std::size_t k = j; k < n; ++k) m[j * n + k] /= p;
    for (std::size_t k = 0; k < n; ++k) inverse[j * n + k] /= p;
    for (std::size_t i = 0; i < n; ++i) {
      const double f = m[i * n + j];
      if (i == j || f == 0.0) continue;
      for (std::size_t k = j; k < n; ++k) m[i * n + k] -= f * m[j * n + k];
      for (std::size_t k = 0; k < n; ++k) inverse[i * n + k] -= f * inverse[j * n + k];
    }
  }
  return inverse;
}

}  // namespace dwell::aggregation
