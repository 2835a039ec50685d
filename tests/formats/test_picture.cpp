// SPDX-License-Identifier: MIT
// Pictures: what is written is read, other programs' variants are read, everything else is refused
// with the file and the reason.
#include "dwell/formats/picture.hpp"

#include <gtest/gtest.h>

#include <png.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "scratch.hpp"

namespace dwell::test {
namespace {

class pictures : public testing::Test {
 protected:
  picture read(const std::string& bytes) {
    put_bytes(folder_ / "p", bytes);
    return read_picture(folder_ / "p");
  }
  std::string refusal(const std::string& bytes) {
    const std::string message = message_of([&] { read(bytes); });
    const std::string name = (folder_ / "p").string() + ": ";
    EXPECT_TRUE(message.starts_with(name)) << message;
    return message.substr(name.size());
  }
  scratch_folder folder_;
};

picture ramp(int channels, int white) {
  picture p{grid<float>(extents(channels, 3, 5)), white};
  float v = 0;
  for (float& cell : p.channels.cells())
    cell = v = static_cast<float>((static_cast<int>(v) + 977) % (white + 1));
  return p;
}

TEST_F(pictures, come_back_as_they_were_written) {
  for (const int channels : {1, 3})
    for (const int white : {255, 65535})
      for (const std::string end : {".png", channels == 1 ? ".pgm" : ".ppm"}) {
        const picture p = ramp(channels, white);
        write_picture(folder_ / ("a" + end), p);
        const picture q = read_picture(folder_ / ("a" + end));
        EXPECT_EQ(q.channels, p.channels) << end << channels << white;
        EXPECT_EQ(q.white, white);
      }
}

TEST_F(pictures, values_are_rounded_and_cut_off) {
  picture p{grid<float>(extents(1, 1, 5)), 255};
  const float values[] = {-3, 1.6f, 300, std::numeric_limits<float>::quiet_NaN(), 254.4f};
  std::copy(std::begin(values), std::end(values), p.channels.cells().begin());
  write_picture(folder_ / "a.pgm", p);
  EXPECT_EQ(bytes_of(folder_ / "a.pgm"),
            std::string("P5\n5 1\n255\n") + '\0' + '\2' + '\xff' + '\0' + '\xfe');
}

TEST_F(pictures, netpbm_as_others_write_it) {
  const picture p = read("P5 # made by hand\n2\t# width\n 2 100\nABCD");
  EXPECT_EQ(p.white, 100);
  EXPECT_EQ(p.channels(0, 1, 1), 'D');
  const picture wide =
      read(std::string("P6\n1 1\n1000\n") + '\1' + '\2' + '\0' + '\3' + '\3' + '\0');
  EXPECT_EQ(wide.channels.size(), extents(3, 1, 1));
  EXPECT_EQ(wide.channels(0, 0, 0), 258);
  write_picture(folder_ / "a.png", p);  // 100 becomes 255
  EXPECT_EQ(read_picture(folder_ / "a.png").channels(0, 0, 0), (65 * 255 + 50) / 100);
}

TEST_F(pictures, what_is_no_picture_is_refused) {
  for (const auto& [bytes, found] : std::vector<std::pair<std::string, std::string>>{
           {"GIF89a, and more", "'GIF89a, '"},
           {"", "an empty file"},
           {"P2\n1 1\n255\n7\n", "one in text (P2)"},
           {"\x88PNG\r\n\x1a\n", "'\\x88PNG\\r\\n\\x1a\\n'"}})
    EXPECT_EQ(refusal(bytes), "expected a PNG, or a binary PGM or PPM (P5, P6), found " + found);
  EXPECT_EQ(refusal("P5\n2 2\n255\nabc"), "expected 4 bytes of samples, found 3");
  EXPECT_EQ(refusal("P5\n2 2\n255\nabcde"), "expected 4 bytes of samples, found 5");
  for (const auto& [word, found] : std::vector<std::pair<std::string, std::string>>{
           {"0 2\n255\n", "a width from 1 to 268435456 in the header, found '0'"},
           {"999999999 2\n255\n", "a width from 1 to 268435456 in the header, found '999999999'"},
           {"99999999999999999999 2\n255\n",
            "a width from 1 to 268435456 in the header, found '99999999999999999999'"},
           {"2 -2\n255\n", "a height from 1 to 268435456 in the header, found '-2'"},
           {"2 \x1b[2J\n255\n", "a height from 1 to 268435456 in the header, found '?[2J'"},
           {"2 2\n70000\n", "a largest value from 1 to 65535 in the header, found '70000'"},
           {"2 2\n", "a largest value from 1 to 65535 in the header, found the end of the file"},
           {"", "a width from 1 to 268435456 in the header, found the end of the file"},
           {"2 2\n99\nabcd", "samples from 0 to 99, found 100"}})
    EXPECT_EQ(refusal("P5\n" + word), "expected " + found);
  EXPECT_EQ(refusal(std::string("P5\n1 1\n1000\n") + '\3' + '\xe9'),
            "expected samples from 0 to 1000, found 1001");
  EXPECT_EQ(refusal("P5\n2 2\n255"), "expected one white space between header and samples");
  EXPECT_EQ(refusal("P6\n200000 200000\n255\n"),
            "expected at most 2^28 pixels, found 200000 x 200000");
}

/// A PNG of 2 x 2 pixels of this type, 8 bits each, by libpng.
std::string png_of(int type, bool transparent_colour) {
  std::string bytes;
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_set_write_fn(
      png, &bytes,
      [](png_structp p, png_bytep data, png_size_t n) {
        static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(data), n);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, 2, 2, 8, type, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
               PNG_FILTER_TYPE_DEFAULT);
  const png_color colours[2] = {{1, 2, 3}, {4, 5, 6}};
  if (type == PNG_COLOR_TYPE_PALETTE) png_set_PLTE(png, info, colours, 2);
  const png_byte opaqueness[2] = {0, 255};
  const png_color_16 colour = {};
  if (transparent_colour) png_set_tRNS(png, info, opaqueness, 2, &colour);
  png_write_info(png, info);
  const png_byte row[8] = {0, 1, 0, 1, 1, 0, 1, 0};
  for (int y = 0; y < 2; ++y) png_write_row(png, row);
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return bytes;
}

TEST_F(pictures, say_whether_the_file_has_an_alpha_channel) {
  for (const int type : {PNG_COLOR_TYPE_GRAY, PNG_COLOR_TYPE_RGB, PNG_COLOR_TYPE_PALETTE})
    for (const bool transparent : {false, true}) {
      const picture p = read(png_of(type, transparent));
      EXPECT_EQ(p.had_alpha, transparent) << type;
      EXPECT_EQ(p.channels.size().z, type == PNG_COLOR_TYPE_GRAY ? 1 : 3) << type;
    }
  EXPECT_TRUE(read(png_of(PNG_COLOR_TYPE_GRAY_ALPHA, false)).had_alpha);
  EXPECT_TRUE(read(png_of(PNG_COLOR_TYPE_RGB_ALPHA, false)).had_alpha);
  EXPECT_FALSE(read("P5\n1 1\n255\na").had_alpha);
}

TEST_F(pictures, a_damaged_png_is_refused) {
  write_picture(folder_ / "a.png", ramp(1, 255));
  const std::string good = bytes_of(folder_ / "a.png");
  EXPECT_EQ(refusal(good.substr(0, good.size() / 2)),
            "expected a PNG that can be decoded: the file ends too early");
  std::string flipped = good;
  flipped[good.size() - 20] ^= 1;
  EXPECT_TRUE(refusal(flipped).starts_with("expected a PNG that can be decoded: "));
  std::string huge = good;  // 2^30 columns are claimed
  huge[16] = '\x40';
  EXPECT_TRUE(refusal(huge).starts_with("expected a PNG that can be decoded: "));
}

TEST_F(pictures, names_and_channels_go_together) {
  EXPECT_TRUE(is_picture_name("a.png"));
  EXPECT_FALSE(is_picture_name("a.npy"));
  const auto refused = [&](const char* name, const picture& p) {
    const auto message = message_of([&] { write_picture(folder_ / name, p); });
    return message.substr(message.find(": ") + 2);
  };
  EXPECT_EQ(refused("a.pgm", ramp(3, 255)),
            "expected a name that ends in .ppm or .png: the picture is coloured");
  EXPECT_EQ(refused("a.ppm", ramp(1, 255)),
            "expected a name that ends in .pgm or .png: the picture is grey");
  EXPECT_EQ(refused("a.gif", ramp(1, 255)), "expected a name that ends in .png, .pgm or .ppm");
  EXPECT_EQ(refused("a.png", ramp(2, 255)), "expected 1 channel or 3, found 2");
  EXPECT_EQ(folder_.files(), 0u);
}

}  // namespace
}  // namespace dwell::test
