// SPDX-License-Identifier: MIT
// What a caller may ask of a preconditioner besides its name.
#pragma once

namespace dwell {

/// Options of preconditioners; those of others than the chosen one do nothing.
struct preconditioner_options {};

}  // namespace dwell
