// SPDX-License-Identifier: MIT
#include "dwell/execution/krylov/launch/continue_cuda.hpp"

#include <string>

#include "dwell/execution/device/kernel_unit_cuda.hpp"
#if defined(__CUDACC__)
#include "dwell/execution/krylov/launch/continue_kernel.cuh"
#endif

namespace dwell::cuda {

struct continue_kernels {
  static std::string about() { return "the condition of graphs"; }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/execution/krylov/launch/continue_kernel.cuh"};
};
DWELL_PLAIN_KERNEL(continue_kernel_of, dwell::cuda::continue_kernel)

const void* continue_kernel_on(const device& where) {
  const current_device here(where.ordinal());
  const void* const kernel = kernel_in<continue_kernels, continue_kernel_of>(where.ordinal());
  loaded(kernel);
  return kernel;
}

void launch_continue(const void* kernel, const int* stop, cudaGraphConditionalHandle again,
                     cudaStream_t on) {
  static_assert(sizeof again == sizeof(unsigned long long));
  launch_apart(kernel, 1, 1, 0, on, stop, again);
}

}  // namespace dwell::cuda
