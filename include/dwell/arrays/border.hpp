// SPDX-License-Identifier: MIT
// What lies beyond the border of an image, and the names of the rules.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "dwell/arrays/border_cell.hpp"
#include "dwell/base/api.hpp"

namespace dwell {

/// "zero", "replicate", "reflect" or "periodic".
DWELL_API std::string to_string(border edge);
/// Border of such a word. Throws input_error.
DWELL_API border parse_border(std::string_view name);
/// The words, in their order.
DWELL_API std::span<const char* const> border_names();

}  // namespace dwell
