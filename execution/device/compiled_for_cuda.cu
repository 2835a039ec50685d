// SPDX-License-Identifier: MIT
// The architectures that the library's kernels are compiled for, as nvcc lists them. A kernel of an
// older architecture than the device's has none of the newer one's features: clusters, for example.
#include "dwell/execution/device/cuda_backend.hpp"

namespace dwell {

int compiled_capability(int capability) {
  constexpr int architectures[] = {__CUDA_ARCH_LIST__};  // 800, 900: ascending
  int best = 0;
  for (const int architecture : architectures)
    if (architecture / 10 <= capability) best = architecture / 10;
  return best;
}

}  // namespace dwell
