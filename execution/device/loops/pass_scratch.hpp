// SPDX-License-Identifier: MIT
// Scratch of passes over vectors on a GPU (ordered_pass.cuh).
#pragma once

namespace dwell::cuda {

/// What a pass needs in the device's memory besides its vectors: pass_chunks(n) x totals doubles,
/// and a counter that is zero before and after.
struct pass_scratch {
  double* partial = nullptr;
  unsigned* done = nullptr;
};

}  // namespace dwell::cuda
