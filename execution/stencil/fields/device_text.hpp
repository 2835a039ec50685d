// SPDX-License-Identifier: MIT
// A definition with its borders as the struct that kernels of devices are compiled for.
#pragma once
#include <array>
#include <string>
#include <vector>

#include "dwell/execution/stencil/engines/ring_fields2d/chain_shape.hpp"
#include "dwell/execution/stencil/fields/field_domain.hpp"

namespace dwell {

/// Axes of kernels: y, x, z. Those of a field_domain are z, y, x.
inline constexpr std::array<int, 3> kernel_axes{1, 2, 0};

/// C++ text: includes and a struct dwell::own_stencil, to the contract of ring_fields2d/sizes.hpp
/// and fields/plain_step.hpp. Kinds of borders are in it, values are not; nor is any word of the
/// tape. DWELL_CELL becomes DWELL_HD.
std::string device_stencil_text(const field_domain& domain);

/// What a stage reads: its taps, and fields whose values others take.
std::vector<field_tap> taps_of(const cell_tape& tape, const field_stage& stage);

}  // namespace dwell
