// SPDX-License-Identifier: MIT
#include "studies/ebisu/kernels.hpp"

namespace dwell::ebisu {

std::span<const stencil_kernel> kernels() {
  // Never destroyed: what runs while the program ends may still solve.
  static const auto& table = *new const std::vector<stencil_kernel>([] {
    std::vector<stencil_kernel> all;
    add_cpu_kernels(all);
#if DWELL_EBISU_HAS_CUDA
    add_cuda_kernels(all);
#endif
    return all;
  }());
  return table;
}

}  // namespace dwell::ebisu
