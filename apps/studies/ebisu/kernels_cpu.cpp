// SPDX-License-Identifier: MIT
#include "studies/ebisu/kernels.hpp"
#include "studies/ebisu/launch_cpu.hpp"

#include "dwell/execution/host_loop/stencil.hpp"
#include "dwell/execution/stencil/launch/launch_cpu.hpp"
#include "dwell/execution/temporal/stencil.hpp"
#include "dwell/solvers/stencil/shapes/box2d9.hpp"
#include "dwell/solvers/stencil/shapes/star2d5.hpp"
#include "dwell/solvers/stencil/shapes/star3d7.hpp"

namespace dwell::ebisu {
namespace {

template <class S>
void add(std::vector<stencil_kernel>& all) {
  all.push_back(cpu::driven_kernel<S, double, host_loop_stencil>());
  cpu::add_passing_kernel<S, double, temporal_stencil, queue_engines<backend::cpu>>(all);
}

}  // namespace

void add_cpu_kernels(std::vector<stencil_kernel>& all) {
  add<star2d5>(all);
  add<box2d9>(all);
  add<star3d7>(all);
}

}  // namespace dwell::ebisu
