// SPDX-License-Identifier: MIT
// 2d9pt: all cells of a square of 3 x 3.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct box2d9 : linear_stencil<box2d9> {
  static constexpr const char* name = "2d9pt";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{-1, -1}, {-1, 0}, {-1, 1}, {0, -1}, {0, 0},
                                 {0, 1},   {1, -1}, {1, 0},  {1, 1}};
};

}  // namespace dwell
