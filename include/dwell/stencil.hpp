// SPDX-License-Identifier: MIT
// Component stencil: iterative stencils on grids. Link the CMake target dwell::stencil. Stencils of
// your own: dwell/custom_stencil.hpp.
#pragma once
#include "dwell/core.hpp"
#include "dwell/solvers/stencil/distributed_stencil.hpp"
#include "dwell/solvers/stencil/explain.hpp"
#include "dwell/solvers/stencil/stencil.hpp"
#include "dwell/solvers/stencil/stencil_runner.hpp"
