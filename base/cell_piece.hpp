// SPDX-License-Identifier: MIT
// The pieces in which cells travel between memory and lanes: as many bytes as one load takes. And a
// loop whose numbers are constants.
#pragma once
#include <type_traits>

#include "dwell/base/fn.hpp"

namespace dwell {

/// Values that travel together, 16 bytes.
template <class T>
struct alignas(16) cell_piece {
  static constexpr int size = 16 / static_cast<int>(sizeof(T));
  T v[size];
};

/// A number as a type. Loops that need it as a constant inside of another lambda, too, take it as
/// their own template parameter, [&]<int K>(constant<K>): a captured one is no constant to NVRTC.
template <int N>
using constant = std::integral_constant<int, N>;

/// f(constant<First>) ... f(constant<Last - 1>).
template <int First, int Last, class F>
DWELL_FN void unrolled(F&& f) {
  if constexpr (First < Last) {
    f(constant<First>{});
    unrolled<First + 1, Last>(f);
  }
}

}  // namespace dwell
