// SPDX-License-Identifier: MIT
// Arrays for tests of reductions, and what every reduction gives of them by the passes with which
// solvers sum up norms (execution/device/loops/ordered_pass.hpp).
#pragma once
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "dwell/arrays/reduce.hpp"
#include "dwell/execution/device/loops/ordered_pass.hpp"
#include "place.hpp"

namespace dwell::test {

inline constexpr reduction all_reductions[] = {reduction::sum,   reduction::min,
                                               reduction::max,   reduction::norm1,
                                               reduction::norm2, reduction::norm_max};

/// Numbers of both signs and very different magnitudes, so that every order of a sum gives other
/// bits.
template <class T>
std::vector<T> uneven_numbers(std::size_t n, std::uint64_t seed) {
  std::vector<T> v(n);
  for (T& x : v) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    const double mantissa = static_cast<double>(static_cast<std::int64_t>(seed) >> 11) * 0x1p-52;
    x = static_cast<T>(std::ldexp(mantissa, static_cast<int>(seed % 41) - 20));
  }
  return v;
}

/// Around vectors, warps, chunks (1024), blocks of 8 chunks, rows of 256 of them, and the numbers
/// of chunks from which a GPU shares them in another way; and some million. Under sanitizers, on a
/// CPU alone, one size has so many chunks.
inline std::vector<std::size_t> reduced_sizes() {
  constexpr std::size_t chunk = 1024;
  std::vector<std::size_t> all = {0,  1,   2,   3,   4,   5,    7,    31,   32,   33,  63,
                                  64, 127, 255, 256, 257, 1000, 1023, 1024, 1025, 2047};
  for (const std::size_t chunks :
       {2, 7, 8, 9, 31, 131, 255, 256, 257, 2047, 2048, 2049, 2056, 2304})
    for (const std::size_t more : {std::size_t(0), std::size_t(1), std::size_t(700)})
      if (!sanitized || chunks <= 257 || (chunks == 2049 && more == 700))
        all.push_back(chunks * chunk + more);
  if (!sanitized) all.push_back(4'567'891);
  return all;
}

/// One total over the elements of x and y.
template <class T>
struct plain_pass {
  static constexpr int totals = 1;
  std::span<const T> x, y;
  double* to;
  bool products;

  int constants() const { return 0; }
  void element(index i, int, double* acc) const {
    const auto k = static_cast<std::size_t>(i);
    const double v = static_cast<double>(x[k]);
    acc[0] += products ? v * static_cast<double>(y[k]) : v;
  }
  static void combine(double* to, const double* from) { to[0] += from[0]; }
  void conclude(const double* acc) const { *to = acc[0]; }
};

template <class T>
double plain_sum(std::span<const T> x) {
  double total = 0;
  cpu::run_pass(static_cast<index>(x.size()), plain_pass<T>{x, x, &total, false});
  return total;
}
template <class T>
double plain_dot(std::span<const T> x, std::span<const T> y) {
  double total = 0;
  cpu::run_pass(static_cast<index>(x.size()), plain_pass<T>{x, y, &total, true});
  return total;
}

/// Elements that are finite, and squares within range; not of min and max of nothing.
template <class T>
double plain_reduction(std::span<const T> v, reduction r) {
  std::vector<T> magnitudes(v.begin(), v.end());
  for (T& x : magnitudes) x = std::fabs(x);
  double found = r == reduction::min   ? std::numeric_limits<double>::infinity()
                 : r == reduction::max ? -std::numeric_limits<double>::infinity()
                                       : 0.0;
  switch (r) {
    case reduction::sum:
      return plain_sum(v);
    case reduction::norm1:
      return plain_sum(std::span<const T>(magnitudes));
    case reduction::norm2:
      return std::sqrt(plain_dot(v, v));
    case reduction::min:
      for (const T x : v) found = std::fmin(found, static_cast<double>(x));
      return found;
    case reduction::max:
      for (const T x : v) found = std::fmax(found, static_cast<double>(x));
      return found;
    case reduction::norm_max:
      for (const T x : magnitudes) found = std::fmax(found, static_cast<double>(x));
  }
  return found;
}

inline bool needs_elements(reduction r) { return r == reduction::min || r == reduction::max; }

inline std::uint64_t bits_of(double v) { return std::bit_cast<std::uint64_t>(v); }

}  // namespace dwell::test
