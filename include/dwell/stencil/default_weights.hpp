// SPDX-License-Identifier: MIT
// The weights that a stencil has where nobody gives others.
#pragma once
#include <iterator>
#include <vector>

#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// The shape's own defaults, or weights that fall with the distance d as 1 / (1 + d^2) and sum to
/// 1: all positive, so that values stay between the least and the greatest of the start.
template <Stencil S>
std::vector<double> default_weights() {
  if constexpr (requires { S::defaults; }) {
    return {std::begin(S::defaults), std::end(S::defaults)};
  } else {
    std::vector<double> w;
    double sum = 0;
    for (const tap& t : S::taps) {
      w.push_back(1.0 / (1 + t.dz * t.dz + t.dy * t.dy + t.dx * t.dx));
      sum += w.back();
    }
    for (double& v : w) v /= sum;
    return w;
  }
}

}  // namespace dwell
