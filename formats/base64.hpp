// SPDX-License-Identifier: MIT
// Private to formats: bytes of a text in base64, in pieces. Blanks are passed over; what follows
// padding is taken as a text of its own, since VTK's files have a length and values one after the
// other.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace dwell {

class base64_bytes {
 public:
  explicit base64_bytes(std::string_view text) : text_(text) {}

  /// Fills n bytes, fewer at the end of the text or in front of what is not base64.
  std::size_t read(char* to, std::size_t n) {
    std::size_t have = 0;
    while (have < n && (left_ > 0 || next_group())) {
      const std::size_t some = std::min(left_, n - have);
      std::copy_n(group_.data() + (size_ - left_), some, to + have);
      left_ -= some;
      have += some;
    }
    return have;
  }
  /// Where in the text the next group begins; where one was wrong, that.
  std::size_t at() const { return at_; }

 private:
  static int digit(char c) {
    if (c >= 'A' && c <= 'Z') return c - 'A';
    if (c >= 'a' && c <= 'z') return c - 'a' + 26;
    if (c >= '0' && c <= '9') return c - '0' + 52;
    return c == '+' ? 62 : c == '/' ? 63 : -1;
  }
  /// Four characters, the last one or two of which may be padding, are three bytes or fewer.
  bool next_group() {
    std::uint32_t bits = 0;
    std::size_t at = at_, digits = 0, padding = 0;
    for (; at < text_.size() && digits + padding < 4; ++at) {
      const char c = text_[at];
      if (c == ' ' || c == '\n' || c == '\r' || c == '\t') continue;
      const int d = digit(c);
      const bool pads = c == '=' && digits >= 2;
      if (!pads && (d < 0 || padding > 0)) break;
      bits = bits << 6 | static_cast<std::uint32_t>(pads ? 0 : d);
      ++(pads ? padding : digits);
    }
    if (digits + padding < 4) return false;
    at_ = at;
    for (std::size_t k = 0; k < 3; ++k) group_[k] = static_cast<char>(bits >> (16 - 8 * k) & 255);
    size_ = left_ = 3 - padding;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::array<char, 3> group_{};
  std::size_t size_ = 0, left_ = 0;  ///< bytes of the group, those not yet read
};

}  // namespace dwell
