// SPDX-License-Identifier: MIT
// What compiling the kernels of a run took, as values and in words.
#pragma once
#include <string>

namespace dwell {

struct kernel_making {
  std::string compiler;  ///< "NVRTC 13.0"; empty: kernels were compiled ahead
  double seconds = 0;    ///< 0 if all of them were there
};

/// For the end of a report's reason: "; compiled when needed by NVRTC 13.0 in 2.1 s"; or empty.
std::string words_of(const kernel_making& making);

}  // namespace dwell
