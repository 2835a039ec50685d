// SPDX-License-Identifier: MIT
// Colours run from dark blue over green to yellow, growing lighter all the way, so that they keep
// their order in grey.
#include "dwell/formats/png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/formats/atomic_file.hpp"
#include "dwell/formats/field_values.hpp"

namespace dwell {
namespace {

using colour = std::array<std::uint8_t, 3>;

colour heat(double v) {
  constexpr double stops[][3] = {
      {68, 1, 84}, {59, 82, 139}, {33, 145, 140}, {94, 201, 98}, {253, 231, 37}};
  const double at = std::clamp(v, 0.0, 1.0) * 4;
  const int k = std::min(3, static_cast<int>(at));
  colour c;
  for (int i = 0; i < 3; ++i)
    c[static_cast<std::size_t>(i)] = static_cast<std::uint8_t>(
        std::lround(stops[k][i] + (at - k) * (stops[k + 1][i] - stops[k][i])));
  return c;
}

class canvas {
 public:
  static constexpr int advance = 6, text_height = 7;  ///< size of a character, in pixels

  canvas(int width, int height)
      : width(width),
        height(height),
        pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3, 255) {}
  void set(int x, int y, const colour& c) {
    if (x >= 0 && y >= 0 && x < width && y < height)
      std::copy(c.begin(), c.end(), row(y) + static_cast<std::size_t>(x) * 3);
  }
  std::uint8_t* row(int y) {
    return pixels_.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(width) * 3;
  }
  /// Glyphs of 5 x 7 pixels, a row of which is five bits.
  void text(int x, int y, const std::string& words) {
    static constexpr const char* known = "0123456789-+.e";
    static constexpr std::uint8_t glyph[][7] = {
        {14, 17, 19, 21, 25, 17, 14}, {4, 12, 4, 4, 4, 4, 14},   {14, 17, 1, 2, 4, 8, 31},
        {31, 2, 4, 2, 1, 17, 14},     {2, 6, 10, 18, 31, 2, 2},  {31, 16, 30, 1, 1, 17, 14},
        {6, 8, 16, 30, 17, 17, 14},   {31, 1, 2, 4, 8, 8, 8},    {14, 17, 17, 14, 17, 17, 14},
        {14, 17, 17, 15, 1, 2, 12},   {0, 0, 0, 31, 0, 0, 0},    {0, 4, 4, 31, 4, 4, 0},
        {0, 0, 0, 0, 0, 12, 12},      {0, 0, 14, 17, 31, 16, 14}};
    for (const char c : words) {
      if (const auto k = std::string(known).find(c); k != std::string::npos)
        for (int r = 0; r < 7; ++r)
          for (int b = 0; b < 5; ++b)
            if (glyph[k][r] >> (4 - b) & 1) set(x + b, y + r, {0, 0, 0});
      x += advance;
    }
  }
  const int width, height;

 private:
  std::vector<std::uint8_t> pixels_;
};

/// libpng reports errors by jumping; no C++ object may live in the frames that it leaves.
void encode(canvas& picture, std::string& bytes) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    throw error("the picture could not be encoded");
  }
  png_set_write_fn(
      png, &bytes,
      [](png_structp p, png_bytep data, png_size_t n) {
        static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(data), n);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, static_cast<png_uint_32>(picture.width),
               static_cast<png_uint_32>(picture.height), 8, PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  for (int y = 0; y < picture.height; ++y) png_write_row(png, picture.row(y));
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
}

/// The ends of a range with as many digits, four at least, as tell them apart.
struct range_labels {
  std::string least, greatest;
};
range_labels labels_of(const value_range& range) {
  constexpr int enough = 17;  // for any two doubles
  range_labels labels;
  for (int digits = 4; digits <= enough && labels.least == labels.greatest; ++digits)
    labels = {fmt::format("{:.{}g}", range.least, digits),
              fmt::format("{:.{}g}", range.greatest, digits)};
  return labels;
}

/// Where in a range a value lies, from 0 to 1; in the middle of a range of one value.
double place_in(const value_range& range, double v) {
  if (range.least == range.greatest) return 0.5;
  // The width of a range can be too large for a double, half of it cannot.
  const double scale = std::isfinite(range.greatest - range.least) ? 1 : 0.5;
  return (v * scale - range.least * scale) / (range.greatest * scale - range.least * scale);
}

}  // namespace

template <class T>
void write_png(const std::filesystem::path& file, grid_view<const T> values) {
  constexpr int largest = 2048, smallest = 256, margin = 12, bar = 16, gap = 4;
  const extents& n = values.size;
  const int z = n.z / 2;
  const auto plane = static_cast<std::size_t>(n.y) * static_cast<std::size_t>(n.x);
  const value_range range =
      range_of<T>(values.cells().subspan(static_cast<std::size_t>(z) * plane, plane));
  const bool any = range.least <= range.greatest, several = range.least < range.greatest;
  const range_labels labels = any ? labels_of(range) : range_labels();
  const int label_width =
      static_cast<int>(std::max({std::size_t(15), labels.least.size(), labels.greatest.size()})) *
      canvas::advance;

  const int longest = std::max(n.x, n.y);
  const int every = (longest + largest - 1) / largest, times = std::max(1, smallest / longest);
  const int width = (n.x + every - 1) / every * times, height = (n.y + every - 1) / every * times;
  const int bar_height = std::max(height, 40);
  canvas picture(width + 3 * margin + bar + label_width, bar_height + 2 * margin);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double v = values(z, y / times * every, x / times * every);
      picture.set(margin + x, margin + y,
                  std::isfinite(v) ? heat(place_in(range, v)) : colour{128, 128, 128});
    }

  // The colour bar: of one colour and with one label where there is one value, none without.
  const int left = 2 * margin + width, words = left + bar + gap;
  for (int y = 0; any && y < bar_height; ++y)
    for (int x = 0; x < bar; ++x)
      picture.set(left + x, margin + y, heat(several ? 1 - (y + 0.5) / bar_height : 0.5));
  if (several) {
    picture.text(words, margin, labels.greatest);
    picture.text(words, margin + bar_height - canvas::text_height, labels.least);
  } else {
    picture.text(words, margin + (bar_height - canvas::text_height) / 2, labels.least);
  }
  std::string bytes;
  encode(picture, bytes);
  atomic_file out(file);
  out.write(bytes);
  out.commit();
}

template void write_png(const std::filesystem::path&, grid_view<const double>);
template void write_png(const std::filesystem::path&, grid_view<const float>);

}  // namespace dwell
