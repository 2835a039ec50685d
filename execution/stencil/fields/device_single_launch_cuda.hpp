// SPDX-License-Identifier: MIT
// Launches of single steps, many each, whose blocks meet after every stage.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/stencil/fields/steps_in_one_launch.hpp"

namespace dwell::cuda {

template <class T>
class single_launches {
 public:
  static constexpr int lanes = 256;  ///< threads of a block

  /// The kernel outlives this. pieces: the most that a stage has.
  single_launches(const device& where, const loaded_kernel& kernel, std::int64_t pieces)
      : kernel_(&kernel), where_(where), barrier_(where, 1) {
    constexpr int warps = lanes / step_lanes;
    const kernel_limits limits = limits_of_kernel(kernel.handle(), lanes, 0, where);
    teams_ = static_cast<int>(
        std::clamp<std::int64_t>((pieces + warps - 1) / warps, 1, limits.max_teams));
    spilled_bytes_ = limits.spill_bytes;
    note_facts(kernel.code(), kernel.handle(), lanes, 0, where);
  }
  int spilled_bytes() const { return spilled_bytes_; }

  /// What stages of a cycle of so many steps get, for launches from now on.
  void give(std::vector<fields_stage_args<T>> stages, int cycle) {
    stages_ = buffer<fields_stage_args<T>>::copy_of(where_, stages);
    cycle_ = cycle;
  }
  /// Queues so many steps, the first of a cycle first.
  void queue(int steps, cudaStream_t on) const {
    const fields_steps<T> a{stages_.data(), cycle_, steps, barrier_.data()};
    DWELL_CUDA(cudaMemsetAsync(barrier_.data(), 0, sizeof(unsigned), on));
    launch_together(kernel_->handle(), teams_, lanes, 0, on, false, a);
  }

 private:
  const loaded_kernel* kernel_;
  device where_;
  buffer<unsigned> barrier_;
  buffer<fields_stage_args<T>> stages_;
  int cycle_ = 1, teams_ = 1, spilled_bytes_ = 0;
};

}  // namespace dwell::cuda
