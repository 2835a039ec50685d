// SPDX-License-Identifier: MIT
// Numbers of 16 bits, IEEE 754's binary16 ("half precision", NumPy's float16): what images are
// stored as. Nothing is computed in them.
#pragma once
#include <bit>
#include <cstdint>

namespace dwell {

/// The 16 bits of such a number: a sign, 5 bits of an exponent, 10 of a fraction.
struct half {
  std::uint16_t bits = 0;  ///< layout of IEEE 754

  constexpr half() = default;
  /// The nearest one, of two as near the even one; from 65520 on infinity. A NaN stays one.
  constexpr explicit half(float v) : bits(rounded(std::bit_cast<std::uint32_t>(v))) {}
  /// Exact.
  constexpr explicit operator float() const;

  /// Equal bits: zeros of both signs differ, NaNs may be equal.
  friend constexpr bool operator==(const half&, const half&) = default;

 private:
  static constexpr std::uint16_t rounded(std::uint32_t v);
};

constexpr half::operator float() const {
  const std::uint32_t sign = std::uint32_t(bits & 0x8000u) << 16, exponent = bits >> 10 & 31u,
                      fraction = bits & 0x3ffu;
  if (exponent == 0) {  // a multiple of 2^-24
    const float v = static_cast<float>(fraction) * 0x1p-24f;
    return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(v));
  }
  if (exponent == 31)
    return std::bit_cast<float>(sign | 0x7f800000u | (fraction ? 0x400000u : 0u) | fraction << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | fraction << 13);
}

constexpr std::uint16_t half::rounded(std::uint32_t v) {
  constexpr std::uint32_t infinity = 0x7f800000, no_half = 0x477ff000 /* 65520 */,
                          least_normal = 0x38800000 /* 2^-14 */;
  const std::uint32_t sign = v >> 16 & 0x8000u, size = v & 0x7fffffffu;
  std::uint32_t out = 0x7c00;  // infinity
  if (size > infinity) {
    out = 0x7e00u | (size >> 13 & 0x3ffu);
  } else if (size < least_normal) {  // a sum with 1/2 is rounded to a multiple of 2^-24
    out = std::bit_cast<std::uint32_t>(std::bit_cast<float>(size) + 0.5f) - 0x3f000000u;
  } else if (size < no_half) {
    out = (size + 0xfffu + (size >> 13 & 1u) - (112u << 23)) >> 13;
  }
  return static_cast<std::uint16_t>(sign | out);
}

}  // namespace dwell
