// SPDX-License-Identifier: MIT
// Private to formats: values whose bytes come the other way round.
#pragma once
#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>

namespace dwell {

/// Reverses the bytes of each value.
template <class T>
void swap_bytes(std::span<T> values) {
  for (T& v : values) {
    auto bytes = std::bit_cast<std::array<std::byte, sizeof(T)>>(v);
    std::reverse(bytes.begin(), bytes.end());
    v = std::bit_cast<T>(bytes);
  }
}

}  // namespace dwell
