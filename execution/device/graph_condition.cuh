// SPDX-License-Identifier: MIT
// By which a kernel says whether the body of a conditional node of a graph runs once more. The
// driver has the function; NVRTC does not declare it.
#pragma once

#if defined(__CUDACC_RTC__)
extern "C" __device__ void cudaGraphSetConditional(unsigned long long handle, unsigned value);
#endif

namespace dwell::cuda {

inline __device__ void set_graph_condition(unsigned long long handle, bool again) {
  cudaGraphSetConditional(handle, again ? 1u : 0u);
}

}  // namespace dwell::cuda
