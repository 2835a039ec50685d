// SPDX-License-Identifier: MIT
// 3d27pt: all cells of a cube of 3 x 3 x 3.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct box3d27 : linear_stencil<box3d27> {
  static constexpr const char* name = "3d27pt";
  static constexpr int dims = 3;
  static constexpr tap taps[] = {
      {-1, -1, -1}, {-1, -1, 0}, {-1, -1, 1}, {-1, 0, -1}, {-1, 0, 0},  {-1, 0, 1}, {-1, 1, -1},
      {-1, 1, 0},   {-1, 1, 1},  {0, -1, -1}, {0, -1, 0},  {0, -1, 1},  {0, 0, -1}, {0, 0, 0},
      {0, 0, 1},    {0, 1, -1},  {0, 1, 0},   {0, 1, 1},   {1, -1, -1}, {1, -1, 0}, {1, -1, 1},
      {1, 0, -1},   {1, 0, 0},   {1, 0, 1},   {1, 1, -1},  {1, 1, 0},   {1, 1, 1}};
};

}  // namespace dwell
