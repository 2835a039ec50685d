// SPDX-License-Identifier: MIT
#include "studies/ebisu/kernels.hpp"
#include "studies/ebisu/launch_cpu.hpp"
#include "studies/ebisu/shapes.hpp"

#include "dwell/execution/stencil/launch/launch_cpu.hpp"
#include "dwell/execution/stencil/loops/host_loop.hpp"
#include "dwell/execution/stencil/loops/temporal.hpp"

namespace dwell::ebisu {

void add_cpu_kernels(std::vector<stencil_kernel>& all) {
  each_shape([&]<class S>() {
    all.push_back(cpu::driven_kernel<S, double, host_loop_stencil>());
    cpu::add_passing_kernel<S, double, temporal_stencil, queue_engines<backend::cpu>>(all);
  });
}

}  // namespace dwell::ebisu
