// SPDX-License-Identifier: MIT
// Films: the chunks that APNG asks for, in order, with their sums; every frame decoded by libpng as
// a picture of its own; one scale for all; and the curves of lines.
#include <gtest/gtest.h>
#include <png.h>
#include <zlib.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "scratch.hpp"

#include "dwell/formats/png.hpp"

namespace dwell::test {
namespace {

struct png_chunk {
  std::string type, data;
};

std::uint32_t number_of(const std::string& bytes, std::size_t at) {
  std::uint32_t v = 0;
  for (std::size_t k = at; k < at + 4; ++k) v = v << 8 | static_cast<unsigned char>(bytes.at(k));
  return v;
}
std::string four_bytes(std::uint32_t v) {
  std::string s;
  for (int k = 3; k >= 0; --k) s += static_cast<char>(v >> (8 * k));
  return s;
}
std::uint32_t sum_of(const std::string& s) {
  return static_cast<std::uint32_t>(::crc32(::crc32(0, nullptr, 0),
                                            reinterpret_cast<const Bytef*>(s.data()),
                                            static_cast<uInt>(s.size())));
}

const std::string png_signature = "\x89PNG\r\n\x1a\n";

/// All chunks of a file, whose sums must be right.
std::vector<png_chunk> chunks_of(const std::string& file) {
  EXPECT_TRUE(file.starts_with(png_signature));
  std::vector<png_chunk> all;
  for (std::size_t at = 8; at < file.size();) {
    const std::uint32_t size = number_of(file, at);
    all.push_back({file.substr(at + 4, 4), file.substr(at + 8, size)});
    EXPECT_EQ(number_of(file, at + 8 + size), sum_of(file.substr(at + 4, 4 + size)));
    at += 12 + size;
  }
  return all;
}

using rgb = std::array<std::uint8_t, 3>;
struct film_frame {
  std::uint32_t width = 0, height = 0, delay_num = 0, delay_den = 0;
  std::vector<rgb> pixels;
  rgb at(int x, int y) const {
    return pixels.at(static_cast<std::size_t>(y) * width + static_cast<std::size_t>(x));
  }
  bool operator==(const film_frame&) const = default;
};

/// A frame's chunks as a PNG, decoded.
film_frame decoded(const std::vector<png_chunk>& before, const std::string& control,
                   const std::string& data) {
  std::string png = png_signature;
  auto all = before;
  all.push_back({"IDAT", data});
  all.push_back({"IEND", ""});
  for (const auto& [type, text] : all)
    png += four_bytes(static_cast<std::uint32_t>(text.size())) + type + text +
           four_bytes(sum_of(type + text));
  png_image image = {};
  image.version = PNG_IMAGE_VERSION;
  film_frame f;
  EXPECT_TRUE(png_image_begin_read_from_memory(&image, png.data(), png.size())) << image.message;
  image.format = PNG_FORMAT_RGB;
  f.width = image.width, f.height = image.height;
  f.delay_num = number_of(control, 20) >> 16;
  f.delay_den = number_of(control, 20) & 0xffff;
  f.pixels.resize(std::size_t(f.width) * f.height);
  EXPECT_TRUE(png_image_finish_read(&image, nullptr, f.pixels.data(), 0, nullptr)) << image.message;
  return f;
}

std::vector<film_frame> film_of(const std::string& file) {
  const auto chunks = chunks_of(file);
  EXPECT_EQ(chunks.at(0).type, "IHDR");
  EXPECT_EQ(chunks.at(1).type, "PLTE");
  EXPECT_EQ(chunks.at(2).type, "acTL");
  EXPECT_EQ(chunks.back().type, "IEND");
  EXPECT_EQ(number_of(chunks.at(2).data, 4), 0u);  // again and again
  std::vector<film_frame> frames;
  std::string control, data;
  std::uint32_t sequence = 0;
  const auto finish = [&] {
    if (!control.empty()) frames.push_back(decoded({chunks[0], chunks[1]}, control, data));
    data.clear();
  };
  for (const auto& [type, text] : chunks) {
    if (type == "fcTL" || type == "fdAT") {
      EXPECT_EQ(number_of(text, 0), sequence++);
    }
    if (type == "fcTL") {
      finish();
      control = text;
      EXPECT_EQ(text.size(), 26u);
      EXPECT_EQ(text.substr(4, 8), chunks[0].data.substr(0, 8));  // width and height
      EXPECT_EQ(text.substr(12, 8), std::string(8, '\0'));        // at the corner
      EXPECT_EQ(text.substr(24), std::string(2, '\0'));  // it takes the place of the one before
    } else if (type == "IDAT") {
      EXPECT_TRUE(frames.empty());
      data += text;
    } else if (type == "fdAT") {
      EXPECT_FALSE(frames.empty());
      data += text.substr(4);
    } else {
      EXPECT_TRUE(type == "IHDR" || type == "PLTE" || type == "acTL" || type == "IEND") << type;
    }
  }
  finish();
  EXPECT_EQ(number_of(chunks[2].data, 0), frames.size());
  return frames;
}

constexpr rgb cold = {68, 1, 84}, hot = {253, 231, 37}, between = {33, 145, 140},
              no_value = {128, 128, 128}, paper = {255, 255, 255};
constexpr int border = 12;

grid<double> flat(double v) { return grid<double>(extents(256, 256), v); }

template <class... Fields>
std::vector<film_frame> film(const std::optional<png_scale>& scale, const Fields&... fields) {
  const scratch_folder folder;
  png_animation<double> made(scale);
  std::int64_t step = 0;
  (made.add(fields.view(), step++), ...);
  EXPECT_EQ(made.frames(), step);
  made.write(folder / "u.png");
  return film_of(bytes_of(folder / "u.png"));
}

TEST(png_animation, frames_have_one_scale_that_is_theirs) {
  auto one = flat(1), three = flat(3);
  three(0, 0) = std::nan("");
  const auto frames = film({}, one, flat(2), three);
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].at(border, border), cold);
  EXPECT_EQ(frames[1].at(border, border), between);
  EXPECT_EQ(frames[2].at(border, border), no_value);
  EXPECT_EQ(frames[2].at(border + 1, border), hot);
  for (const auto& f : frames)  // the bar and its labels
    for (int y = 0; y < border + 256; ++y)
      for (int x = border + 256; x < static_cast<int>(f.width); ++x)
        ASSERT_EQ(f.at(x, y), frames[0].at(x, y)) << x << ", " << y;
  EXPECT_EQ(frames[0].delay_den, frames[1].delay_den);
  EXPECT_EQ(frames[2].delay_den, 1u);
  for (const auto& f : frames) EXPECT_EQ(f.delay_num, 1u);
  std::vector<rgb> below[2];
  for (const int k : {0, 1})
    for (int x = 0; x < 80; ++x)
      for (int y = border + 256; y < static_cast<int>(frames[0].height); ++y)
        below[k].push_back(frames[static_cast<std::size_t>(k)].at(x, y));
  EXPECT_NE(below[0], below[1]) << "the number of the step";
}

