// SPDX-License-Identifier: MIT
// The product of one row, as the teams of a CPU compute it: of a value per nonzero, of a pair, and
// of the columns of a Program (column_count), whose sums are written as vectors of the compiler's,
// which does not find them by itself.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"

namespace dwell {

/// Nonzeros ahead that are prefetched. Short rows keep the hardware from running ahead of the two
/// streams: 256 nonzeros ahead took a 7-point mesh from 28 to 49 GB/s on two cores of an EPYC,
/// where a triad reached 61.
inline constexpr index row_ahead = 256;

/// The sums of val[k] * p[col[k]] over [k, end), p a pack of values: four partial sums in turn,
/// since one chain of additions would wait for itself.
template <class Team, class T, class Pack>
DWELL_FN Pack row_sum(const T* val, const index* col, const Pack* p, std::int64_t k,
                      std::int64_t end) {
  constexpr int width = sizeof(Pack) / sizeof(T);
  Pack s[4] = {};
  const auto add = [&](Pack& to, std::int64_t at) {
    const Pack x = p[col[at]];
    for (int w = 0; w < width; ++w) to.v[w] = multiply_add(val[at], x.v[w], to.v[w]);
  };
  for (; k + 4 <= end; k += 4) {
    Team::prefetch(val + k + row_ahead);
    Team::prefetch(col + k + row_ahead);
    add(s[0], k);
    add(s[1], k + 1);
    add(s[2], k + 2);
    add(s[3], k + 3);
  }
  switch (end - k) {  // a loop would be guessed wrong where row lengths vary
    case 3:
      add(s[2], k + 2);
      [[fallthrough]];
    case 2:
      add(s[1], k + 1);
      [[fallthrough]];
    case 1:
      add(s[0], k);
  }
  for (int w = 0; w < width; ++w) s[0].v[w] = (s[0].v[w] + s[1].v[w]) + (s[2].v[w] + s[3].v[w]);
  return s[0];
}

/// f(row, k, end) for rows [first, last): the row's nonzeros are [k, end). The first one's begin at
/// k.
template <class Starts, class F>
DWELL_FN void each_row(const Starts& row_ptr, index first, index last, std::int64_t k, F&& f) {
  for (index row = first; row < last; ++row) {
    const std::int64_t end = row_ptr[row + 1];
    f(row, k, end);
    k = end;
  }
}

#if !defined(__CUDACC__)  // by teams that walk rows: there are none on a GPU

/// Width values in vectors of up to 32 bytes.
template <class T, int Width>
struct vector_sums {
  static constexpr int in_one = Width * sizeof(T) > 32 ? 32 / static_cast<int>(sizeof(T)) : Width;
  static constexpr int count = Width / in_one;
  typedef T vector __attribute__((vector_size(in_one * sizeof(T)), aligned(sizeof(T)), may_alias));
  vector part[count] = {};

  /// Adds a * x[w] to sum w.
  void add(T a, const T* x) {
#pragma GCC unroll 8
    for (int i = 0; i < count; ++i) {
      const vector xs = *reinterpret_cast<const vector*>(x + i * in_one);
      vector sum = part[i];
#pragma GCC unroll 8
      for (int w = 0; w < in_one; ++w) sum[w] = std::fma(a, xs[w], part[i][w]);
      part[i] = sum;
    }
  }
};

/// row_sum() of columns, in the same order: four partial sums of each.
template <class Team, class T, class Pack>
Pack row_sums_of_columns(const T* val, const index* col, const Pack* p, std::int64_t k,
                         std::int64_t end) {
  constexpr int width = sizeof(Pack) / sizeof(T);
  using all = vector_sums<T, width>;
  all s[4];
  for (; k + 4 <= end; k += 4) {
    Team::prefetch(val + k + row_ahead);
    Team::prefetch(col + k + row_ahead);
    s[0].add(val[k], p[col[k]].v);
    s[1].add(val[k + 1], p[col[k + 1]].v);
    s[2].add(val[k + 2], p[col[k + 2]].v);
    s[3].add(val[k + 3], p[col[k + 3]].v);
  }
  switch (end - k) {
    case 3:
      s[2].add(val[k + 2], p[col[k + 2]].v);
      [[fallthrough]];
    case 2:
      s[1].add(val[k + 1], p[col[k + 1]].v);
      [[fallthrough]];
    case 1:
      s[0].add(val[k], p[col[k]].v);
  }
  Pack row;
  for (int i = 0; i < all::count; ++i) {
    const auto sum = (s[0].part[i] + s[1].part[i]) + (s[2].part[i] + s[3].part[i]);
    for (int w = 0; w < all::in_one; ++w) row.v[i * all::in_one + w] = sum[w];
  }
  return row;
}

#endif

}  // namespace dwell
