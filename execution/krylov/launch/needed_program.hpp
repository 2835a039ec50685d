// SPDX-License-Identifier: MIT
// Kernels of Programs that are compiled by NVRTC when a run first needs them, as texts. A Program
// and its loops enter by the names of their structs and headers; all else are the templates that
// nvcc compiles where kernels are compiled ahead.
#pragma once
#include <cstddef>
#include <vector>

#include "dwell/base/precision.hpp"

namespace dwell {

struct kernel_source;  // execution/device/compiled_kernel.hpp

/// Where the templates of a row's kernels come from.
struct needed_program {
  const char* header = nullptr;        ///< "dwell/solvers/minres/textbook.hpp"
  const char* program = nullptr;       ///< its struct, "textbook_minres"
  const char* loops_header = nullptr;  ///< a file of execution/krylov/loops, "columns.hpp"
  const char* loops = nullptr;         ///< its struct, "persistent_columns<4>"
  int phases = 0;                      ///< kernels that are launched one by one; 0: one for a run
  std::size_t args_bytes = 0;  ///< bytes that a kernel takes, as this compiler lays them out
  bool complex = false;        ///< it is for complex values
};

/// What is compiled for a config: a kernel for the whole run, or one for each phase.
std::vector<kernel_source> sources_of(const needed_program& of, precision type, int config);

}  // namespace dwell
