// SPDX-License-Identifier: MIT
// What device.cpp asks of the CUDA backend. Private to the library.
#pragma once
#include "dwell/execution/core/buffer.hpp"
#include "dwell/execution/core/device.hpp"

namespace dwell {

device_facts cuda_facts(int ordinal);
const memory_space& cuda_memory();
/// Would a load from there fail on the host? Makes no CUDA context.
bool is_device_memory(const void* p);

}  // namespace dwell
