// SPDX-License-Identifier: MIT
// A build without CUDA.
#include "dwell/base/error.hpp"
#include "dwell/execution/comm/device_halo.hpp"
#include "dwell/execution/comm/nccl.hpp"

namespace dwell {

void leave_for_ranks(std::span<const halo_packing>, const team_sums&, void*) {
  throw device_error(find_cuda().reason);
}
gpu_identity identity_of_gpu(const device&) { throw device_error(find_cuda().reason); }

}  // namespace dwell
