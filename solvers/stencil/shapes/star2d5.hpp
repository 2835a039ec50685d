// SPDX-License-Identifier: MIT
// 2d5pt: the cell and its neighbours on the axes up to distance 1, in two dimensions.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct star2d5 : linear_stencil<star2d5> {
  static constexpr const char* name = "2d5pt";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}};
};

}  // namespace dwell
