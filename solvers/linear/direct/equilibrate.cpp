// SPDX-License-Identifier: MIT
// Sweeps over the exponents of the elements.
#include "dwell/solvers/linear/direct/equilibrate.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dwell/solvers/linear/direct/fill.hpp"

namespace dwell {
namespace {

/// Halves of the exponents that are left come down by every sweep, from 2000 to less than 1.
constexpr int most_sweeps = 14;
/// What means leave differs little between neighbours after a few of them.
constexpr int sweeps_of_means = 60;

std::vector<int> whole(const std::vector<double>& v) {
  std::vector<int> out(v.size());
  std::transform(v.begin(), v.end(), out.begin(),
                 [](double e) { return static_cast<int>(std::lround(e)); });
  return out;
}

/// Half of the exponents of the diagonal.
template <class T>
matrix_exponents of_diagonal(const csr_view<T>& a) {
  std::vector<int> by(slot(a.rows), 0);
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      if (a.col[k] == i && a.val[k] != T(0)) by[slot(i)] = -(std::ilogb(a.val[k]) >> 1);
  return {by, by};
}

}  // namespace

template <class T>
matrix_exponents equilibrate(const csr_view<T>& a, bool symmetric, bool positive_diagonal) {
  if (symmetric && positive_diagonal) return of_diagonal(a);
  constexpr double none = -std::numeric_limits<double>::infinity();
  std::vector<float> exponent(slot(a.nonzeros()));
  for (index k = 0; k < a.nonzeros(); ++k)
    exponent[slot(k)] = a.val[k] == T(0) ? -std::numeric_limits<float>::infinity()
                                         : static_cast<float>(std::ilogb(a.val[k]));
  std::vector<double> row(slot(a.rows), 0.0), column(slot(a.rows), 0.0);
  for (int sweep = 0; sweep < most_sweeps; ++sweep) {
    std::vector<double> of_row(slot(a.rows), none), of_column(slot(a.rows), none);
    for (index i = 0; i < a.rows; ++i)
      for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k) {
        const index j = a.col[k];
        const double e = static_cast<double>(exponent[slot(k)]) + row[slot(i)] + column[slot(j)];
        of_row[slot(i)] = std::max(of_row[slot(i)], e);
        of_column[slot(j)] = std::max(of_column[slot(j)], e);
      }
    double most = 0;
    const auto move = [&](std::vector<double>& by, const std::vector<double>& largest) {
      for (std::size_t i = 0; i < by.size(); ++i) {
        if (largest[i] == none) continue;
        most = std::max(most, std::abs(largest[i]));
        by[i] -= 0.5 * largest[i];
      }
    };
    move(row, of_row);
    if (symmetric)
      column = row;
    else
      move(column, of_column);
    if (most < 1.5) break;
  }
  return {whole(row), whole(column)};
}

template <class T>
matrix_exponents equilibrate_by_mean(const csr_view<T>& a) {
  std::vector<double> row(slot(a.rows), 0.0), column(row);
  std::vector<double> sum(row.size());
  std::vector<index> count(row.size());
  const auto each = [&](auto&& f) {
    for (index i = 0; i < a.rows; ++i)
      for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
        if (a.val[k] != T(0)) f(slot(i), slot(a.col[k]), static_cast<double>(std::ilogb(a.val[k])));
  };
  const auto take_means = [&](std::vector<double>& by) {
    double most = 0;
    for (std::size_t i = 0; i < by.size(); ++i) {
      if (count[i] == 0) continue;
      const double mean = -sum[i] / count[i];
      most = std::max(most, std::abs(mean - by[i]));
      by[i] = mean;
    }
    std::fill(sum.begin(), sum.end(), 0.0);
    std::fill(count.begin(), count.end(), 0);
    return most;
  };
  for (int sweep = 0; sweep < sweeps_of_means; ++sweep) {
    each([&](std::size_t i, std::size_t j, double e) { sum[i] += e + column[j], ++count[i]; });
    const double by_rows = take_means(row);
    each([&](std::size_t i, std::size_t j, double e) { sum[j] += e + row[i], ++count[j]; });
    if (std::max(by_rows, take_means(column)) < 0.5) break;
  }
  return {whole(row), whole(column)};
}

template <class T>
std::vector<double> scaled_values(const csr_view<T>& a, const matrix_exponents& by) {
  std::vector<double> out(slot(a.nonzeros()));
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      out[slot(k)] =
          std::ldexp(static_cast<double>(a.val[k]), by.row[slot(i)] + by.column[slot(a.col[k])]);
  return out;
}

template matrix_exponents equilibrate(const csr_view<double>&, bool, bool);
template matrix_exponents equilibrate(const csr_view<float>&, bool, bool);
template matrix_exponents equilibrate_by_mean(const csr_view<double>&);
template matrix_exponents equilibrate_by_mean(const csr_view<float>&);
template std::vector<double> scaled_values(const csr_view<double>&, const matrix_exponents&);
template std::vector<double> scaled_values(const csr_view<float>&, const matrix_exponents&);

}  // namespace dwell
