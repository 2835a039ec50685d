// SPDX-License-Identifier: MIT
// By what a graph whose body repeats knows that a run goes on.
#pragma once
#include <cuda_runtime.h>

namespace dwell::cuda {

/// Puts a kernel into a stream which is being recorded: *stop, in the device's memory, decides
/// whether the body runs once more.
void launch_continue(const int* stop, cudaGraphConditionalHandle again, cudaStream_t on);

}  // namespace dwell::cuda
