// SPDX-License-Identifier: MIT
// poisson: the cell, its 6 faces and its 12 edges: a fourth-order Laplacian's neighbours.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct poisson3d19 : linear_stencil<poisson3d19> {
  static constexpr const char* name = "poisson";
  static constexpr int dims = 3;
  static constexpr tap taps[] = {{-1, -1, 0}, {-1, 0, -1}, {-1, 0, 0}, {-1, 0, 1}, {-1, 1, 0},
                                 {0, -1, -1}, {0, -1, 0},  {0, -1, 1}, {0, 0, -1}, {0, 0, 0},
                                 {0, 0, 1},   {0, 1, -1},  {0, 1, 0},  {0, 1, 1},  {1, -1, 0},
                                 {1, 0, -1},  {1, 0, 0},   {1, 0, 1},  {1, 1, 0}};
};

}  // namespace dwell
