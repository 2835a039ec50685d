// SPDX-License-Identifier: MIT
// Random complex systems for tests: Hermitian positive definite ones, and general ones.
#pragma once
#include <cmath>
#include <complex>
#include <map>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "dwell/formats/csr.hpp"

namespace dwell::test {

template <class R>
struct complex_system {
  csr<std::complex<R>> a;
  std::vector<std::complex<R>> b;
};

using complex_entries = std::map<std::pair<index, index>, std::complex<double>>;

inline csr<std::complex<double>> rows_of(index n, const complex_entries& entries) {
  csr<std::complex<double>> a;
  a.rows = a.cols = n;
  a.row_ptr.assign(static_cast<std::size_t>(n) + 1, 0);
  for (const auto& [place, v] : entries) {
    ++a.row_ptr[static_cast<std::size_t>(place.first) + 1];
    a.col.push_back(place.second);
    a.val.push_back(v);
  }
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) a.row_ptr[i + 1] += a.row_ptr[i];
  return a;
}

/// Diagonals dominate by `margin`; of a Hermitian one they are real, of another one turned by
/// random angles of at most a radian.
inline csr<std::complex<double>> random_complex(index n, unsigned seed, bool hermitian,
                                                double margin = 0.3) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  const auto any = [&] { return std::complex<double>(part(random), part(random)); };
  complex_entries entries;
  for (index i = 0; i < n; ++i)
    for (index e = 0; e < 5; ++e) {
      const auto j = static_cast<index>(random() % static_cast<unsigned>(n));
      if (j == i) continue;
      entries[{i, j}] = any();
      if (hermitian) entries[{j, i}] = std::conj(entries[{i, j}]);
    }
  std::vector<double> size(static_cast<std::size_t>(n), margin);
  for (const auto& [place, v] : entries) size[static_cast<std::size_t>(place.first)] += std::abs(v);
  for (index i = 0; i < n; ++i) {
    const double s = size[static_cast<std::size_t>(i)];
    entries[{i, i}] = hermitian ? std::complex<double>(s) : std::polar(s, part(random));
  }
  return rows_of(n, entries);
}

/// -u'' - k^2 u on a square of side x side cells, with a first-order absorbing boundary (du/dn =
/// i k u), which makes the matrix complex and symmetric, not Hermitian.
inline csr<std::complex<double>> absorbing_helmholtz(index side, double k_times_h) {
  complex_entries entries;
  const std::complex<double> outside = 1.0 / std::complex<double>(1.0, -k_times_h);
  for (index y = 0; y < side; ++y)
    for (index x = 0; x < side; ++x) {
      const index here = y * side + x;
      std::complex<double> diagonal(4.0 - k_times_h * k_times_h);
      const auto to = [&](index dy, index dx) {
        if (y + dy < 0 || y + dy >= side || x + dx < 0 || x + dx >= side)
          diagonal -= outside;
        else
          entries[{here, here + dy * side + dx}] = -1.0;
      };
      to(-1, 0), to(1, 0), to(0, -1), to(0, 1);
      entries[{here, here}] = diagonal;
    }
  return rows_of(side * side, entries);
}

inline std::vector<std::complex<double>> random_numbers(index n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(-1.0, 1.0);
  std::vector<std::complex<double>> v;
  for (index i = 0; i < n; ++i) {
    const double re = part(random);
    v.emplace_back(re, part(random));
  }
  return v;
}

template <class R>
complex_system<R> in_precision(const csr<std::complex<double>>& a,
                               const std::vector<std::complex<double>>& b) {
  complex_system<R> s;
  s.a.rows = a.rows, s.a.cols = a.cols, s.a.row_ptr = a.row_ptr, s.a.col = a.col;
  for (const auto& v : a.val) s.a.val.emplace_back(std::complex<R>(v));
  for (const auto& v : b) s.b.emplace_back(std::complex<R>(v));
  return s;
}

/// ||b - A x|| / ||b|| by plain loops in long double.
template <class R>
double plain_residual(const complex_system<R>& s, std::span<const std::complex<R>> x) {
  using wide = std::complex<long double>;
  long double left = 0, all = 0;
  for (std::size_t i = 0; i < s.b.size(); ++i) {
    wide r(s.b[i]);
    all += std::norm(r);
    for (index k = s.a.row_ptr[i]; k < s.a.row_ptr[i + 1]; ++k)
      r -= wide(s.a.val[static_cast<std::size_t>(k)]) *
           wide(x[static_cast<std::size_t>(s.a.col[static_cast<std::size_t>(k)])]);
    left += std::norm(r);
  }
  return static_cast<double>(std::sqrt(left / all));
}

template <class R>
double apart(const std::vector<std::complex<R>>& x, const std::vector<std::complex<double>>& from) {
  double gap = 0, all = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    gap += std::norm(std::complex<double>(x[i]) - from[i]);
    all += std::norm(from[i]);
  }
  return std::sqrt(gap / all);
}

}  // namespace dwell::test
