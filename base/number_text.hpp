// SPDX-License-Identifier: MIT
// Numbers in messages, as people read them: three significant digits and a unit that fits.
#pragma once
#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <string>

namespace dwell {

/// Three significant digits without an exponent, for 0 <= v < 10^6.
inline std::string three_digits(double v) {
  const int decimals = v >= 99.95 ? 0 : v >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f}", v, decimals);
}

/// v in the first of the units, each `step` of the one before, in which it is less than a step.
template <std::size_t N>
std::string scaled_text(double v, double step, const std::array<const char*, N>& units) {
  std::size_t unit = 0;
  while (v >= step * 0.9995 && unit + 1 < N) v /= step, ++unit;
  return unit == 0 ? fmt::format("{:.0f} {}", v, units[0])
                   : fmt::format("{} {}", three_digits(v), units[unit]);
}

/// Memory: 506 KiB.
inline std::string byte_text(double bytes) {
  return scaled_text(bytes, 1024., std::array{"bytes", "KiB", "MiB", "GiB", "TiB"});
}

}  // namespace dwell
