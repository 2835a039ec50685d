// SPDX-License-Identifier: MIT
// Where kernels of devices find the value of a cell beyond a border. S is a stencil as engine
// ring_fields2d has it (ring_fields2d/sizes.hpp).
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/stencil/side_kind.hpp"

namespace dwell {

/// Puts index i of an axis of n cells into array A, and turns `minus` over where the value changes
/// its sign; or else gives v the side's constant, and returns false. outside: constants of the
/// axis, of the lower and the upper side.
template <class S, int A, int Axis, class T>
DWELL_HD bool is_within_border(int n, const T (&outside)[2], int& i, bool& minus, T& v) {
  if (i >= 0 && i < n) return true;
  const bool high = i >= n;
  const int far = high ? i - n : -1 - i;  // 0: next to the border
  switch (high ? S::beyond(A, Axis, 1) : S::beyond(A, Axis, 0)) {
    case side_kind::constant:
      v = outside[high];
      return false;
    case side_kind::periodic:
      i = high ? i - n : i + n;
      return true;
    case side_kind::antisymmetric:
      minus = !minus;
      i = high ? n - 1 - far : far;
      return true;
    case side_kind::reflect:
      i = high ? n - 1 - far : far;
      return true;
    case side_kind::mirror:
      i = high ? n - 2 - far : far + 1;
      return true;
    default:  // nearest; beyond a fixed side nothing is read
      i = high ? n - 1 : 0;
      return true;
  }
}

}  // namespace dwell
