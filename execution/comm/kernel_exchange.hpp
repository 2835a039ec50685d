// SPDX-License-Identifier: MIT
// Kernels that ranks need: one has a kernel or compiles it, and sends it to the others, which need
// no compiler, no cache and no disk in common with it.
#pragma once
#include <span>

#include "dwell/comm/communicator.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/kernel_making.hpp"
#include "dwell/execution/device/kernel_store.hpp"

namespace dwell {

/// Called by all ranks together, each with what it is going to need, or nothing. Then each has all
/// of it; or all throw what the first of them threw, and nobody waits for one that could not
/// compile. Returns what compiling took here and who compiled; of one rank alone, which compiles
/// when it needs to, nothing.
kernel_making exchange_kernels(communicator& comm, std::span<const kernel_source> wanted,
                               const kernel_target& target,
                               kernel_store& store = kernels_of_process());

/// What kernels of ranks on this GPU are compiled for.
kernel_target target_of_rank(const device& where);

}  // namespace dwell
