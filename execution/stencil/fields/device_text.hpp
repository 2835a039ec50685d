// SPDX-License-Identifier: MIT
// A definition with its borders as the struct that kernels of devices are compiled for.
#pragma once
#include <string>
#include <vector>

#include "dwell/base/precision.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/stencil/fields/field_domain.hpp"

namespace dwell {

/// C++ text: includes and a struct dwell::own_stencil, to the contract of ring_fields2d/sizes.hpp
/// and fields/plain_step.hpp. Kinds of borders are in it, values are not; nor is any word of the
/// tape. DWELL_CELL becomes DWELL_HD.
std::string device_stencil_text(const field_domain& domain);

/// The kernel of each stage of the plain step.
std::vector<kernel_source> field_stage_sources(const field_domain& domain, precision type);

}  // namespace dwell
