// SPDX-License-Identifier: MIT
// Kernels of methods that nvcc compiles for tests, whatever the library has of them.
#pragma once
#include <span>

#include "dwell/execution/krylov/launch/kernel_table.hpp"

namespace dwell::test {

std::span<const program_kernel> methods_by_nvcc();

}  // namespace dwell::test
