// SPDX-License-Identifier: MIT
// A build without NCCL.
#include "dwell/base/error.hpp"
#include "dwell/execution/comm/nccl.hpp"

namespace dwell {

std::string why_no_nccl() {
  return "transport nccl: this library was built without NCCL (DWELL_NCCL)";
}

std::shared_ptr<device_transport> connect_by_nccl(communicator&, const device&,
                                                  std::span<const int>) {
  throw unsupported_error(why_no_nccl());
}

}  // namespace dwell
