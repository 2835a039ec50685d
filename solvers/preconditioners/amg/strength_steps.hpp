// SPDX-License-Identifier: MIT
// Strong couplings of a level, as functors for setup_loops of either backend: the weight of an
// element is a_ij^2 / (a_ii a_jj) for a_ij < 0.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/base/index.hpp"

namespace dwell::amg {

/// The matrix of a level, or the graph of its nodes.
struct graph {
  index rows = 0;
  const index* row_ptr = nullptr;
  const index* row_end = nullptr;  ///< row_ptr + 1, or rows end before the next one begins
  const index* col = nullptr;
  const double* val = nullptr;
  const double* diagonal = nullptr;
};

/// A coupling is strong from this share on of the largest weight of either row: .25 of |a_ij|.
inline constexpr float weakest = 0.25f * 0.25f;

DWELL_HD float weight(const graph& a, index row, index k) {
  const double v = a.val[k];
  const index j = a.col[k];
  if (!(v < 0.0) || j == row) return 0.0f;
  return static_cast<float>((v / a.diagonal[row]) * (v / a.diagonal[j]));
}
DWELL_HD std::uint32_t bits_of(float w) {
  union {
    float f;
    std::uint32_t u;
  } bits{w};
  return bits.u;
}
DWELL_HD float float_of(std::uint32_t u) {
  union {
    std::uint32_t u;
    float f;
  } bits{u};
  return bits.f;
}
/// With eight bits of the fraction, so that nearly equal ones tie.
DWELL_HD std::uint32_t rounded_bits(float w) { return (bits_of(w) + 0x4000u) >> 15; }

/// Per row: its diagonal element; where it is wanted the longest row.
struct find_diagonal {
  graph a;
  double* diagonal;
  index* longest = nullptr;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t i) const {
    const index row = static_cast<index>(i), begin = a.row_ptr[row], end = a.row_end[row];
    double d = 0.0;
    for (index k = begin; k < end; ++k)
      if (a.col[k] == row) d = a.val[k];
    diagonal[row] = d;
    if (longest) w.raise(*longest, end - begin);
  }
};

/// Per row: the weights of its elements, and the largest of them.
struct find_weights {
  graph a;
  std::uint32_t* weights;  ///< their bits
  float* most;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    float m = 0.0f;
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k) {
      const float w = weight(a, row, k);
      weights[k] = bits_of(w);
      m = w > m ? w : m;
    }
    most[row] = m;
  }
};
/// Per row: its elements' weights as they are compared; 0: not strong.
struct compare_weights {
  graph a;
  const float* most;
  std::uint32_t* weights;  ///< their bits, and afterwards what is compared
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    const index row = static_cast<index>(i);
    const float mine = most[row];
    for (index k = a.row_ptr[row]; k < a.row_end[row]; ++k) {
      const float w = float_of(weights[k]), other = most[a.col[k]];
      const float least = weakest * (other > mine ? other : mine);
      weights[k] = w > 0.0f && w >= least ? rounded_bits(w) : 0;
    }
  }
};

}  // namespace dwell::amg
