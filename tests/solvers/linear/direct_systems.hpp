// SPDX-License-Identifier: MIT
// Systems for tests of method "direct": random ones of all kinds, and dense solutions in long
// double.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <set>

#include "method_problems.hpp"

#include "dwell/solvers/linear/direct/direct_method.hpp"

namespace dwell::test {
using entries = std::vector<std::tuple<index, index, double>>;
using wide = long double;

inline std::size_t place(index i) { return static_cast<std::size_t>(i); }

/// Gaussian elimination with partial pivoting.
inline std::vector<double> dense_solution(const csr<double>& a, const std::vector<double>& b) {
  const std::size_t n = b.size();
  std::vector<std::vector<wide>> m(n, std::vector<wide>(n + 1, 0));
  for (std::size_t i = 0; i < n; ++i) {
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      m[i][place(a.col[place(k)])] = a.val[place(k)];
    m[i][n] = b[i];
  }
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::abs(m[i][k]) > std::abs(m[best][k])) best = i;
    std::swap(m[k], m[best]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const wide f = m[i][k] / m[k][k];
      if (f != 0)
        for (std::size_t j = k; j <= n; ++j) m[i][j] -= f * m[k][j];
    }
  }
  std::vector<double> x(n);
  for (std::size_t i = n; i-- > 0;) {
    wide sum = m[i][n];
    for (std::size_t j = i + 1; j < n; ++j) sum -= m[i][j] * static_cast<wide>(x[j]);
    x[i] = static_cast<double>(sum / m[i][i]);
  }
  return x;
}

inline double distance(const std::vector<double>& a, const std::vector<double>& b) {
  double most = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    most = std::max(most, std::abs(a[i] - b[i]));
    size = std::max(size, std::abs(b[i]));
  }
  return size > 0 ? most / size : most;
}

enum class shape { definite, indefinite, unsymmetric };

/// Sparse, and not close to singular: the diagonal outweighs the rest, with signs of both kinds
/// unless it is to be definite.
inline csr<double> random_matrix(std::mt19937& engine, index n, shape of) {
  std::uniform_real_distribution<double> value(-1, 1);
  std::set<std::pair<index, index>> taken;
  entries all;
  std::vector<double> sum(place(n), 0.0);
  const auto add = [&](index i, index j, double v) {
    if (i == j || !taken.insert({i, j}).second) return;
    all.emplace_back(i, j, v);
    sum[place(i)] += std::abs(v);
  };
  for (index k = 0; k < 2 * n; ++k) {
    const auto i = static_cast<index>(engine() % place(n)),
               j = static_cast<index>(engine() % place(n));
    const double v = value(engine);
    if (taken.count({i, j}) || taken.count({j, i})) continue;
    add(i, j, v);
    if (of != shape::unsymmetric) add(j, i, v);
  }
  for (index i = 0; i < n; ++i) {
    const double sign = of != shape::definite && engine() % 3 == 0 ? -1 : 1;
    all.emplace_back(i, i, sign * (0.3 + 1.1 * sum[place(i)]));
  }
  return from_entries(n, all);
}

inline csr<double> scaled(csr<double> a, const std::vector<int>& rows,
                          const std::vector<int>& columns) {
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[place(i)]; k < a.row_ptr[place(i) + 1]; ++k)
      a.val[place(k)] =
          std::ldexp(a.val[place(k)], rows[place(i)] + columns[place(a.col[place(k)])]);
  return a;
}

inline csr<double> permuted(const csr<double>& a, const std::vector<index>& to) {
  entries all;
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[place(i)]; k < a.row_ptr[place(i) + 1]; ++k)
      all.emplace_back(to[place(i)], to[place(a.col[place(k)])], a.val[place(k)]);
  return from_entries(a.rows, all);
}

inline std::vector<index> random_order(std::mt19937& engine, index n) {
  std::vector<index> order(place(n));
  std::iota(order.begin(), order.end(), 0);
  std::shuffle(order.begin(), order.end(), engine);
  return order;
}

inline solve_options direct_options() {
  solve_options o;
  o.method = "direct";
  o.rtol = 1e-13;
  return o;
}

class direct : public testing::Test {
 protected:
  void SetUp() override {
    if (direct_variants().empty()) GTEST_SKIP() << "this program was built without Eigen";
  }
  static solution<double> solved(const csr<double>& a, const std::vector<double>& b,
                                 const solve_options& o = direct_options()) {
    solution<double> out{{}, std::vector<double>(b.size(), 0.0)};
    out.report = solve(device::cpu(2), a.view(), b, out.x, o);
    return out;
  }
};

}  // namespace dwell::test
