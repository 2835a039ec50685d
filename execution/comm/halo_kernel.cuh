// SPDX-License-Identifier: MIT
// The kernel between two phases of a run of several ranks.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/base/index.hpp"
#include "dwell/execution/comm/halo_packing.hpp"

namespace dwell::cuda {

/// An element is Words words, which lanes next to each other copy.
template <class V, int Words = 1>
__device__ void pack(const halo_packing& p, index first, index step) {
  const auto* const from = static_cast<const V*>(p.vector);
  auto* const to = static_cast<V*>(p.outgoing);
  const std::int64_t words = static_cast<std::int64_t>(p.count) * Words;
  for (std::int64_t k = first; k < words; k += step)
    to[k] = from[static_cast<std::int64_t>(p.elements[k / Words]) * Words + k % Words];
}

/// Lane l adds up the partials of teams l, l + 32 and so on, then lanes are halved: cuda_team's
/// sum_of_partials().
inline __device__ void sum_slot(const team_sums& s, int slot) {
  const int l = static_cast<int>(threadIdx.x);
  if (l >= 32) return;
  const double* const partial = s.partials + static_cast<std::ptrdiff_t>(slot) * s.teams;
  double sum = 0.0;
  for (int t = l; t < s.teams; t += 32) sum += partial[t];
  for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
  if (l == 0) s.mine[slot] = sum;
}

/// The first blocks take a slot each, the others pack. Defined in one file.
__global__ void __launch_bounds__(packing_lanes) leave_kernel(const packings p, const team_sums s) {
  const int block = static_cast<int>(blockIdx.x);
  if (block < s.slots) return sum_slot(s, block);
  const index first = (block - s.slots) * packing_lanes + static_cast<index>(threadIdx.x);
  const index step = (static_cast<int>(gridDim.x) - s.slots) * packing_lanes;
  for (int k = 0; k < p.count; ++k) {
    const halo_packing& one = p.of[k];
    if (one.element_bytes == 4)
      pack<std::uint32_t>(one, first, step);
    else if (one.element_bytes == 8)
      pack<std::uint64_t>(one, first, step);
    else if (one.element_bytes == 16)
      pack<uint4>(one, first, step);
    else if (one.element_bytes == 32)
      pack<uint4, 2>(one, first, step);
    else
      pack<uint4, 4>(one, first, step);
  }
}

}  // namespace dwell::cuda
