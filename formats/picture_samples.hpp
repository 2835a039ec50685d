// SPDX-License-Identifier: MIT
// Private to formats: pictures as their files have them, and the files of both kinds.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace dwell {

struct picture_samples {
  int width = 0, height = 0;
  int channels = 1;    ///< 1 or 3
  int bytes_each = 1;  ///< 1 or 2, the more significant one first
  int white = 255;
  bool had_alpha = false;  ///< left out of `bytes`
  std::vector<std::uint8_t> bytes;
};

inline constexpr std::uint64_t most_pixels = std::uint64_t(1) << 28;

/// Throw input_error, without the name of the file.
picture_samples decode_png(std::string_view file);
picture_samples decode_netpbm(std::string_view file);
/// Files. A PNG has 255 or 65535 as its largest value: samples in between are scaled to it.
std::string encode_png(const picture_samples& s);
std::string encode_netpbm(const picture_samples& s);

}  // namespace dwell
