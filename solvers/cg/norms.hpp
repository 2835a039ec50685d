// SPDX-License-Identifier: MIT
// What a solve needs to know of vectors before and after it runs, computed on the host: norms, the
// true residual, and the scale of a right-hand side. Private to the solver.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "dwell/formats/csr.hpp"
#include "dwell/formats/parallel.hpp"

namespace dwell {

/// Sum over i of f(i), in parallel with an order that does not depend on the number of threads.
template <class F>
double sum_over(index n, F&& f) {
  constexpr index chunk = 1 << 14;
  const index chunks = (n + chunk - 1) / chunk;
  std::vector<double> part(static_cast<std::size_t>(chunks));
  const int threads = n < 4 * chunk ? 1 : default_threads();
  for_parts(threads, [&](int t) {
    const auto [begin, end] = piece(chunks, t, threads);
    for (index c = begin; c < end; ++c) {
      double s = 0.0;
      for (index i = c * chunk; i < std::min(n, (c + 1) * chunk); ++i) s += f(i);
      part[static_cast<std::size_t>(c)] = s;
    }
  });
  double s = 0.0;
  for (double p : part) s += p;
  return s;
}

template <class T>
double norm(std::span<const T> v) {
  return std::sqrt(sum_over(static_cast<index>(v.size()), [&](index i) {
    const double e = v[static_cast<std::size_t>(i)];
    return e * e;
  }));
}

/// ||b - A x|| in double, whatever T is.
template <class T>
double true_residual(const csr_view<T>& a, std::span<const T> b, std::span<const T> x) {
  return std::sqrt(sum_over(a.rows, [&](index i) {
    double r = b[static_cast<std::size_t>(i)];
    for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
      r -= static_cast<double>(a.val[k]) *
           static_cast<double>(x[static_cast<std::size_t>(a.col[k])]);
    return r * r;
  }));
}

/// A power of two by which b and x are divided while the solve lasts, so that squares of extreme
/// right-hand sides neither overflow nor vanish; 0 where there is no need.
template <class T>
int extreme_exponent(std::span<const T> b) {
  constexpr int comfortable = 300;  // 2^300: sums of squares of any length stay far from the limits
  double largest = 0.0;
  for (const T e : b) largest = std::max(largest, std::abs(static_cast<double>(e)));
  if (largest == 0.0) return 0;
  const int exponent = std::ilogb(largest);
  return std::abs(exponent) > comfortable ? exponent : 0;
}

template <class T>
std::vector<T> scaled(std::span<const T> v, int exponent) {
  std::vector<T> out(v.begin(), v.end());
  for (T& e : out) e = std::ldexp(e, exponent);
  return out;
}

}  // namespace dwell
