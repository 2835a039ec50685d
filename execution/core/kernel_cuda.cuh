// SPDX-License-Identifier: MIT
// What a kernel needs before its first launch.
#pragma once
#include <cstddef>

#include "dwell/execution/core/cuda_check.hpp"

namespace dwell::cuda {

/// The first launch of a kernel loads it; that is set-up.
template <class Kernel>
cudaFuncAttributes loaded(Kernel kernel) {
  cudaFuncAttributes f{};
  check(cudaFuncGetAttributes(&f, kernel), "loading a kernel");
  return f;
}

/// More than 48 KB of dynamic scratch must be asked for.
template <class Kernel>
void allow_scratch(Kernel kernel, std::size_t bytes) {
  if (bytes > 48 * 1024)
    DWELL_CUDA(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                    static_cast<int>(bytes)));
}

}  // namespace dwell::cuda
