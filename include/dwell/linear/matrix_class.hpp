// SPDX-License-Identifier: MIT
// What a method asks of a matrix besides square arrays of finite numbers.
#pragma once

namespace dwell {

/// Each asks for what the one before it asks for, and more.
enum class matrix_class {
  general,           ///< nothing
  symmetric,         ///< symmetric within rounding
  positive_definite  ///< a positive diagonal too: the rest shows while solving
};

}  // namespace dwell
