// SPDX-License-Identifier: MIT
// Kernels and their rows alone: plans play phases on the host, which nvcc compiles for devices
// only.
#include "ahead_methods.hpp"

#include "dwell/execution/krylov/launch/launch_cuda.cuh"
#include "dwell/execution/krylov/loops/batch.hpp"
#include "dwell/execution/krylov/loops/columns.hpp"
#include "dwell/execution/krylov/loops/perks.hpp"
#include "dwell/solvers/bicgstab/pipelined.hpp"
#include "dwell/solvers/bicgstab/textbook.hpp"
#include "dwell/solvers/cg/textbook.hpp"
#include "dwell/solvers/cg/textbook_columns.hpp"
#include "dwell/solvers/gmres/textbook.hpp"
#include "dwell/solvers/minres/textbook.hpp"

namespace dwell::test {

std::span<const program_kernel> methods_by_nvcc() {
  using cuda::kernel_of;
  static const program_kernel all[] = {
      kernel_of<textbook_minres, double, host_loop>(),
      kernel_of<textbook_minres, double, graph>(),
      kernel_of<textbook_minres, double, persistent>(),
      kernel_of<textbook_minres, float, persistent>(),
      kernel_of<textbook_minres, double, perks>(),
      kernel_of<textbook_bicgstab, double, host_loop>(),
      kernel_of<textbook_bicgstab, double, persistent>(),
      kernel_of<pipelined_bicgstab, double, persistent>(),
      kernel_of<textbook_gmres, double, persistent>(),
      kernel_of<textbook_columns_4, double, persistent_columns<4>>(),
      kernel_of<textbook_columns_2, float, host_loop_columns<2>>(),
      kernel_of<textbook_columns_2, float, graph_columns<2>>(),
      kernel_of<textbook_cg, double, batch>(),
      kernel_of<textbook_cg, float, batch>()};
  return all;
}

}  // namespace dwell::test
