// SPDX-License-Identifier: MIT
// Room for small dense work of the warps of a set-up, on the host by the one lane of setup_warp.
// See dense_workspace_cuda.cuh for the same members on a GPU.
#pragma once
#include "dwell/execution/team/setup_cpu.hpp"

namespace dwell::cpu {

/// So many doubles, not set.
template <int Doubles>
class dense_workspace {
 public:
  static constexpr int lanes = 1, block = 1;
  explicit dense_workspace(setup_warp&) {}
  double* data() { return workspace_; }
  /// The lanes meet: what one wrote the others read after it.
  static void barrier() {}

 private:
  double workspace_[Doubles];
};

}  // namespace dwell::cpu
