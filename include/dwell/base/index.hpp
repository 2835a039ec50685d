// SPDX-License-Identifier: MIT
// The type of row and column numbers.
#pragma once
#include <cstdint>

namespace dwell {

/// Row and column numbers and positions of nonzeros: 0-based, at most 2^31 - 1.
using index = std::int32_t;

}  // namespace dwell
