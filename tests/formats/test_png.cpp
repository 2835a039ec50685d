// SPDX-License-Identifier: MIT
// Pictures of fields, looked at pixel by pixel: which cell is where, what is grey, and what stands
// beside the colour bar.
#include "dwell/formats/png.hpp"

#include <gtest/gtest.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "scratch.hpp"

namespace dwell::test {
namespace {

using pixel = std::array<std::uint8_t, 3>;
constexpr pixel black = {0, 0, 0}, white = {255, 255, 255}, grey = {128, 128, 128},
                coldest = {68, 1, 84}, hottest = {253, 231, 37}, middle = {33, 145, 140};
constexpr int margin = 12, bar = 16;

struct picture {
  int width = 0, height = 0, field_width = 0;
  std::vector<pixel> pixels;

  pixel at(int x, int y) const {
    return pixels[static_cast<std::size_t>(y) * static_cast<std::size_t>(width) +
                  static_cast<std::size_t>(x)];
  }
  pixel of_field(int x, int y) const { return at(margin + x, margin + y); }
  pixel of_bar(int y) const { return at(2 * margin + field_width, y); }
  bool has(const pixel& p) const {
    return std::find(pixels.begin(), pixels.end(), p) != pixels.end();
  }
  /// The rows of black and white right of the bar that begin at y, as high as a text is.
  std::vector<bool> label(int y) const {
    std::vector<bool> ink;
    for (int k = y; k < y + 7; ++k)
      for (int x = 2 * margin + field_width + bar; x < width; ++x) ink.push_back(at(x, k) == black);
    return ink;
  }
  std::vector<bool> top() const { return label(margin); }
  std::vector<bool> centre() const { return label((height - 7) / 2); }
  std::vector<bool> bottom() const { return label(height - margin - 7); }
};

bool any(const std::vector<bool>& ink) {
  return std::find(ink.begin(), ink.end(), true) != ink.end();
}

/// `shown` is the width that the field itself takes.
picture draw(const grid<double>& u, int shown) {
  const scratch_folder folder;
  const auto file = folder / "u.png";
  write_png<double>(file, u.view());
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_file(&image, file.c_str())) throw std::runtime_error("no picture");
  image.format = PNG_FORMAT_RGB;
  picture p;
  p.width = static_cast<int>(image.width), p.height = static_cast<int>(image.height);
  p.field_width = shown;
  p.pixels.resize(static_cast<std::size_t>(p.width) * static_cast<std::size_t>(p.height));
  if (!png_image_finish_read(&image, nullptr, p.pixels.data(), 0, nullptr))
    throw std::runtime_error("no pixels");
  return p;
}

grid<double> ends(double least, double greatest) {
  grid<double> u(extents(256, 256), least);
  u(0, 255) = greatest;
  return u;
}

TEST(png, row_0_is_on_top_and_grey_is_not_finite) {
  auto u = ends(0, 1);
  u(255, 0) = std::nan(""), u(255, 1) = INFINITY;
  const auto p = draw(u, 256);
  EXPECT_EQ(p.of_field(0, 0), coldest);
  EXPECT_EQ(p.of_field(255, 0), hottest);
  EXPECT_EQ(p.of_field(0, 255), grey);
  EXPECT_EQ(p.of_field(1, 255), grey);
  EXPECT_EQ(p.of_field(2, 255), coldest);
}

TEST(png, of_planes_the_middle_one_is_shown_with_its_own_range) {
  const auto plane = ends(0, 1);
  grid<double> u(extents(3, 256, 256), 1e6);
  for (int y = 0; y < 256; ++y)
    for (int x = 0; x < 256; ++x) u(1, y, x) = plane(y, x);
  EXPECT_EQ(draw(u, 256).pixels, draw(plane, 256).pixels);
}

TEST(png, long_sides_are_sampled_and_small_fields_enlarged) {
  grid<double> u(extents(4, 4097));
  for (int x = 0; x < 4097; x += 3) u(0, x) = 1;
  const auto p = draw(u, 1366);  // every third cell
  for (int x = 0; x < 1366; ++x) ASSERT_EQ(p.of_field(x, 0), hottest) << x;
  EXPECT_EQ(p.of_field(0, 1), coldest);
  grid<double> small(extents(2, 2));
  small(0, 1) = 1;
  const auto q = draw(small, 256);
  EXPECT_EQ(q.of_field(127, 127), coldest);
  EXPECT_EQ(q.of_field(128, 127), hottest);
  EXPECT_EQ(q.of_field(128, 128), coldest);
}

TEST(png, labels_tell_the_ends_of_a_range_apart) {
  const std::pair<double, double> ranges[] = {{0, 1},
                                              {100, 100.001},
                                              {1, std::nextafter(1, 2)},
                                              {-1e300, std::nextafter(-1e300, 0)},
                                              {-1e308, 1.7e308},
                                              {0, 5e-324}};
  for (const auto& [least, greatest] : ranges) {
    const auto p = draw(ends(least, greatest), 256);
    EXPECT_TRUE(any(p.top()) && any(p.bottom())) << least;
    EXPECT_NE(p.top(), p.bottom()) << least;
    EXPECT_EQ(p.of_field(255, 0), hottest) << least;
    EXPECT_EQ(p.of_field(0, 0), coldest) << least;
    for (int y = 0; y < p.height; ++y) ASSERT_EQ(p.at(p.width - 1, y), white) << "cut off";
  }
  EXPECT_EQ(draw(ends(3, 12345.678), 256).top(), draw(ends(4, 12350), 256).top());  // four digits
}

TEST(png, one_value_has_one_colour_and_one_label) {
  const auto p = draw(grid<double>(extents(256, 256), 5), 256);
  EXPECT_EQ(p.centre(), draw(ends(0, 5), 256).top());
  EXPECT_FALSE(any(p.top()) || any(p.bottom()));
  EXPECT_EQ(p.of_field(0, 0), middle);
  EXPECT_EQ(p.of_bar(margin), middle);
  EXPECT_EQ(p.of_bar(p.height - margin - 1), middle);
}

TEST(png, without_a_finite_value_there_is_no_legend) {
  const auto p = draw(grid<double>(extents(256, 256), std::nan("")), 256);
  EXPECT_EQ(p.of_field(0, 0), grey);
  EXPECT_EQ(p.of_bar(margin), white);
  EXPECT_FALSE(p.has(black));
}

}  // namespace
}  // namespace dwell::test
