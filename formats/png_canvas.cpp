// SPDX-License-Identifier: MIT
// Colours run from dark blue over green to yellow, growing lighter all the way, so that they keep
// their order in grey.
#include "dwell/formats/png_canvas.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>

#include "dwell/base/error.hpp"

namespace dwell {
namespace {

using colour = png_canvas::colour;
constexpr colour paper = {255, 255, 255}, black = {0, 0, 0}, not_finite = {128, 128, 128},
                 curve_frame = {208, 208, 208};
constexpr int margin = 12, bar = 16, gap = 4, smallest = 256;

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

/// Odd, so that the middle of a range is one of them.
constexpr int few_colours = 241;

/// The colour of a place from 0 to 1.
colour heat(double v, png_colours colours) {
  if (colours == png_colours::all) return heat(v);
  constexpr int last = few_colours - 1;
  return heat(static_cast<double>(std::lround(std::clamp(v, 0.0, 1.0) * last)) / last);
}

/// The few colours, then those of paper, text and curves.
std::vector<colour> palette_colours() {
  std::vector<colour> all;
  for (int k = 0; k < few_colours; ++k)
    all.push_back(heat(static_cast<double>(k) / (few_colours - 1)));
  for (const colour& c : {paper, black, not_finite, curve_frame}) all.push_back(c);
  return all;
}

/// The rows of a picture for libpng, and the colours where they are indices.
struct png_rows {
  int width = 0, height = 0;
  std::uint8_t* first = nullptr;
  int stride = 0;  ///< bytes from row to row
  const png_color* palette = nullptr;
  int colours = 0;
};

/// libpng reports errors by jumping; no C++ object may live in the frames that it leaves.
void encode(const png_rows& picture, std::string& bytes) {
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
               static_cast<png_uint_32>(picture.height), 8,
               picture.palette ? PNG_COLOR_TYPE_PALETTE : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  if (picture.palette) png_set_PLTE(png, info, picture.palette, picture.colours);
  png_write_info(png, info);
  for (int y = 0; y < picture.height; ++y)
    png_write_row(png, picture.first + static_cast<std::ptrdiff_t>(y) * picture.stride);
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

template <class T>
void draw_plane(png_canvas& picture, grid_view<const T> cells, const value_range& range, int width,
                int height, png_colours colours) {
  const int times = width / cells.size.x;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double v = cells(y / times, x / times);
      picture.set(margin + x, margin + y,
                  std::isfinite(v) ? heat(place_in(range, v), colours) : not_finite);
    }
}

/// A frame, the curve, and grey columns where a value is not finite.
template <class T>
void draw_curve(png_canvas& picture, grid_view<const T> cells, const value_range& range, int width,
                int height) {
  const int times = width / cells.size.x;
  for (int x = -1; x <= width; ++x)
    for (const int y : {-1, height}) picture.set(margin + x, margin + y, curve_frame);
  for (int y = 0; y < height; ++y)
    for (const int x : {-1, width}) picture.set(margin + x, margin + y, curve_frame);
  int before = -1;
  for (int x = 0; x < width; ++x) {
    const double v = cells(0, x / times);
    if (!std::isfinite(v)) {
      for (int y = 0; y < height; ++y) picture.set(margin + x, margin + y, not_finite);
      before = -1;
      continue;
    }
    const double place = std::clamp(place_in(range, v), 0.0, 1.0);
    const int now = static_cast<int>(std::lround((1 - place) * (height - 1)));
    const int from = before < 0 ? now : before;
    for (int y = std::min(from, now); y <= std::max(from, now); ++y)
      picture.set(margin + x, margin + y, heat(0.25));
    before = now;
  }
}

}  // namespace

png_canvas::png_canvas(int width_pixels, int height_pixels)
    : width(width_pixels),
      height(height_pixels),
      pixels_(static_cast<std::size_t>(width) * static_cast<std::size_t>(height) * 3, 255) {}

void png_canvas::set(int x, int y, const colour& c) {
  if (x >= 0 && y >= 0 && x < width && y < height)
    std::copy(c.begin(), c.end(), row(y) + static_cast<std::size_t>(x) * 3);
}

void png_canvas::text(int x, int y, const std::string& words) {
  // Glyphs of 5 x 7 pixels, a row of which is five bits.
  static constexpr std::string_view known = "0123456789-+.estp";
  static constexpr std::uint8_t glyph[][7] = {
      {14, 17, 19, 21, 25, 17, 14}, {4, 12, 4, 4, 4, 4, 14},     {14, 17, 1, 2, 4, 8, 31},
      {31, 2, 4, 2, 1, 17, 14},     {2, 6, 10, 18, 31, 2, 2},    {31, 16, 30, 1, 1, 17, 14},
      {6, 8, 16, 30, 17, 17, 14},   {31, 1, 2, 4, 8, 8, 8},      {14, 17, 17, 14, 17, 17, 14},
      {14, 17, 17, 15, 1, 2, 12},   {0, 0, 0, 31, 0, 0, 0},      {0, 4, 4, 31, 4, 4, 0},
      {0, 0, 0, 0, 0, 12, 12},      {0, 0, 14, 17, 31, 16, 14},  {0, 0, 15, 16, 14, 1, 30},
      {8, 8, 28, 8, 8, 9, 6},       {30, 17, 17, 17, 30, 16, 16}};
  for (const char c : words) {
    if (const auto k = known.find(c); k != std::string_view::npos)
      for (int r = 0; r < 7; ++r)
        for (int b = 0; b < 5; ++b)  // "p" goes below the line
          if (glyph[k][r] >> (4 - b) & 1) set(x + b, y + r + (c == 'p' ? 2 : 0), black);
    x += advance;
  }
}

std::string encode_png(png_canvas& picture) {
  std::string bytes;
  encode({.width = picture.width,
          .height = picture.height,
          .first = picture.row(0),
          .stride = 3 * picture.width},
         bytes);
  return bytes;
}

std::string encode_indexed_png(png_canvas& picture) {
  const std::vector<colour> colours = palette_colours();
  std::vector<png_color> palette;
  std::map<colour, std::uint8_t> index;
  for (const colour& c : colours) {
    index.emplace(c, static_cast<std::uint8_t>(palette.size()));
    palette.push_back({c[0], c[1], c[2]});
  }
  std::vector<std::uint8_t> pixels;
  pixels.reserve(static_cast<std::size_t>(picture.width) *
                 static_cast<std::size_t>(picture.height));
  auto last = index.begin();  // neighbours are often of one colour
  for (int y = 0; y < picture.height; ++y)
    for (int x = 0; x < picture.width; ++x) {
      colour c;
      std::copy_n(picture.row(y) + 3 * x, 3, c.begin());
      if (last->first != c) last = index.find(c);
      pixels.push_back(last->second);
    }
  std::string bytes;
  encode({.width = picture.width,
          .height = picture.height,
          .first = pixels.data(),
          .stride = picture.width,
          .palette = palette.data(),
          .colours = static_cast<int>(palette.size())},
         bytes);
  return bytes;
}

template <class T>
grid<T> shown_cells(grid_view<const T> values, int largest) {
  const extents& n = values.size;
  const int every = (std::max(n.x, n.y) + largest - 1) / largest;
  const int width = (n.x + every - 1) / every, height = (n.y + every - 1) / every;
  grid<T> out(n.dims == 1 ? extents(width) : extents(height, width));
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) out(y, x) = values(n.z / 2, y * every, x * every);
  return out;
}

