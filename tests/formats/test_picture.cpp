// SPDX-License-Identifier: MIT
// Pictures: what is written is read, other programs' variants are read, everything else is refused
// with the file and the reason.
#include "dwell/formats/picture.hpp"

#include <gtest/gtest.h>

#include <limits>

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
  const picture p = read("P5 # made by hand\n2\t# width\n 2 100\nabcd");
  EXPECT_EQ(p.white, 100);
  EXPECT_EQ(p.channels(0, 1, 1), 'd');
  const picture wide =
      read(std::string("P6\n1 1\n1000\n") + '\1' + '\2' + '\0' + '\3' + '\3' + '\0');
  EXPECT_EQ(wide.channels.size(), extents(3, 1, 1));
  EXPECT_EQ(wide.channels(0, 0, 0), 258);
  write_picture(folder_ / "a.png", p);  // 100 becomes 255
  EXPECT_EQ(read_picture(folder_ / "a.png").channels(0, 0, 0), (97 * 255 + 50) / 100);
}

TEST_F(pictures, what_is_no_picture_is_refused) {
  EXPECT_EQ(refusal("GIF89a"),
            "expected a PNG, or a binary PGM or PPM (P5, P6), found another kind of file");
  EXPECT_EQ(refusal("P5\n2 2\n255\nabc"), "expected 4 bytes of samples, found 3");
  EXPECT_EQ(refusal("P5\n2 2\n255\nabcde"), "expected 4 bytes of samples, found 5");
  EXPECT_EQ(refusal("P5\n0 2\n255\n"),
            "expected a width from 1 to 268435456 in the header, found none");
  EXPECT_EQ(refusal("P5\n2 -2\n255\n"),
            "expected a height from 1 to 268435456 in the header, found none");
  EXPECT_EQ(refusal("P5\n2 2\n70000\n"),
            "expected a largest value from 1 to 65535 in the header, found none");
  EXPECT_EQ(refusal("P5\n2 2\n255"), "expected one white space between header and samples");
  EXPECT_EQ(refusal("P6\n200000 200000\n255\n"),
            "expected at most 2^28 pixels, found 200000 x 200000");
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
