// SPDX-License-Identifier: MIT
// Some rows of many, of which something is to be estimated.
#pragma once
#include <algorithm>
#include <cstdint>

#include "dwell/base/index.hpp"

namespace dwell {

/// f(row) for all rows or, of more than `most`, for one of every so many, anywhere among these, so
/// that no period of the rows is met. Ascending, and the same ones every time.
template <class F>
void each_sampled_row(index rows, index most, F&& f) {
  const std::int64_t step = std::max<std::int64_t>(0, std::int64_t{rows} - 1) / most + 1;
  for (std::int64_t first = 0; first < rows; first += step) {
    const auto of = static_cast<std::uint64_t>(std::min<std::int64_t>(step, rows - first));
    // The finaliser of splitmix64 (Steele, Lea and Flood, OOPSLA 2014).
    std::uint64_t x = (static_cast<std::uint64_t>(first) + 1) * 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    f(static_cast<index>(first + static_cast<std::int64_t>((x ^ x >> 31) % of)));
  }
}

}  // namespace dwell
