// SPDX-License-Identifier: MIT
// Loops of set-up work on a GPU that also sum up what comes before each item, by CUB. Apart from
// setup_cuda.cuh, for CUB takes long to compile.
#pragma once
#include <cstddef>
#include <cub/device/device_scan.cuh>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/team/setup_cuda.cuh"

namespace dwell::cuda {

class summing_loops : public setup_loops {
 public:
  explicit summing_loops(const device& where)
      : setup_loops(where), where_(where), stream_(static_cast<cudaStream_t>(where.stream())) {}

  /// Does what it does in setup_cpu.hpp.
  void sums_before(const index* from, index* to, index n) const {
    if (n == 0) return zero(to, sizeof(index));
    // One more than asked for, so that the last one is the sum of all; element n counts nowhere.
    std::size_t bytes = 0;
    const std::size_t all = static_cast<std::size_t>(n) + 1;
    DWELL_CUDA(cub::DeviceScan::ExclusiveSum(nullptr, bytes, from, to, all, stream_));
    if (bytes > workspace_.size()) workspace_ = {where_, bytes, fresh::unset};
    DWELL_CUDA(cub::DeviceScan::ExclusiveSum(workspace_.data(), bytes, from, to, all, stream_));
  }

 private:
  device where_;
  cudaStream_t stream_;
  mutable buffer<std::byte> workspace_;
};

}  // namespace dwell::cuda
