// SPDX-License-Identifier: MIT
// 2d21pt: the cell and its neighbours on the axes up to distance 5, in two dimensions.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct star2d21 : linear_stencil<star2d21> {
  static constexpr const char* name = "2d21pt";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{0, 0},  {0, -1}, {0, 1},  {-1, 0}, {1, 0},  {0, -2}, {0, 2},
                                 {-2, 0}, {2, 0},  {0, -3}, {0, 3},  {-3, 0}, {3, 0},  {0, -4},
                                 {0, 4},  {-4, 0}, {4, 0},  {0, -5}, {0, 5},  {-5, 0}, {5, 0}};
};

}  // namespace dwell
