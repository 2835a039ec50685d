// SPDX-License-Identifier: MIT
// What device_halo.hpp asks of CUDA: the kernel between two phases, and which GPU a rank has.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>

#include "dwell/execution/comm/device_halo.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/current_device_cuda.hpp"
#include "dwell/execution/device/kernel_unit_cuda.hpp"
#if defined(__CUDACC__)
#include "dwell/execution/comm/halo_kernel.cuh"
#endif

namespace dwell {
namespace cuda {

struct halo_kernels {
  static std::string about() { return "messages between ranks"; }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/execution/comm/halo_kernel.cuh"};
};
DWELL_PLAIN_KERNEL(leave_kernel_of, dwell::cuda::leave_kernel)

}  // namespace cuda

namespace {

constexpr int most_blocks = 256;  ///< blocks of a packing, which is small

void leave(const device& where, std::span<const halo_packing> all, const team_sums& sums,
           void* stream) {
  cuda::packings p{};
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
  const int blocks =
      sums.slots + static_cast<int>(std::min<std::int64_t>(
                       most_blocks, (most + cuda::packing_lanes - 1) / cuda::packing_lanes));
  if (blocks == 0) return;
  const cuda::current_device here(where.ordinal());
  cuda::launch_apart(cuda::kernel_in<cuda::halo_kernels, cuda::leave_kernel_of>(where.ordinal()),
                     static_cast<unsigned>(blocks), static_cast<unsigned>(cuda::packing_lanes), 0,
                     static_cast<cudaStream_t>(stream), p, sums);
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
