// SPDX-License-Identifier: MIT
// Values of several vectors at one place, side by side.
#pragma once

namespace dwell {

/// What a product reads for one nonzero, and writes for a row: Width values side by side.
template <class T, int Width>
struct alignas(Width * sizeof(T) < 16 ? Width * sizeof(T) : 16) value_pack {
  T v[Width];
};

}  // namespace dwell
