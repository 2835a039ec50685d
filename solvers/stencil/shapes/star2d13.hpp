// SPDX-License-Identifier: MIT
// 2d13pt: the cell and its neighbours on the axes up to distance 3, in two dimensions.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct star2d13 : linear_stencil<star2d13> {
  static constexpr const char* name = "2d13pt";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{0, 0},  {0, -1}, {0, 1},  {-1, 0}, {1, 0},  {0, -2}, {0, 2},
                                 {-2, 0}, {2, 0},  {0, -3}, {0, 3},  {-3, 0}, {3, 0}};
};

}  // namespace dwell
