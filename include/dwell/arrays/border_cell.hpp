// SPDX-License-Identifier: MIT
// What lies beyond the border of an image, as a rule and as a function of the number of a cell. A
// rule holds along each axis by itself. Nothing of the host library, so that kernels have it.
#pragma once
#include "dwell/base/fn.hpp"

namespace dwell {

/// What a convolution reads beyond the border of an image, here of the cells a b c d along an axis.
enum class border {
  zero,       ///< 0 0 | a b c d | 0 0
  replicate,  ///< a a | a b c d | d d
  reflect,    ///< b a | a b c d | d c: numpy.pad's symmetric, SciPy's reflect
  periodic    ///< c d | a b c d | a b
};

/// The cell that stands for cell i, wherever that is, along an axis of n cells; -1: a zero.
DWELL_FN int cell_for(border edge, int i, int n) {
  if (static_cast<unsigned>(i) < static_cast<unsigned>(n)) return i;
  if (edge == border::zero) return -1;
  if (edge == border::replicate) return i < 0 ? 0 : n - 1;
  const int period = edge == border::reflect ? 2 * n : n;
  const int k = i % period < 0 ? i % period + period : i % period;
  return k < n ? k : period - 1 - k;
}

}  // namespace dwell
