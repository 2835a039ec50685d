// SPDX-License-Identifier: MIT
// Room for small dense work in shared memory, for each warp of setup_cuda.cuh.
#pragma once
#include "dwell/execution/team/setup_cuda.cuh"

namespace dwell::cuda {

template <int Doubles>
class dense_room {
 public:
  static constexpr int lanes = 32;
  static constexpr int block = 64;  ///< threads
  static_assert(block / lanes * Doubles * sizeof(double) <= 48 << 10);
  DWELL_FN explicit dense_room(setup_warp&) {
    __shared__ double rooms[block / lanes][Doubles];
    room_ = rooms[threadIdx.x / lanes];
  }
  DWELL_FN double* data() { return room_; }
  DWELL_FN static void meet() { __syncwarp(); }

 private:
  double* room_;
};

}  // namespace dwell::cuda
