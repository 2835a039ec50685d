// SPDX-License-Identifier: MIT
// 3d13pt: the cell and its neighbours on the axes up to distance 2, in three dimensions.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct star3d13 : linear_stencil<star3d13> {
  static constexpr const char* name = "3d13pt";
  static constexpr int dims = 3;
  static constexpr tap taps[] = {{0, 0, 0},  {0, 0, -1}, {0, 0, 1},  {0, -1, 0}, {0, 1, 0},
                                 {-1, 0, 0}, {1, 0, 0},  {0, 0, -2}, {0, 0, 2},  {0, -2, 0},
                                 {0, 2, 0},  {-2, 0, 0}, {2, 0, 0}};
};

}  // namespace dwell
