// SPDX-License-Identifier: MIT
// By what a graph whose body repeats knows that a run goes on.
#pragma once
#include <cuda_runtime_api.h>

#include "dwell/device/device.hpp"

namespace dwell::cuda {

/// The kernel on a device, loaded: before anything is recorded.
const void* continue_kernel_on(const device& where);
/// Puts the kernel into a stream which is being recorded: *stop, in the device's memory, decides
/// whether the body runs once more.
void launch_continue(const void* kernel, const int* stop, cudaGraphConditionalHandle again,
                     cudaStream_t on);

}  // namespace dwell::cuda
