// SPDX-License-Identifier: MIT
// PNG by libpng, which reports errors by jumping: no C++ object may be made in the frames that it
// leaves.
#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <cstring>

#include "dwell/base/error.hpp"
#include "dwell/formats/picture_samples.hpp"

namespace dwell {
namespace {

struct source {
  std::string_view left;
};

void take(png_structp png, png_bytep to, png_size_t n) {
  auto& from = *static_cast<source*>(png_get_io_ptr(png));
  if (n > from.left.size()) png_error(png, "the file ends too early");
  std::memcpy(to, from.left.data(), n);
  from.left.remove_prefix(n);
}

/// The last message of libpng, for the exception.
struct last_words {
  char text[128];
};
[[noreturn]] void remember(png_structp png, png_const_charp words) {
  auto& last = *static_cast<last_words*>(png_get_error_ptr(png));
  std::strncpy(last.text, words, sizeof last.text - 1);
  png_longjmp(png, 1);
}
void ignore(png_structp, png_const_charp) {}

/// Makes room for the rows that libpng then fills; false if the header claims more pixels than
/// there may be, or than a file of this size can hold.
bool make_room(png_structp png, png_infop info, std::size_t file_bytes, picture_samples& s,
               std::vector<png_bytep>& rows) {
  const std::uint64_t width = png_get_image_width(png, info),
                      height = png_get_image_height(png, info);
  constexpr std::uint64_t most_compression = 1040;  // most that deflate gains: 1032
  const std::uint64_t row = png_get_rowbytes(png, info);
  if (width * height > most_pixels || row * height / 8 > most_compression * (file_bytes + 64))
    return false;
  s.width = static_cast<int>(width);
  s.height = static_cast<int>(height);
  s.bytes.resize(static_cast<std::size_t>(row * height));
  rows.resize(static_cast<std::size_t>(height));
  for (std::size_t y = 0; y < rows.size(); ++y) rows[y] = s.bytes.data() + y * row;
  return true;
}

/// False if libpng, or make_room(), has refused.
bool decode(source& from, std::size_t file_bytes, picture_samples& s, std::vector<png_bytep>& rows,
            last_words& last) {
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &last, remember, ignore);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_read_struct(&png, &info, nullptr);
    return false;
  }
  png_set_read_fn(png, &from, take);
  png_read_info(png, info);
  s.had_alpha = (png_get_color_type(png, info) & PNG_COLOR_MASK_ALPHA) != 0 ||
                png_get_valid(png, info, PNG_INFO_tRNS) != 0;
  png_set_expand(png);  // palettes, and grey of fewer than 8 bits
  png_set_strip_alpha(png);
  png_set_interlace_handling(png);
  png_read_update_info(png, info);
  s.channels = png_get_channels(png, info);
  s.bytes_each = png_get_bit_depth(png, info) / 8;
  s.white = s.bytes_each == 2 ? 65535 : 255;
  const bool room = make_room(png, info, file_bytes, s, rows);
  if (room) {
    png_read_image(png, rows.data());
    png_read_end(png, nullptr);
  } else {
    std::strncpy(last.text, "it is too large, or the file too short", sizeof last.text - 1);
  }
  png_destroy_read_struct(&png, &info, nullptr);
  return room;
}

bool encode(const picture_samples& s, std::string& bytes) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_set_write_fn(
      png, &bytes,
      [](png_structp p, png_bytep data, png_size_t n) {
        static_cast<std::string*>(png_get_io_ptr(p))->append(reinterpret_cast<char*>(data), n);
      },
      [](png_structp) {});
  png_set_IHDR(png, info, static_cast<png_uint_32>(s.width), static_cast<png_uint_32>(s.height),
               8 * s.bytes_each, s.channels == 3 ? PNG_COLOR_TYPE_RGB : PNG_COLOR_TYPE_GRAY,
               PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  const std::size_t row = s.bytes.size() / static_cast<std::size_t>(s.height);
  for (int y = 0; y < s.height; ++y)
    png_write_row(png, s.bytes.data() + static_cast<std::size_t>(y) * row);
  png_write_end(png, nullptr);
  png_destroy_write_struct(&png, &info);
  return true;
}

/// Samples of another largest value than PNG has.
picture_samples scaled(const picture_samples& s) {
  picture_samples out = s;
  out.white = s.bytes_each == 2 ? 65535 : 255;
  const auto each = static_cast<std::size_t>(s.bytes_each);
  for (std::size_t i = 0; i < s.bytes.size(); i += each) {
    const std::int64_t v = each == 2 ? s.bytes[i] * 256 + s.bytes[i + 1] : s.bytes[i];
    const std::int64_t to = (v * out.white + s.white / 2) / s.white;
    if (each == 2) out.bytes[i] = static_cast<std::uint8_t>(to / 256);
    out.bytes[i + each - 1] = static_cast<std::uint8_t>(to % 256);
  }
  return out;
}

}  // namespace

picture_samples decode_png(std::string_view file) {
  source from{file};
  picture_samples s;
  std::vector<png_bytep> rows;
  last_words last = {};
  if (!decode(from, file.size(), s, rows, last))
    throw input_error(fmt::format("expected a PNG that can be decoded: {}", last.text));
  return s;
}

std::string encode_png(const picture_samples& s) {
  std::string bytes;
  const bool own = s.white == (s.bytes_each == 2 ? 65535 : 255);
  if (!encode(own ? s : scaled(s), bytes)) throw error("the picture could not be encoded");
  return bytes;
}

}  // namespace dwell
