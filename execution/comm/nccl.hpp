// SPDX-License-Identifier: MIT
// NVIDIA's NCCL as a transport. The library is loaded when it is first asked for: a program that
// links Dwell needs none. Private to the library.
#pragma once
#include <memory>
#include <span>

#include "dwell/comm/communicator.hpp"
#include "dwell/execution/comm/device_transport.hpp"

namespace dwell {

/// Where why_no_nccl() is empty on all ranks. NVLink multicast is off unless NCCL_NVLS_ENABLE says
/// otherwise. groups: in which ranks gather (gather_rounds.hpp); empty: gather_groups().
std::shared_ptr<device_transport> connect_by_nccl(communicator& comm, const device& where,
                                                  std::span<const int> groups = {});

}  // namespace dwell
