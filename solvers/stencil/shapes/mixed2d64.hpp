// SPDX-License-Identifier: MIT
// 2d64pt: a square of 9 x 9 without its middle row and column, 8 x 8 cells off the axes, as mixed
// derivatives read them (Rawat et al. 2018). The cell itself is not read.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct mixed2d64 : linear_stencil<mixed2d64> {
  static constexpr const char* name = "2d64pt";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {
      {-4, -4}, {-4, -3}, {-4, -2}, {-4, -1}, {-4, 1}, {-4, 2}, {-4, 3}, {-4, 4},
      {-3, -4}, {-3, -3}, {-3, -2}, {-3, -1}, {-3, 1}, {-3, 2}, {-3, 3}, {-3, 4},
      {-2, -4}, {-2, -3}, {-2, -2}, {-2, -1}, {-2, 1}, {-2, 2}, {-2, 3}, {-2, 4},
      {-1, -4}, {-1, -3}, {-1, -2}, {-1, -1}, {-1, 1}, {-1, 2}, {-1, 3}, {-1, 4},
      {1, -4},  {1, -3},  {1, -2},  {1, -1},  {1, 1},  {1, 2},  {1, 3},  {1, 4},
      {2, -4},  {2, -3},  {2, -2},  {2, -1},  {2, 1},  {2, 2},  {2, 3},  {2, 4},
      {3, -4},  {3, -3},  {3, -2},  {3, -1},  {3, 1},  {3, 2},  {3, 3},  {3, 4},
      {4, -4},  {4, -3},  {4, -2},  {4, -1},  {4, 1},  {4, 2},  {4, 3},  {4, 4}};
};

}  // namespace dwell
