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

/// f(std::integral_constant<int, First>) ... f(std::integral_constant<int, Last - 1>).
template <int First, int Last, class F>
DWELL_FN void unrolled(F&& f) {
  if constexpr (First < Last) {
    f(std::integral_constant<int, First>{});
    unrolled<First + 1, Last>(f);
  }
}

}  // namespace dwell
