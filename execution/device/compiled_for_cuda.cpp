// SPDX-License-Identifier: MIT
// The architectures that the library's kernels are compiled for, as nvcc lists them. A kernel of an
// older architecture than the device's has none of the newer one's features: clusters, for example.
// Without nvcc NVRTC compiles all kernels, for the device that is there.
#include "dwell/execution/device/cuda_backend.hpp"

namespace dwell {

#if defined(__CUDACC__)
bool needs_nvrtc() { return false; }

int compiled_capability(int capability) {
  constexpr int architectures[] = {__CUDA_ARCH_LIST__};  // 800, 900: ascending
  int best = 0;
  for (const int architecture : architectures)
    if (architecture / 10 <= capability) best = architecture / 10;
  return best;
}
#else
bool needs_nvrtc() { return true; }

int compiled_capability(int capability) { return capability; }
#endif

}  // namespace dwell
