// SPDX-License-Identifier: MIT
// Ranks on the GPUs that there are: so many on as many GPUs by NCCL, or sharing the first one by
// way of the host.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "dwell/comm/gpu_transport.hpp"
#include "dwell/device/device.hpp"

namespace dwell::test {

struct gpu_ranks {
  int ranks = 1;
  bool shared = false;  ///< one GPU

  gpu_transport by() const { return shared ? gpu_transport::host : gpu_transport::nccl; }
  device operator()(int rank) const { return device::cuda(shared ? 0 : rank); }
  const char* transport() const { return ranks == 1 ? "threads" : shared ? "host" : "nccl"; }
  /// Empty, or why they cannot be had here.
  std::string missing() const {
    const cuda_presence found = find_cuda();
    if (found.devices == 0) return found.reason;
    if (shared || ranks == 1) return {};
    if (found.devices < ranks)
      return std::to_string(ranks) + " GPUs are needed, " + std::to_string(found.devices) +
             " are here";
    return why_no_nccl();
  }
};
inline std::string name_of(const gpu_ranks& g) {
  return std::to_string(g.ranks) + (g.shared ? "_sharing" : "_by_nccl");
}
inline std::vector<gpu_ranks> all_gpu_ranks() {
  return {{2, true}, {3, true}, {2, false}, {3, false}, {4, false}, {8, false}};
}
inline std::ostream& operator<<(std::ostream& to, const gpu_ranks& g) { return to << name_of(g); }

}  // namespace dwell::test
