// SPDX-License-Identifier: MIT
// The kernels of solves on grids, as texts: NVRTC compiles them when they are needed, for a GPU
// that need not be here.
#pragma once
#include <vector>

#include "dwell/base/precision.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/solvers/grid/device/grid_kernel.hpp"

namespace dwell::grids {

/// Those that there are.
std::vector<grid_kernel_form> grid_kernel_forms();
kernel_source source_of(grid_kernel_form form, precision type);
/// That of set-ups.
kernel_source setup_source_of(precision type);
/// Those of all forms, and that of set-ups.
std::vector<kernel_source> needed_sources(precision type);

}  // namespace dwell::grids
