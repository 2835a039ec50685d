// SPDX-License-Identifier: MIT
// Numbers in the output of others.
#pragma once
#include <charconv>
#include <cmath>
#include <optional>
#include <string>

namespace dwell::app {

/// All of the text as a finite number, as printf writes it; null where it is none.
inline std::optional<double> printed_number(const std::string& text) {
  double value = 0;
  const char* begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char* end = text.data() + text.size();
  const auto read = std::from_chars(begin, end, value);
  if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

}  // namespace dwell::app
