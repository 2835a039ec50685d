// SPDX-License-Identifier: MIT
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/krylov/launch/continue_cuda.hpp"

namespace dwell::cuda {
namespace {

__global__ void continue_kernel(const int* stop, cudaGraphConditionalHandle again) {
  cudaGraphSetConditional(again, *stop == 0);
}

}  // namespace

void launch_continue(const int* stop, cudaGraphConditionalHandle again, cudaStream_t on) {
  continue_kernel<<<1, 1, 0, on>>>(stop, again);
  DWELL_CUDA(cudaGetLastError());
}

}  // namespace dwell::cuda
