// SPDX-License-Identifier: MIT
// What device_halo.hpp asks of CUDA: the kernel between two phases, and which GPU a rank has.
#include <algorithm>
#include <cstdint>
#include <cstring>

#include "dwell/execution/comm/device_halo.hpp"
#include "dwell/execution/device/cuda_check.hpp"

namespace dwell {
namespace {

constexpr int lanes = 256;
constexpr int most_blocks = 256;  // blocks of a packing, which is small

struct packings {
  halo_packing of[most_packings];
  int count;
};

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
__device__ void sum_slot(const team_sums& s, int slot) {
  const int l = static_cast<int>(threadIdx.x);
  if (l >= 32) return;
  const double* const partial = s.partials + static_cast<std::ptrdiff_t>(slot) * s.teams;
  double sum = 0.0;
  for (int t = l; t < s.teams; t += 32) sum += partial[t];
  for (int half = 16; half > 0; half /= 2) sum += __shfl_xor_sync(~0u, sum, half);
  if (l == 0) s.mine[slot] = sum;
}

/// The first blocks take a slot each, the others pack.
__global__ void __launch_bounds__(lanes) leave_kernel(const packings p, const team_sums s) {
  const int block = static_cast<int>(blockIdx.x);
  if (block < s.slots) return sum_slot(s, block);
  const index first = (block - s.slots) * lanes + static_cast<index>(threadIdx.x);
  const index step = (static_cast<int>(gridDim.x) - s.slots) * lanes;
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

void leave(std::span<const halo_packing> all, const team_sums& sums, void* stream) {
  packings p{};
  std::int64_t most = 0;
  for (const halo_packing& one : all) {
    if (one.count == 0) continue;
    const std::size_t b = one.element_bytes;
    if (b != 4 && b != 8 && b != 16 && b != 32 && b != 64)
      throw input_error("halo: expected elements of 4, 8, 16, 32 or 64 bytes on a GPU, found " +
                        std::to_string(b));
    if (p.count == static_cast<int>(most_packings))
      throw input_error("halo: expected at most " + std::to_string(most_packings) + " vectors");
    p.of[p.count++] = one;
    const std::size_t words = std::max<std::size_t>(1, b / 16);
    most = std::max(most, static_cast<std::int64_t>(one.count) * static_cast<std::int64_t>(words));
  }
  const int blocks = sums.slots + static_cast<int>(std::min<std::int64_t>(
                                      most_blocks, (most + lanes - 1) / lanes));
  if (blocks == 0) return;
  leave_kernel<<<static_cast<unsigned>(blocks), lanes, 0, static_cast<cudaStream_t>(stream)>>>(
      p, sums);
  DWELL_CUDA(cudaGetLastError());
}

gpu_identity identity(const device& where) {
  cudaDeviceProp p{};
  DWELL_CUDA(cudaGetDeviceProperties(&p, where.ordinal()));
  gpu_identity id{};
  static_assert(sizeof p.uuid == sizeof id);
  std::memcpy(id.data(), &p.uuid, id.size());
  return id;
}

constexpr halo_functions on_cuda = {&leave, &identity};

}  // namespace

template <>
const halo_functions& cuda_backend() {
  return on_cuda;
}

}  // namespace dwell