TEST(png_animation, a_given_scale_is_kept_and_cuts) {
  const auto frames = film(png_scale{0, 2}, flat(1), flat(7), flat(-7));
  ASSERT_EQ(frames.size(), 3u);
  EXPECT_EQ(frames[0].at(border, border), between);
  EXPECT_EQ(frames[1].at(border, border), hot);
  EXPECT_EQ(frames[2].at(border, border), cold);
}

TEST(png_animation, of_planes_the_middle_one_and_one_frame_is_a_film_too) {
  grid<double> u(extents(3, 256, 256), 9);
  for (int y = 0; y < 256; ++y)
    for (int x = 0; x < 256; ++x) u(1, y, x) = y < 128 ? 0 : 1;
  const auto frames = film({}, u);
  ASSERT_EQ(frames.size(), 1u);
  EXPECT_EQ(frames[0].at(border, border), cold);
  EXPECT_EQ(frames[0].at(border, border + 255), hot);
}

TEST(png_animation, long_sides_are_sampled_and_ranges_are_of_all_cells) {
  grid<double> u(extents(3, 2049));
  u(2, 1) = 5;  // between those that are shown
  png_animation<double> made;
  made.add(std::as_const(u).view(), 0);
  ASSERT_TRUE(made.scale());
  EXPECT_EQ(made.scale()->greatest, 5);
  const scratch_folder folder;
  made.write(folder / "u.png");
  const auto frames = film_of(bytes_of(folder / "u.png"));
  EXPECT_EQ(frames[0].at(border + 682, border), cold);  // every third cell: 683 columns
  EXPECT_EQ(frames[0].at(border + 683, border), paper);
}

