// SPDX-License-Identifier: MIT
// Whether an executor's teams are alone.
#pragma once

namespace dwell {

/// Each has a system of its own, and meets no other.
template <class E>
inline constexpr bool alone_of = [] {
  if constexpr (requires { E::alone; })
    return E::alone;
  else
    return false;
}();

}  // namespace dwell
