// SPDX-License-Identifier: MIT
// The coarsest level's matrix, factored (Cholesky, L L', rows of L from their first element that is
// not 0): grids are banded, and so are their factors.
#pragma once
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
    for (std::size_t i = 0; i < n; ++i) {
      const double* const l = row(i);
      double sum[4] = {x_[i], 0, 0, 0};
      const double* const x = x_.data() + first_[i];
      const std::size_t m = i - first_[i];
      for (std::size_t c = 0; c + 4 <= m; c += 4)
        for (std::size_t e = 0; e < 4; ++e) sum[e] -= l[c + e] * x[c + e];
      for (std::size_t c = m / 4 * 4; c < m; ++c) sum[0] -= l[c] * x[c];
      x_[i] = ((sum[0] + sum[1]) + (sum[2] + sum[3])) * l[m];
    }
    for (std::size_t i = n; i-- > 0;) {
      const double* const l = row(i);
      const std::size_t m = i - first_[i];
      const double v = x_[i] *= l[m];
      double* const x = x_.data() + first_[i];
      for (std::size_t c = 0; c < m; ++c) x[c] -= l[c] * v;
    }
    for (std::size_t i = 0; i < n; ++i) u[place_[i]] = V(x_[i]);
  }

  std::size_t bytes() const { return l_.size() * sizeof(double); }

 private:
  double* row(std::size_t i) { return l_.data() + start_[i]; }

  std::vector<std::size_t> place_;  ///< where unknown i is in vectors
  std::vector<std::size_t> first_;  ///< column of the first element of row i
  std::vector<std::size_t>
      start_;  ///< where row i is in l_; its last element is 1 / the diagonal's
  std::vector<double> l_, x_;
};

extern template profile_factor::profile_factor(const coefficients<double>&, bool);
extern template profile_factor::profile_factor(const coefficients<float>&, bool);

}  // namespace dwell::grids
