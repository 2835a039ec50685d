// SPDX-License-Identifier: MIT
// Loops of set-up work on a GPU: see setup_cpu.hpp, whose functors these run. Every loop is one
// launch, ordered after the one before by the stream of the device; nothing waits but fetch().
#pragma once
#include <algorithm>
#include <cstdint>

#include "dwell/base/interruption.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_unit_cuda.hpp"
#include "dwell/execution/team/setup_kernels_cuda.cuh"

namespace dwell::cuda {

namespace setup {
DWELL_KERNEL(warps_kernel_of, dwell::cuda::setup::warps_kernel)
DWELL_KERNEL(items_kernel_of, dwell::cuda::setup::items_kernel)
DWELL_KERNEL(once_kernel_of, dwell::cuda::setup::once_kernel)
}  // namespace setup

/// The unit of a functor's kernel: a set-up with many has several.
template <class Kernels, class F>
struct kernels_for {
  using type = Kernels;
};
template <class Kernels, class F>
requires requires { typename Kernels::template part_of<F>; }
struct kernels_for<Kernels, F> {
  using type = typename Kernels::template part_of<F>;
};

/// Kernels: their unit (kernel_unit_cuda.hpp).
template <class Kernels>
class setup_loops {
 public:
  explicit setup_loops(const device& where)
      : where_(where), stream_(static_cast<cudaStream_t>(where.stream())) {}

  template <class F>
  void warps(std::int64_t n, std::int64_t, const F& f) const {
    poll_interruption();
    const current_device here(where_.ordinal());
    if (n > 0)
      launch_kernel<typename kernels_for<Kernels, F>::type, setup::warps_kernel_of<F>>(
          where_, blocks(n, setup::block_of<F> / setup::lanes_of<F>), setup::block_of<F>, f, n);
  }
  /// Lanes of f must not combine anything: some may have no item.
  template <class F>
  void items(std::int64_t n, std::int64_t, const F& f) const {
    poll_interruption();
    const current_device here(where_.ordinal());
    if (n > 0)
      launch_kernel<typename kernels_for<Kernels, F>::type, setup::items_kernel_of<F>>(
          where_, blocks(n, setup::block), setup::block, f, n);
  }
  template <class F>
  void once(const F& f) const {
    const current_device here(where_.ordinal());
    launch_kernel<typename kernels_for<Kernels, F>::type, setup::once_kernel_of<F>>(where_, 1, 32,
                                                                                    f);
  }
  void zero(void* p, std::size_t bytes) const {
    const current_device here(where_.ordinal());
    DWELL_CUDA(cudaMemsetAsync(p, 0, bytes, stream_));
  }
  void fetch(void* to, const void* from, std::size_t bytes) const {
    const current_device here(where_.ordinal());
    DWELL_CUDA(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, stream_));
    DWELL_CUDA(cudaStreamSynchronize(stream_));
  }

 private:
  /// Number of blocks that keeps a GPU busy; each goes over several pieces if there are more.
  static unsigned blocks(std::int64_t n, std::int64_t per_block) {
    constexpr std::int64_t most = 2048;
    return static_cast<unsigned>(std::min(most, (n + per_block - 1) / per_block));
  }
  device where_;
  cudaStream_t stream_;
};

}  // namespace dwell::cuda
