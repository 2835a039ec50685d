// SPDX-License-Identifier: MIT
// 2d25pt: all cells of a square of 5 x 5.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct box2d25 : linear_stencil<box2d25> {
  static constexpr const char* name = "2d25pt";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{-2, -2}, {-2, -1}, {-2, 0}, {-2, 1}, {-2, 2}, {-1, -2}, {-1, -1},
                                 {-1, 0},  {-1, 1},  {-1, 2}, {0, -2}, {0, -1}, {0, 0},   {0, 1},
                                 {0, 2},   {1, -2},  {1, -1}, {1, 0},  {1, 1},  {1, 2},   {2, -2},
                                 {2, -1},  {2, 0},   {2, 1},  {2, 2}};
};

}  // namespace dwell
