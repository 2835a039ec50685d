// SPDX-License-Identifier: MIT
#include "studies/ebisu/kernels.hpp"
#include "studies/ebisu/launch_cuda.cuh"
#include "studies/ebisu/shapes.hpp"

#include "dwell/execution/stencil/launch/launch_cuda.cuh"
#include "dwell/execution/stencil/loops/host_loop.hpp"
#include "dwell/execution/stencil/loops/temporal.hpp"

namespace dwell::ebisu {

void add_cuda_kernels(std::vector<stencil_kernel>& all) {
  each_shape([&]<class S>() {
    all.push_back(cuda::driven_kernel<S, double, host_loop_stencil>());
    cuda::add_passing_kernel<S, double, temporal_stencil, queue_engines<backend::cuda>>(all);
  });
}

}  // namespace dwell::ebisu
