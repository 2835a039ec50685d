// SPDX-License-Identifier: MIT
// See null_vectors.hpp.
#include "dwell/solvers/linear/null_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

#include "dwell/base/error.hpp"
#include "dwell/solvers/linear/solve_steps.hpp"
#include "dwell/solvers/linear/system_scale.hpp"

namespace dwell {
namespace {

using column = std::span<double>;

double product(column a, column b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// To a norm of 1; returns the norm before, of a column whose largest element is about 1.
double normalize(column v) {
  const double norm = std::sqrt(product(v, v));
  if (norm > 0.0)
    for (double& e : v) e /= norm;
  return norm;
}

/// Divides by the exponent of the largest element, so that squares stay in range.
void scale(column v, int number) {
  double most = 0;
  for (const double e : v) {
    if (!std::isfinite(e))
      throw input_error(
          fmt::format("null_vectors: expected finite numbers, found {} in vector {}", e, number));
    most = std::max(most, std::abs(e));
  }
  if (most == 0.0)
    throw input_error(
        fmt::format("null_vectors: expected vectors other than zero, found vector {}", number));
  const int by = -std::ilogb(most);
  for (double& e : v) e = std::ldexp(e, by);
}

}  // namespace

std::vector<double> orthonormal(const std::vector<double>& vectors, index rows) {
  const auto n = static_cast<std::size_t>(rows);
  const std::size_t count = n > 0 ? vectors.size() / n : 0;
  if (count * n != vectors.size() || count < 1 || count > most_null_vectors || count > n)
    throw input_error(fmt::format(
        "null_vectors: expected 1 to {} vectors of {} elements, one after another, found {} "
        "elements",
        std::min<std::size_t>(most_null_vectors, n), n, vectors.size()));
  constexpr double independent = 1e-8;  // of its length must be outside of the span of the others
  std::vector<double> q = vectors;
  const auto of = [&](std::size_t k) { return column(q).subspan(k * n, n); };
  for (std::size_t k = 0; k < count; ++k) {
    scale(of(k), static_cast<int>(k) + 1);
    normalize(of(k));
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t before = 0; before < k; ++before) {
        const double part = product(of(before), of(k));
        for (std::size_t i = 0; i < n; ++i) of(k)[i] -= part * of(before)[i];
      }
      if (normalize(of(k)) < independent)
        throw input_error(fmt::format(
            "null_vectors: expected independent vectors, found vector {} in the span of those "
            "before it",
            k + 1));
    }
  }
  return q;
}

null_vectors::null_vectors(const device& where, const solve_options& o, index rows)
    : where_(where) {
  if (o.null_vectors.empty()) return;
  const std::vector<double> q = orthonormal(o.null_vectors, rows);
  count_ = static_cast<int>(q.size() / static_cast<std::size_t>(rows));
  data_ = buffer<double>::copy_of(where, q);
}

template <class T>
void null_vectors::check(const csr_arrays<T>& a, int exponent) const {
  if (count_ == 0) return;
  constexpr double small = sizeof(T) == 8 ? 1e-8 : 1e-4;
  const auto n = static_cast<std::size_t>(a.rows);
  buffer<double> product(where_, n, fresh::unset), norms(where_, 2);
  buffer<double> partial(where_, solve_partials(a.rows), fresh::unset);
  buffer<unsigned> done(where_, 1);
  for (int k = 0; k < count_; ++k) {
    product_places<T> at;
    at.a = a;
    at.exponent = exponent == exponent_of_zero ? 0 : -exponent;
    at.v = data() + static_cast<std::size_t>(k) * n;
    at.product = product.data();
    at.partial = partial.data();
    at.done = done.data();
    at.squares = norms.data();
    solve_steps_of<T>(where_.on()).product(where_, at);
    double found[2];
    norms.download(found);
    if (std::sqrt(found[0]) <= small * std::sqrt(found[1])) continue;
    throw input_error(fmt::format(
        "null_vectors: expected vectors that the matrix takes to zero, found that it leaves "
        "{:.1e} of || |A| |n| || of vector {}, made orthogonal to those before it",
        std::sqrt(found[0]) / std::sqrt(found[1]), k + 1));
  }
}

template void null_vectors::check(const csr_arrays<double>&, int) const;
template void null_vectors::check(const csr_arrays<float>&, int) const;

}  // namespace dwell
