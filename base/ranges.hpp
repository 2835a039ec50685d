// SPDX-License-Identifier: MIT
// Questions about ranges of numbers, with as few instructions as can be.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"

namespace dwell {

/// 0 <= i < n, where n is not negative.
DWELL_FN bool within(int i, int n) { return static_cast<unsigned>(i) < static_cast<unsigned>(n); }

/// Bits first to last - 1 of 32.
DWELL_FN std::uint32_t bits_between(int first, int last) {
  const int a = first < 0 ? 0 : first > 32 ? 32 : first, b = last < a ? a : last > 32 ? 32 : last;
  return static_cast<std::uint32_t>((std::uint64_t(1) << b) - (std::uint64_t(1) << a));
}

}  // namespace dwell
