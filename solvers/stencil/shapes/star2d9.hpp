// SPDX-License-Identifier: MIT
// 2ds9pt: the cell and its neighbours on the axes up to distance 2, in two dimensions.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct star2d9 : linear_stencil<star2d9> {
  static constexpr const char* name = "2ds9pt";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{0, 0},  {0, -1}, {0, 1},  {-1, 0}, {1, 0},
                                 {0, -2}, {0, 2},  {-2, 0}, {2, 0}};
};

}  // namespace dwell
