// SPDX-License-Identifier: MIT
// Images of 8 and of 16 bits and their values as f32, in plain arithmetic: nothing is shared with
// the library but the layout of the bits.
#pragma once
#include <cmath>
#include <cstdint>
#include <type_traits>

#include "plain_convolution.hpp"

#include "dwell/base/half.hpp"

namespace dwell {

inline float plain_value(std::uint8_t v) { return v; }
inline float plain_value(half h) {
  const int exponent = h.bits >> 10 & 31, fraction = h.bits & 0x3ff;
  const float size = exponent ? std::ldexp(1024.0f + static_cast<float>(fraction), exponent - 25)
                              : std::ldexp(static_cast<float>(fraction), -24);
  return h.bits & 0x8000 ? -size : size;
}

/// To the nearest, of two as near the even one; of 8 bits cut off at the ends.
template <class Cell>
Cell plain_rounded(float v) {
  if constexpr (std::is_same_v<Cell, std::uint8_t>) {
    return static_cast<std::uint8_t>(std::fmin(std::fmax(std::nearbyint(v), 0.0f), 255.0f));
  } else {
    const double size = std::fabs(static_cast<double>(v));
    const int exponent = size < 0x1p-14 ? -14 : std::ilogb(size);
    const double units = std::nearbyint(std::ldexp(size, 10 - exponent));  // in 2^(exponent - 10)
    half h;
    // A carry out of the fraction is one more in the exponent.
    const long bits = std::lround(units) + (exponent + 14) * 1024L;
    h.bits = static_cast<std::uint16_t>((std::signbit(v) ? 0x8000 : 0) |
                                        (bits > 0x7c00 || size >= 65536 ? 0x7c00 : bits));
    return h;
  }
}
template <class Cell>
grid<Cell> plain_rounded(const grid<float>& v) {
  grid<Cell> out(v.size());
  for (std::size_t i = 0; i < v.cells().size(); ++i)
    out.cells()[i] = plain_rounded<Cell>(v.cells()[i]);
  return out;
}

template <class Cell>
grid<float> as_floats(const grid<Cell>& image) {
  grid<float> out(image.size());
  for (std::size_t i = 0; i < image.cells().size(); ++i)
    out.cells()[i] = plain_value(image.cells()[i]);
  return out;
}

/// All values of 8 bits; of 16 from -1 to 1, some of them near zero. The same on every machine.
template <class Cell>
grid<Cell> cells_of(const extents& size, unsigned seed) {
  const grid<float> from = noise<float>(size, seed);
  grid<Cell> out(size);
  for (std::size_t i = 0; i < from.cells().size(); ++i) {
    const float v = from.cells()[i];
    if constexpr (std::is_same_v<Cell, std::uint8_t>)
      out.cells()[i] = static_cast<std::uint8_t>(std::floor((v + 1) * 127.99f));
    else
      out.cells()[i] = plain_rounded<half>(i % 7 == 3 ? v * 0x1p-16f : v);
  }
  return out;
}

}  // namespace dwell
