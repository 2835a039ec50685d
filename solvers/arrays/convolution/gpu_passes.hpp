// SPDX-License-Identifier: MIT
// Passes on a GPU: their kernels, compiled ahead or when they are needed, and their launches.
#pragma once
#include <span>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/solvers/arrays/convolution/kernels.hpp"

namespace dwell {

struct gpu_pass {
  convolution_launch launch;
  kernel_source source;
  const void* kernel = nullptr;  ///< handle for launches; null: source is to be compiled
};

struct convolution_functions {
  /// Compiles, or finds, the kernels that are not there, and gets all ready. Says what compiled
  /// them, nothing if all were there. Throws unsupported_error if a block of the device has less
  /// shared memory, and as compile_kernels() does.
  compiled_kernels (*load)(std::span<gpu_pass> passes, const device& where);
  /// Puts a pass into the device's stream. a: the convolution_pass that the kernel is for.
  void (*launch)(const gpu_pass& pass, const void* a, const device& where);
};

}  // namespace dwell
