// SPDX-License-Identifier: MIT
// What is compiled for runs of a built-in stencil on a GPU that need not be here, where it is not
// compiled with the library.
#pragma once
#include <optional>
#include <vector>

#include "dwell/base/precision.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/formats/extents.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell {

/// Each kernel once. size: what a run of options on such a field takes, without a source; none: all
/// kernels that executors have for the device, of options.executor if that is not "auto". Throws
/// unsupported_error if the stencil or the executor does not exist, or no plan serves.
std::vector<kernel_source> needed_sources(const device_facts& device, precision type,
                                          const stencil_options& options,
                                          const std::optional<extents>& size);

/// The library has compiled kernels of the stencil for GPUs.
bool is_compiled_ahead(const std::string& shape);

}  // namespace dwell
