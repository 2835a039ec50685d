// SPDX-License-Identifier: MIT
#pragma once

namespace dwell {

/// Vectors that solve_options::null_vectors may have.
inline constexpr int most_null_vectors = 6;

}  // namespace dwell
