// SPDX-License-Identifier: MIT
#include "studies/ebisu/kernels.hpp"
#include "studies/ebisu/launch_cuda.cuh"

#include "dwell/execution/host_loop/stencil.hpp"
#include "dwell/execution/stencil/launch/launch_cuda.cuh"
#include "dwell/execution/temporal/stencil.hpp"
#include "dwell/solvers/stencil/shapes/box2d9.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star3d7.hpp"

namespace dwell::ebisu {
namespace {

template <class S>
void add(std::vector<stencil_kernel>& all) {
  all.push_back(cuda::driven_kernel<S, double, host_loop_stencil>());
  cuda::add_passing_kernel<S, double, temporal_stencil, queue_engines<backend::cuda>>(all);
}

}  // namespace

void add_cuda_kernels(std::vector<stencil_kernel>& all) {
  add<star2d5>(all);
  add<box2d9>(all);
  add<star3d7>(all);
}

}  // namespace dwell::ebisu
