// SPDX-License-Identifier: MIT
// Kernels that ranks with GPUs are going to need, exchanged before they need them. Called by all
// ranks together, where all prepare the same: then no rank compiles what another has, and what one
// cannot compile, all say.
#pragma once
#include <vector>

#include "dwell/comm/halo.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/kernel_making.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"

namespace dwell {

/// `ranks`: null of a system that is not divided; without GPUs there is nothing to exchange.
kernel_making exchange_kernels_of(const row_ranks* ranks, const device& where,
                                  const std::vector<kernel_source>& wanted);
/// The kernels of a row of the table.
kernel_making exchange_kernels_of(const row_ranks* ranks, const device& where,
                                  const program_kernel& row, int config);

}  // namespace dwell