template <class T>
value_range shown_range(grid_view<const T> values) {
  const extents& n = values.size;
  const auto plane = static_cast<std::size_t>(n.y) * static_cast<std::size_t>(n.x);
  return range_of<T>(values.cells().subspan(static_cast<std::size_t>(n.z / 2) * plane, plane));
}

template <class T>
png_canvas draw_cells(grid_view<const T> cells, const value_range& range, png_colours colours,
                      const std::string& caption) {
  const bool any = range.least <= range.greatest, several = range.least < range.greatest;
  const bool line = cells.size.dims == 1;
  const range_labels labels = any ? labels_of(range) : range_labels();
  const int label_width =
      static_cast<int>(std::max({std::size_t(15), labels.least.size(), labels.greatest.size()})) *
      png_canvas::advance;
  const int times = std::max(1, smallest / std::max(cells.size.x, cells.size.y));
  const int width = cells.size.x * times, height = line ? smallest / 2 : cells.size.y * times;
  const int bar_height = std::max(height, 40), bar_width = line ? 0 : bar;
  const int below = caption.empty() ? 0 : png_canvas::text_height + gap;
  png_canvas picture(width + 3 * margin + bar_width + label_width, bar_height + 2 * margin + below);
  if (line)
    draw_curve(picture, cells, range, width, height);
  else
    draw_plane(picture, cells, range, width, height, colours);
  if (!caption.empty()) picture.text(margin, margin + bar_height + gap + 2, caption);

  // The colour bar: of one colour and with one label where there is one value, none without.
  const int left = 2 * margin + width, words = line ? left - margin + gap : left + bar + gap;
  for (int y = 0; any && y < bar_height; ++y)
    for (int x = 0; x < bar_width; ++x)
      picture.set(left + x, margin + y, heat(several ? 1 - (y + 0.5) / bar_height : 0.5, colours));
  if (several) {
    picture.text(words, margin, labels.greatest);
    picture.text(words, margin + bar_height - png_canvas::text_height, labels.least);
  } else {
    picture.text(words, margin + (bar_height - png_canvas::text_height) / 2, labels.least);
  }
  return picture;
}

template grid<double> shown_cells(grid_view<const double>, int);
template grid<float> shown_cells(grid_view<const float>, int);
template value_range shown_range(grid_view<const double>);
template value_range shown_range(grid_view<const float>);
template png_canvas draw_cells(grid_view<const double>, const value_range&, png_colours,
                               const std::string&);
template png_canvas draw_cells(grid_view<const float>, const value_range&, png_colours,
                               const std::string&);

}  // namespace dwell
