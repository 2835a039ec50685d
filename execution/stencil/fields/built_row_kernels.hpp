// SPDX-License-Identifier: MIT
// Kernels of a definition that are compiled with the program.
#pragma once
#include <vector>

#include "dwell/execution/stencil/fields/row_kernel.hpp"

namespace dwell {

struct built_row_kernels {
  std::vector<row_function> f64, f32;  ///< of each stage
};

}  // namespace dwell
