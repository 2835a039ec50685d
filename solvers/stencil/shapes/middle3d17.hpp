// SPDX-License-Identifier: MIT
// 3d17pt: the 3 x 3 cells of the middle plane and the four corners of the planes below and above.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct middle3d17 : linear_stencil<middle3d17> {
  static constexpr const char* name = "3d17pt";
  static constexpr int dims = 3;
  static constexpr tap taps[] = {{0, -1, -1}, {0, -1, 0},  {0, -1, 1}, {0, 0, -1},  {0, 0, 0},
                                 {0, 0, 1},   {0, 1, -1},  {0, 1, 0},  {0, 1, 1},   {-1, -1, -1},
                                 {-1, -1, 1}, {-1, 1, -1}, {-1, 1, 1}, {1, -1, -1}, {1, -1, 1},
                                 {1, 1, -1},  {1, 1, 1}};
};

}  // namespace dwell
