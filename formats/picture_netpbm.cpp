// SPDX-License-Identifier: MIT
// Netpbm's binary PGM and PPM: P5 or P6, width, height and the largest value as text with white
// space and comments (# to the end of the line) between, one white space, the samples.
#include <fmt/format.h>

#include <charconv>

#include "dwell/base/error.hpp"
#include "dwell/formats/picture_samples.hpp"

namespace dwell {
namespace {

bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

/// What stands in place of a number, for a message.
std::string word_at(std::string_view file, std::size_t at) {
  constexpr std::size_t most = 20;
  std::string word;
  for (; at < file.size() && !is_space(file[at]) && word.size() < most; ++at)
    word += file[at] > ' ' && file[at] <= '~' ? file[at] : '?';
  return word.empty() ? "the end of the file" : fmt::format("'{}'", word);
}

/// The next number of the header.
int number(std::string_view file, std::size_t& at, const char* what, int most) {
  while (at < file.size() && (is_space(file[at]) || file[at] == '#')) {
    if (file[at] == '#')
      while (at < file.size() && file[at] != '\n') ++at;
    else
      ++at;
  }
  int value = 0;
  const char* const begin = file.data() + at;
  const auto [end, bad] = std::from_chars(begin, file.data() + file.size(), value);
  if (bad != std::errc() || value < 1 || value > most)
    throw input_error(fmt::format("expected {} from 1 to {} in the header, found {}", what, most,
                                  word_at(file, at)));
  at += static_cast<std::size_t>(end - begin);
  return value;
}

/// Throws input_error for the first sample above the largest value.
void check_samples(const picture_samples& s) {
  const auto each = static_cast<std::size_t>(s.bytes_each);
  for (std::size_t i = 0; i < s.bytes.size(); i += each) {
    const int v = each == 2 ? s.bytes[i] * 256 + s.bytes[i + 1] : s.bytes[i];
    if (v > s.white)
      throw input_error(fmt::format("expected samples from 0 to {}, found {}", s.white, v));
  }
}

}  // namespace

picture_samples decode_netpbm(std::string_view file) {
  picture_samples s;
  s.channels = file[1] == '6' ? 3 : 1;
  std::size_t at = 2;
  constexpr int most_side = 1 << 28;
  s.width = number(file, at, "a width", most_side);
  s.height = number(file, at, "a height", most_side);
  s.white = number(file, at, "a largest value", 65535);
  s.bytes_each = s.white > 255 ? 2 : 1;
  if (at >= file.size() || !is_space(file[at]))
    throw input_error("expected one white space between header and samples");
  ++at;
  const auto pixels = static_cast<std::uint64_t>(s.width) * static_cast<std::uint64_t>(s.height);
  if (pixels > most_pixels)
    throw input_error(
        fmt::format("expected at most 2^28 pixels, found {} x {}", s.width, s.height));
  const auto expected = pixels * static_cast<std::uint64_t>(s.channels * s.bytes_each);
  if (file.size() - at != expected)
    throw input_error(
        fmt::format("expected {} bytes of samples, found {}", expected, file.size() - at));
  const auto samples = file.substr(at);
  s.bytes.assign(samples.begin(), samples.end());
  check_samples(s);
  return s;
}

std::string encode_netpbm(const picture_samples& s) {
  std::string out =
      fmt::format("P{}\n{} {}\n{}\n", s.channels == 3 ? 6 : 5, s.width, s.height, s.white);
  out.append(s.bytes.begin(), s.bytes.end());
  return out;
}

}  // namespace dwell
