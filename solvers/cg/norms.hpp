// SPDX-License-Identifier: MIT
// What a solve needs to know of vectors before and after it runs, computed on the host in double:
// norms and the true residual. Private to the solver.
#pragma once
#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "dwell/formats/csr.hpp"
#include "dwell/formats/parallel.hpp"
#include "dwell/formats/power_of_two.hpp"
#include "dwell/solvers/cg/system_scale.hpp"

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

/// ||2^exponent v||
template <class T>
double norm(std::span<const T> v, int exponent = 0) {
  const power_of_two scale(exponent);
  return std::sqrt(sum_over(static_cast<index>(v.size()), [&](index i) {
    const double e = scale(v[static_cast<std::size_t>(i)]);
    return e * e;
  }));
}

/// b' - A' x' of the scaled system, whatever T is.
template <class T>
std::vector<double> true_residual(const csr_view<T>& a, std::span<const T> b, std::span<const T> x,
                                  const system_scale& by) {
  const power_of_two of_matrix(-by.matrix), of_rhs(-by.vectors), of_answer(-by.answer());
  std::vector<double> at(x.begin(), x.end()), r(b.begin(), b.end());
  for (double& e : at) e = of_answer(e);
  const int parts = a.nonzeros() < (1 << 16) ? 1 : default_threads();
  for_parts(parts, [&](int part) {
    const auto [begin, end] = piece(a.rows, part, parts);
    for (index i = begin; i < end; ++i) {
      double sum = of_rhs(r[static_cast<std::size_t>(i)]);
      for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
        sum -= of_matrix(a.val[k]) * at[static_cast<std::size_t>(a.col[k])];
      r[static_cast<std::size_t>(i)] = sum;
    }
  });
  return r;
}

}  // namespace dwell
