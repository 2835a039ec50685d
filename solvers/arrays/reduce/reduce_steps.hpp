// SPDX-License-Identifier: MIT
// What reductions do with elements, for both backends. The order is that of passes
// (execution/device/loops/ordered_pass.hpp): chunks of 1024 elements, of which lane l of 256 has l,
// l + 256, l + 512, l + 768; the lanes as a binary tree; chunk c to lane c mod 256 of a second row
// of lanes, and these as a tree. Who holds which lanes is a matter of the backend.
//
// An operation has
//   operands            arrays that it reads, 1 or 2
//   pad()               an element that changes nothing
//   none()              a total that changes nothing
//   element(v)          what an element is before it is put together; of two arrays element(v, w)
//   combine(a, b)       totals of two parts
//   conclude(total)     once, at the end
// where v, a and b may be doubles or vectors of them.
#pragma once
#include <cmath>
#include <cstdint>
#include <limits>

#include "dwell/base/fn.hpp"
#include "dwell/execution/device/loops/pass_chunks.hpp"

namespace dwell {

/// An array, or two, of n elements each.
template <class T>
struct reduce_arrays {
  const T* x = nullptr;
  const T* y = nullptr;  ///< null: there is one
  std::int64_t n = 0;
};

namespace reduce_step {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

template <class V>
DWELL_HD V magnitude(V v) {
  return v < 0.0 ? -v : v;
}

struct whole_value {
  static constexpr int operands = 1;
  template <class V>
  DWELL_HD V element(V v) const {
    return v;
  }
  DWELL_HD static double conclude(double total) { return total; }
};
struct added {
  DWELL_HD static double pad() { return 0.0; }
  DWELL_HD static double none() { return 0.0; }
  template <class V>
  DWELL_HD static V combine(V a, V b) {
    return a + b;
  }
};

struct sum : whole_value, added {};

/// A NaN stays.
struct least : whole_value {
  DWELL_HD static double pad() { return infinity; }
  DWELL_HD static double none() { return infinity; }
  template <class V>
  DWELL_HD static V combine(V a, V b) {
    return ((a < b) | (a != a)) ? a : b;
  }
};
struct greatest : whole_value {
  DWELL_HD static double pad() { return -infinity; }
  DWELL_HD static double none() { return -infinity; }
  template <class V>
  DWELL_HD static V combine(V a, V b) {
    return ((a > b) | (a != a)) ? a : b;
  }
};
struct largest_magnitude : greatest {
  DWELL_HD static double pad() { return 0.0; }
  DWELL_HD static double none() { return 0.0; }
  template <class V>
  DWELL_HD V element(V v) const {
    return magnitude(v);
  }
};

struct magnitudes : whole_value, added {
  template <class V>
  DWELL_HD V element(V v) const {
    return magnitude(v);
  }
};
struct squares : whole_value, added {
  template <class V>
  DWELL_HD V element(V v) const {
    return v * v;
  }
  DWELL_HD static double conclude(double total) { return std::sqrt(total); }
};
/// Squares of by v, where by is a power of two.
struct scaled_squares : squares {
  double by;
  DWELL_HD explicit scaled_squares(double b) : by(b) {}
  template <class V>
  DWELL_HD V element(V v) const {
    return (by * v) * (by * v);
  }
};
struct products : added {
  static constexpr int operands = 2;
  template <class V>
  DWELL_HD V element(V v, V w) const {
    return v * w;
  }
  DWELL_HD static double conclude(double total) { return total; }
};

/// The result, with one kind of NaN and one kind of zero.
template <class Op>
DWELL_HD double result_of(double total) {
  const double r = Op::conclude(total);
  return r != r ? std::numeric_limits<double>::quiet_NaN() : r + 0.0;
}

}  // namespace reduce_step
}  // namespace dwell
