// SPDX-License-Identifier: MIT
// The coarsest level's matrix, factored (Cholesky, L L', rows of L from their first element that is
// not 0): grids are banded, and so are their factors.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <vector>

#include "dwell/solvers/grid/coefficients.hpp"

namespace dwell::grids {

class profile_factor {
 public:
  profile_factor() = default;
  /// singular: constants are in the null space. Then one unknown is held, and consistent systems
  /// are solved up to a constant.
  template <class V>
  profile_factor(const coefficients<V>& a, bool singular);

  using position = std::array<int, 3>;  ///< z, y, x
  using sink = std::function<void(const position& row, const position& column, double)>;
  /// A grid of n cells along z, y, x: elements(put) puts all elements of its matrix, which is
  /// symmetric, in parts or as wholes, twice the same. halved: vectors are in halved rows, else in
  /// the order of memory.
  profile_factor(const position& n, bool singular, bool halved,
                 const std::function<void(const sink&)>& elements);

  /// f and u are as the constructor says (of `coefficients` in halved rows).
  template <class V>
  void solve(const V* f, V* u) {
    const std::size_t n = place_.size();
    for (std::size_t i = 0; i < n; ++i) x_[i] = double(f[place_[i]]);
    substitute<1>(x_.data());
    for (std::size_t i = 0; i < n; ++i) u[place_[i]] = V(x_[i]);
  }
  /// The inverse, size() rows one after the other, symmetric to the last bit: half of it is
  /// computed.
  void inverse(double* to) const;

  // What inverse() reads, for those who do the same elsewhere.
  const std::vector<std::size_t>& places() const { return place_; }
  const std::vector<std::size_t>& first_columns() const { return first_; }
  const std::vector<std::size_t>& row_starts() const { return start_; }
  const std::vector<double>& elements() const { return l_; }

  std::size_t size() const { return place_.size(); }
  std::size_t bytes() const { return l_.size() * sizeof(double); }

 private:
  double* row(std::size_t i) { return l_.data() + start_[i]; }
  const double* row(std::size_t i) const { return l_.data() + start_[i]; }

  /// Solves for so many columns at once: unknown i of column k is x[i * Columns + k]. Unknowns
  /// before `begin` are 0 on the right-hand side and as they are in the answer.
  template <std::size_t Columns>
  void substitute(double* x, std::size_t begin = 0) const {
    const std::size_t n = place_.size();
    for (std::size_t i = begin; i < n; ++i) {
      const double* const l = row(i);
      const double* const before = x + first_[i] * Columns;
      double* const own = x + i * Columns;
      const std::size_t m = i - first_[i];
      double sum[4][Columns] = {};
      for (std::size_t k = 0; k < Columns; ++k) sum[0][k] = own[k];
      for (std::size_t c = 0; c + 4 <= m; c += 4)
        for (std::size_t e = 0; e < 4; ++e)
          for (std::size_t k = 0; k < Columns; ++k)
            sum[e][k] -= l[c + e] * before[(c + e) * Columns + k];
      for (std::size_t c = m / 4 * 4; c < m; ++c)
        for (std::size_t k = 0; k < Columns; ++k) sum[0][k] -= l[c] * before[c * Columns + k];
      for (std::size_t k = 0; k < Columns; ++k)
        own[k] = ((sum[0][k] + sum[1][k]) + (sum[2][k] + sum[3][k])) * l[m];
    }
    for (std::size_t i = n; i-- > begin;) {
      const double* const l = row(i);
      double* const before = x + first_[i] * Columns;
      double* const own = x + i * Columns;
      const std::size_t m = i - first_[i];
      double v[Columns];
      for (std::size_t k = 0; k < Columns; ++k) v[k] = own[k] *= l[m];
      for (std::size_t c = begin - std::min(begin, first_[i]); c < m; ++c)
        for (std::size_t k = 0; k < Columns; ++k) before[c * Columns + k] -= l[c] * v[k];
    }
  }

  std::vector<std::size_t> place_;  ///< where unknown i is in vectors
  std::vector<std::size_t> first_;  ///< column of the first element of row i
  std::vector<std::size_t>
      start_;  ///< where row i is in l_; its last element is 1 / the diagonal's
  std::vector<double> l_, x_;
};

extern template profile_factor::profile_factor(const coefficients<double>&, bool);
extern template profile_factor::profile_factor(const coefficients<float>&, bool);

}  // namespace dwell::grids