TEST(png_animation, what_cannot_be_is_refused) {
  png_animation<double> made;
  const scratch_folder folder;
  EXPECT_NE(message_of([&] { made.write(folder / "u.png"); }).find("expected a frame"),
            std::string::npos);
  EXPECT_FALSE(made.scale());
  made.add(std::as_const(*std::make_unique<grid<double>>(extents(2, 3))).view(), 0);
  EXPECT_NE(message_of([&] {
              made.add(flat(1).view(), 1);
            }).find("expected 2x3 cells as of the first frame, found 256x256"),
            std::string::npos);
  EXPECT_EQ(folder.files(), 0u);
}

film_frame curve(const grid<double>& u, const std::optional<png_scale>& scale = {}) {
  const scratch_folder folder;
  write_png<double>(folder / "u.png", u.view(), scale);
  const auto chunks = chunks_of(bytes_of(folder / "u.png"));
  std::string data;
  for (const auto& c : chunks)
    if (c.type == "IDAT") data += c.data;
  return decoded({chunks[0]}, std::string(26, '\0'), data);
}
/// Rows of a column that are neither white nor of the frame.
std::vector<int> inked(const film_frame& f, int x) {
  std::vector<int> rows;
  for (int y = border; y < static_cast<int>(f.height) - border; ++y)
    if (f.at(border + x, y) != paper) rows.push_back(y - border);
  return rows;
}

TEST(png_animation, a_line_is_a_curve) {
  grid<double> u{extents(256)};
  for (int x = 0; x < 256; ++x) u.cells()[static_cast<std::size_t>(x)] = x / 2;
  const auto f = curve(u);
  const int height = static_cast<int>(f.height) - 2 * border;
  EXPECT_EQ(inked(f, 0), std::vector<int>{height - 1});
  EXPECT_EQ(inked(f, 255).front(), 0);
  for (int x = 1; x < 256; ++x) EXPECT_LE(inked(f, x).front(), inked(f, x - 1).front()) << x;
  u.cells()[9] = std::nan("");
  EXPECT_EQ(inked(curve(u), 9).size(), static_cast<std::size_t>(height));
  EXPECT_EQ(curve(u).at(border + 9, border), no_value);
  EXPECT_EQ(inked(curve(u, png_scale{-1000, 10}), 255), std::vector<int>{0});  // above its end
  EXPECT_EQ(inked(curve(grid<double>(extents(1), 5)), 0).size(), 1u);
}

TEST(png_animation, lines_have_films_of_curves_in_the_colours_of_pictures) {
  grid<double> low{extents(256)}, high{extents(256)};
  for (int x = 0; x < 256; ++x) high.cells()[static_cast<std::size_t>(x)] = x;
  high.cells()[200] = std::nan("");
  const auto frames = film({}, low, high);
  ASSERT_EQ(frames.size(), 2u);
  const auto still = curve(high);
  for (int y = 0; y < static_cast<int>(still.height) - border; ++y)
    for (int x = 0; x < static_cast<int>(still.width); ++x)
      ASSERT_EQ(frames[1].at(x, y), still.at(x, y)) << x << ", " << y;
  EXPECT_NE(frames[0], frames[1]);
}

TEST(png_animation, a_picture_has_the_scale_that_is_given) {
  const auto f = curve(flat(1), png_scale{0, 2});
  EXPECT_EQ(f.at(border, border), between);
}

}  // namespace
}  // namespace dwell::test
