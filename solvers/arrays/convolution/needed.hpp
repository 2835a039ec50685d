// SPDX-License-Identifier: MIT
// What is compiled for convolutions on a GPU that need not be here, where it is not compiled with
// the library.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "dwell/arrays/convolution.hpp"
#include "dwell/device/device.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"

namespace dwell {

/// What a run on so many images takes, each kernel once. cells, result: as of explain(). Throws as
/// explain() does, and unsupported_error if the device has too little shared memory.
std::vector<kernel_source> needed_sources(const device_facts& device, const extents& size,
                                          std::int64_t images, const convolution_filter& filter,
                                          const convolution_options& options,
                                          std::string_view cells, std::string_view result);
/// All kernels that filters of any size take, of an algorithm or, "auto", of all.
std::vector<kernel_source> needed_sources(std::string_view cells, std::string_view result,
                                          std::string_view algorithm);

}  // namespace dwell
