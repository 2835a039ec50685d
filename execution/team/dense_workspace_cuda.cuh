// SPDX-License-Identifier: MIT
// Room for small dense work in shared memory, for each warp of setup_kernels_cuda.cuh. A host's
// compiler sees the sizes alone.
#pragma once
#include "dwell/execution/team/setup_kernels_cuda.cuh"

namespace dwell::cuda {

template <int Doubles>
class dense_workspace {
 public:
  static constexpr int lanes = 32;
  static constexpr int block = 64;  ///< threads
  static_assert(block / lanes * Doubles * sizeof(double) <= 48 << 10);
#if defined(__CUDACC__)
  DWELL_FN explicit dense_workspace(setup_warp&) {
    __shared__ double workspaces[block / lanes][Doubles];
    workspace_ = workspaces[threadIdx.x / lanes];
  }
  DWELL_FN double* data() { return workspace_; }
  DWELL_FN static void barrier() { __syncwarp(); }

 private:
  double* workspace_;
#endif
};

}  // namespace dwell::cuda
