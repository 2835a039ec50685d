// SPDX-License-Identifier: MIT
// How much memory this machine, the host of all devices, can still give.
#pragma once
#include <cstddef>

namespace dwell {

/// Bytes that this program may still take without others being pushed out to disk, what the system
/// holds of files included, since it lets go of that, and within the limits of its address space
/// and of its control groups; 0 if the system does not say.
std::size_t host_memory_free();

}  // namespace dwell
