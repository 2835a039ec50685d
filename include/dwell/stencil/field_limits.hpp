// SPDX-License-Identifier: MIT
// How much a stencil of several fields may have, in a header that kernels read, too.
#pragma once

namespace dwell {

/// Limits of a stencil_definition.
struct field_limits {
  static constexpr int fields = 4;                      ///< that steps change
  static constexpr int coefficients = 8;                ///< read-only arrays
  static constexpr int parameters = 32;                 ///< numbers
  static constexpr int arrays = fields + coefficients;  ///< fields, then coefficients
};

}  // namespace dwell
