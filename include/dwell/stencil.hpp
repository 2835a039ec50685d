// SPDX-License-Identifier: MIT
// Component stencil: iterative stencils on grids. Link the CMake target dwell::stencil. Stencils of
// your own: dwell/custom_stencil.hpp.
#pragma once
#include "dwell/core.hpp"
#include "dwell/stencil/default_weights.hpp"
#include "dwell/stencil/define.hpp"
#include "dwell/stencil/distributed_stencil.hpp"
#include "dwell/stencil/explain.hpp"
#include "dwell/stencil/explain_fields.hpp"
#include "dwell/stencil/field_runner.hpp"
#include "dwell/stencil/formulas.hpp"
#include "dwell/stencil/solve.hpp"
#include "dwell/stencil/stencil_runner.hpp"
