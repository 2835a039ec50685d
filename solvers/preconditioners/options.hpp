// SPDX-License-Identifier: MIT
// What a caller may ask of a preconditioner besides its name.
#pragma once

namespace dwell {

/// Options of preconditioners; those of others than the chosen one do nothing.
struct preconditioner_options {
  /// Of amg: keep aggregates and patterns on the device, so that a set-up for other values of the
  /// same pattern computes these alone. It takes several times the memory of the matrix. A
  /// linear_solver does so from its first update_values() on.
  bool keep_patterns = false;
};

}  // namespace dwell
