// SPDX-License-Identifier: MIT
// What both kinds of file have in common: samples of one or two bytes, the first one the more
// significant, channel by channel within a pixel.
#include "dwell/formats/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/formats/atomic_file.hpp"
#include "dwell/formats/input_file.hpp"
#include "dwell/formats/matrix_market_text.hpp"
#include "dwell/formats/picture_samples.hpp"

namespace dwell {
namespace {

std::string ending_of(const std::filesystem::path& file) { return file.extension().string(); }

std::string read_all(input_file& file) {
  std::string all;
  for (std::string_view some; !(some = file.next()).empty();) all += some;
  return all;
}

grid<float> planes_of(const picture_samples& s) {
  grid<float> out(extents(s.channels, s.height, s.width));
  const std::uint8_t* at = s.bytes.data();
  for (int y = 0; y < s.height; ++y)
    for (int x = 0; x < s.width; ++x)
      for (int c = 0; c < s.channels; ++c) {
        int v = *at++;
        if (s.bytes_each == 2) v = v * 256 + *at++;
        out(c, y, x) = static_cast<float>(v);
      }
  return out;
}

picture_samples samples_of(const picture& image) {
  const extents& n = image.channels.size();
  picture_samples s;
  s.channels = n.z;
  s.height = n.y;
  s.width = n.x;
  s.white = image.white;
  s.bytes_each = image.white > 255 ? 2 : 1;
  s.bytes.reserve(n.cells() * static_cast<std::size_t>(s.bytes_each));
  const auto white = static_cast<float>(image.white);
  for (int y = 0; y < n.y; ++y)
    for (int x = 0; x < n.x; ++x)
      for (int c = 0; c < n.z; ++c) {
        const float v = image.channels(c, y, x);
        const auto whole =
            static_cast<int>(std::lround(v > 0 ? std::min(v, white) : 0.0f));  // NaN: 0
        if (s.bytes_each == 2) s.bytes.push_back(static_cast<std::uint8_t>(whole / 256));
        s.bytes.push_back(static_cast<std::uint8_t>(whole % 256));
      }
  return s;
}

/// What a file that is not read is, for a message.
std::string kind_of(std::string_view bytes) {
  if (bytes.empty()) return "an empty file";
  if (bytes.starts_with("P2") || bytes.starts_with("P3"))
    return fmt::format("one in text ({})", bytes.substr(0, 2));
  return fmt::format("'{}'", mm::escape(bytes.substr(0, 8)));
}

}  // namespace

bool is_picture_name(const std::filesystem::path& file) {
  const std::string end = ending_of(file);
  return end == ".png" || end == ".pgm" || end == ".ppm";
}

picture read_picture(const std::filesystem::path& file) {
  input_file in(file, "picture");
  const std::string bytes = read_all(in);
  picture_samples s;
  try {
    if (bytes.starts_with("\x89PNG"))
      s = decode_png(bytes);
    else if (bytes.starts_with("P5") || bytes.starts_with("P6"))
      s = decode_netpbm(bytes);
    else
      throw input_error("expected a PNG, or a binary PGM or PPM (P5, P6), found " + kind_of(bytes));
  } catch (const input_error& e) {
    throw input_error(fmt::format("{}: {}", in.name(), e.what()));
  }
  return {planes_of(s), s.white, s.had_alpha};
}

void write_picture(const std::filesystem::path& file, const picture& image) {
  const extents& n = image.channels.size();
  const std::string end = ending_of(file);
  if (n.z != 1 && n.z != 3)
    throw input_error(fmt::format("{}: expected 1 channel or 3, found {}", file.string(), n.z));
  if (!is_picture_name(file))
    throw input_error(
        fmt::format("{}: expected a name that ends in .png, .pgm or .ppm", file.string()));
  if (end != ".png" && (end == ".ppm") != (n.z == 3))
    throw input_error(fmt::format("{}: expected a name that ends in {}: the picture is {}",
                                  file.string(), n.z == 3 ? ".ppm or .png" : ".pgm or .png",
                                  n.z == 3 ? "coloured" : "grey"));
  if (image.white < 1 || image.white > 65535)
    throw input_error(fmt::format("{}: expected a largest value from 1 to 65535, found {}",
                                  file.string(), image.white));
  const picture_samples s = samples_of(image);
  const std::string bytes = end == ".png" ? encode_png(s) : encode_netpbm(s);
  atomic_file out(file);
  out.write(bytes);
  out.commit();
}

}  // namespace dwell
