// SPDX-License-Identifier: MIT
#pragma once
#include "dwell/execution/device/graph_condition.cuh"

namespace dwell::cuda {

/// One thread. Defined in one file.
__global__ void continue_kernel(const int* stop, unsigned long long again) {
  set_graph_condition(again, *stop == 0);
}

}  // namespace dwell::cuda
