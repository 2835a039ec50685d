// SPDX-License-Identifier: MIT
// The table of this study's kernels: of the stencils of shapes.hpp in double precision the
// variants, as engines of executor temporal, and host-loop, whose bits they must have. For
// solve_from().
#pragma once
#include <span>
#include <vector>

#include "dwell/execution/stencil/launch/kernel_table.hpp"

namespace dwell::ebisu {

std::span<const stencil_kernel> kernels();

/// The rows of a backend.
void add_cpu_kernels(std::vector<stencil_kernel>& all);
void add_cuda_kernels(std::vector<stencil_kernel>& all);

}  // namespace dwell::ebisu
