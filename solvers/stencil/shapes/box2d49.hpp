// SPDX-License-Identifier: MIT
// 2d49pt: all cells of a square of 7 x 7.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct box2d49 : linear_stencil<box2d49> {
  static constexpr const char* name = "2d49pt";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{-3, -3}, {-3, -2}, {-3, -1}, {-3, 0}, {-3, 1}, {-3, 2}, {-3, 3},
                                 {-2, -3}, {-2, -2}, {-2, -1}, {-2, 0}, {-2, 1}, {-2, 2}, {-2, 3},
                                 {-1, -3}, {-1, -2}, {-1, -1}, {-1, 0}, {-1, 1}, {-1, 2}, {-1, 3},
                                 {0, -3},  {0, -2},  {0, -1},  {0, 0},  {0, 1},  {0, 2},  {0, 3},
                                 {1, -3},  {1, -2},  {1, -1},  {1, 0},  {1, 1},  {1, 2},  {1, 3},
                                 {2, -3},  {2, -2},  {2, -1},  {2, 0},  {2, 1},  {2, 2},  {2, 3},
                                 {3, -3},  {3, -2},  {3, -1},  {3, 0},  {3, 1},  {3, 2},  {3, 3}};
};

}  // namespace dwell
