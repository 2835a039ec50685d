// SPDX-License-Identifier: MIT
// Gram-Schmidt, copies to the device, and the product of A with each vector.
#include "dwell/solvers/linear/check/null_vectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/solvers/linear/run/solve_steps.hpp"
#include "dwell/solvers/linear/run/system_scale.hpp"

namespace dwell {
namespace {

using column = std::span<double>;

/// Columns of which each rank has a piece; of one rank all.
class divided_columns {
 public:
  explicit divided_columns(communicator* ranks) : ranks_(ranks) {}

  /// f() on every rank; throws on all what it throws on one.
  template <class F>
  auto on_all(F&& f) const {
    return ranks_ ? together(*ranks_, f) : f();
  }
  std::int64_t sum(std::int64_t mine) const {
    if (!ranks_) return mine;
    std::int64_t all = 0;
    for (const std::int64_t one : values_of_ranks(*ranks_, mine)) all += one;
    return all;
  }
  double most(double mine) const {
    if (!ranks_) return mine;
    const std::vector<double> all = values_of_ranks(*ranks_, mine);
    return *std::max_element(all.begin(), all.end());
  }
  double product(column a, column b) const {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    if (ranks_)
      combine_over_ranks(*ranks_, &sum, 1, [](double* to, const double* from) { *to += *from; });
    return sum;
  }
  /// To a norm of 1; returns the norm before, of a column whose largest element is about 1.
  double normalize(column v) const {
    const double norm = std::sqrt(product(v, v));
    if (norm > 0.0)
      for (double& e : v) e /= norm;
    return norm;
  }
  /// Divides by the exponent of the largest element, so that squares stay in range.
  void scale(column v, int number) const {
    double most_here = 0;
    on_all([&] {
      for (const double e : v) {
        if (!std::isfinite(e))
          throw input_error(fmt::format(
              "null_vectors: expected finite numbers, found {} in vector {}", e, number));
        most_here = std::max(most_here, std::abs(e));
      }
    });
    const double most_there = most(most_here);
    on_all([&] {
      if (most_there == 0.0)
        throw input_error(
            fmt::format("null_vectors: expected vectors other than zero, found vector {}", number));
    });
    const int by = -std::ilogb(most_there);
    for (double& e : v) e = std::ldexp(e, by);
  }
  /// How many there are. Throws input_error if there are none, or too many, or if they do not fit
  /// the rows.
  std::size_t count(std::size_t elements, std::size_t rows) const {
    const auto all_rows = static_cast<std::size_t>(sum(static_cast<std::int64_t>(rows)));
    const auto found = static_cast<std::size_t>(
        most(rows > 0 ? static_cast<double>(elements / rows) : 0.0));  // a rank may have no rows
    on_all([&] {
      if ((rows > 0 && found * rows != elements) || found < 1 || found > most_null_vectors ||
          found > all_rows)
        throw input_error(
            fmt::format("null_vectors: expected 1 to {} vectors of {} elements, one after another, "
                        "found {} elements",
                        std::min<std::size_t>(most_null_vectors, all_rows), rows, elements));
    });
    return found;
  }

 private:
  communicator* ranks_;
};

}  // namespace

std::vector<double> orthonormal(const std::vector<double>& vectors, index rows,
                                communicator* ranks) {
  const auto n = static_cast<std::size_t>(rows);
  const divided_columns all(ranks);
  const std::size_t count = all.count(vectors.size(), n);
  constexpr double independent = 1e-8;  // least part of its length outside of the others' span
  std::vector<double> q = vectors;
  q.resize(count * n);
  const auto of = [&](std::size_t k) { return column(q).subspan(k * n, n); };
  for (std::size_t k = 0; k < count; ++k) {
    all.scale(of(k), static_cast<int>(k) + 1);
    all.normalize(of(k));
    for (int pass = 0; pass < 2; ++pass) {
      for (std::size_t before = 0; before < k; ++before) {
        const double part = all.product(of(before), of(k));
        for (std::size_t i = 0; i < n; ++i) of(k)[i] -= part * of(before)[i];
      }
      const double left = all.normalize(of(k));
      all.on_all([&] {
        if (left < independent)
          throw input_error(fmt::format(
              "null_vectors: expected independent vectors, found vector {} in the span of those "
              "before it",
              k + 1));
      });
    }
  }
  return q;
}

null_vectors::null_vectors(const device& where, const solve_options& o, index rows,
                           const row_ranks* ranks)
    : where_(where), ranks_(ranks) {
  if (o.null_vectors.empty()) return;
  communicator* const comm = ranks ? ranks->comm : nullptr;
  const std::vector<double> q = orthonormal(o.null_vectors, rows, comm);
  count_ = static_cast<int>(
      divided_columns(comm).count(o.null_vectors.size(), static_cast<std::size_t>(rows)));
  data_ = buffer<double>::copy_of(where, q);
}

null_vectors null_vectors::constants(const device& where, const solve_options& o, index rows,
                                     const row_ranks* ranks) {
  null_vectors ones;
  if (o.null_space != "constant") return ones;
  ones.where_ = where;
  ones.ranks_ = ranks;
  ones.count_ = 1;
  ones.constants_ = true;
  ones.data_ =
      buffer<double>::copy_of(where, std::vector<double>(static_cast<std::size_t>(rows), 1.0));
  return ones;
}

buffer<double> null_vectors::with_ghosts(int k, std::size_t rows) const {
  const memory_space& memory = memory_of(where_.on());
  std::vector<double> here(rows + static_cast<std::size_t>(ranks_->halo->ghosts));
  memory.download(where_, here.data(), data() + static_cast<std::size_t>(k) * rows,
                  rows * sizeof(double));
  halo_exchange(*ranks_->comm, *ranks_->halo, here.data(), sizeof(double)).run();
  buffer<double> there = buffer<double>::copy_of(where_, here);
  memory.finish(where_);
  return there;
}

template <class T>
void null_vectors::check(const large_csr_arrays<T>& a, int exponent) const {
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
    buffer<double> whole;
    if (ranks_) whole = with_ghosts(k, n);
    at.v = ranks_ ? whole.data() : data() + static_cast<std::size_t>(k) * n;
    at.product = product.data();
    at.partial = partial.data();
    at.done = done.data();
    at.squares = norms.data();
    solve_steps_of<T>(where_.on()).product(where_, at);
    double found[2];
    norms.download(found);
    if (ranks_)
      combine_over_ranks(*ranks_->comm, found, 2, [](double* to, const double* from) {
        to[0] += from[0];
        to[1] += from[1];
      });
    if (std::sqrt(found[0]) <= small * std::sqrt(found[1])) continue;
    const double left = std::sqrt(found[0]) / std::sqrt(found[1]);
    divided_columns(ranks_ ? ranks_->comm : nullptr).on_all([&] {
      if (constants_)
        throw input_error(fmt::format(
            "null_space: expected auto, none, or a matrix that takes constant vectors to zero, "
            "found constant and that it leaves {:.1e} of || |A| 1 ||",
            left));
      throw input_error(fmt::format(
          "null_vectors: expected vectors that the matrix takes to zero, found that it leaves "
          "{:.1e} of || |A| |n| || of vector {}, made orthogonal to those before it",
          left, k + 1));
    });
  }
}

template void null_vectors::check(const large_csr_arrays<double>&, int) const;
template void null_vectors::check(const large_csr_arrays<float>&, int) const;

}  // namespace dwell
