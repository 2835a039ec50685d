// SPDX-License-Identifier: MIT
// Would tensor cores pay for a stencil? By the roofline, from the quantities that Gu et al. 2026
// name: steps that are fused into one wider kernel compute more than the steps by themselves
// (alpha), and of what a product of matrices multiplies only a part are taps (S). What follows from
// them here is derived from the roofline, not copied from there. Pure functions of positive
// numbers.
#pragma once
#include <algorithm>

namespace dwell::model {

/// A stencil whose steps are fused: taps of a step (K), of `steps` of them fused (K_t).
struct fused_taps {
  double taps, fused, steps;
};

/// Redundancy of fused steps: K_t / (t K), which is 1 for one step.
constexpr double redundancy(const fused_taps& s) { return s.fused / (s.steps * s.taps); }

/// The part of a product's multiply-adds that are taps: rows of the fused kernel are `width` taps
/// wide on average, and a product makes so many outputs of a row from width + outputs - 1 cells
/// each.
constexpr double useful_part(double width, double outputs) { return width / (width + outputs - 1); }

/// Cells times steps per second: of memory that is read and written once in t steps, at most.
constexpr double rate_of_memory(double bytes_per_s, double cell_bytes, double steps) {
  return steps * bytes_per_s / (2 * cell_bytes);
}
/// By CUDA cores, step after step on the chip.
constexpr double rate_of_cores(const fused_taps& s, double flops_per_s, double of_memory) {
  return std::min(flops_per_s / (2 * s.taps), of_memory);
}
/// By tensor cores, all steps as one product.
constexpr double rate_of_tensor_cores(const fused_taps& s, double useful, double flops_per_s,
                                      double of_memory) {
  return std::min(useful * flops_per_s / (2 * s.taps * redundancy(s)), of_memory);
}
/// Tensor cores win if they are so many times as fast as CUDA cores, where memory does not bind.
constexpr double ratio_that_pays(const fused_taps& s, double useful) {
  return redundancy(s) / useful;
}

}  // namespace dwell::model
