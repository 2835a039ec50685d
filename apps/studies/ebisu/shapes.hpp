// SPDX-License-Identifier: MIT
// The stencils that this study has kernels of: those of the document's figures.
#pragma once
#include "dwell/solvers/stencil/shapes/box2d9.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star3d7.hpp"

namespace dwell::ebisu {

/// f.operator()<S>() of each.
template <class F>
void each_shape(F&& f) {
  f.template operator()<star2d5>();
  f.template operator()<box2d9>();
  f.template operator()<star3d7>();
}

}  // namespace dwell::ebisu
