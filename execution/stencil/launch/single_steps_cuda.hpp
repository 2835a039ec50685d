// SPDX-License-Identifier: MIT
// The single launches of a step, a comparison and a poll, from the host's side.
#pragma once
#include <string>

#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/kernel_unit_cuda.hpp"
#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/launch/plain_configs.hpp"
#if defined(__CUDACC__)
#include "dwell/execution/stencil/launch/poll_kernels_cuda.cuh"
#endif

namespace dwell::cuda {

/// The kernels of polls.
template <class T>
struct poll_kernels {
  static std::string about() { return in_precision<T>("polls of stencils"); }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/execution/stencil/launch/poll_kernels_cuda.cuh"};
};
DWELL_KERNEL(compare_kernel_of, dwell::cuda::compare_kernel)
DWELL_KERNEL(poll_kernel_of, dwell::cuda::poll_kernel)

/// The steps of executors that cache nothing: a launch each.
template <class S, class T>
class single_steps {
 public:
  /// kernel: its address, or the handle of one that is compiled at run time and stays loaded.
  explicit single_steps(const void* kernel) : kernel_(kernel) { loaded(kernel_); }
  /// One step from field[from] to the other copy.
  void launch(cudaStream_t on, const stencil_call<S, T>& a, int from, int) const {
    launch_apart(kernel_, a.plan.teams, plain_lanes, plain_scratch, on, a, from);
  }

 private:
  const void* kernel_;
};

}  // namespace dwell::cuda
