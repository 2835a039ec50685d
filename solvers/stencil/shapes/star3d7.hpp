// SPDX-License-Identifier: MIT
// 3d7pt: the cell and its neighbours on the axes up to distance 1, in three dimensions.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct star3d7 : linear_stencil<star3d7> {
  static constexpr const char* name = "3d7pt";
  static constexpr int dims = 3;
  static constexpr tap taps[] = {{0, 0, 0}, {0, 0, -1}, {0, 0, 1}, {0, -1, 0},
                                 {0, 1, 0}, {-1, 0, 0}, {1, 0, 0}};
};

}  // namespace dwell
