// SPDX-License-Identifier: MIT
// The C1 controls (U+0080 to U+009F) are controls, too: some terminals obey them.
#include "dwell/base/printable.hpp"

#include <fmt/format.h>

namespace dwell {
namespace {

/// Bytes of the character that `text` starts with; 0 if it is a control or no UTF-8.
std::size_t character(std::string_view text) {
  const auto byte = [&](std::size_t k) {
    return k < text.size() ? static_cast<unsigned>(static_cast<unsigned char>(text[k])) : 0u;
  };
  const unsigned first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  unsigned code = first & (0x7fu >> n);
  for (std::size_t k = 1; k < n; ++k) {
    if ((byte(k) & 0xc0) != 0x80) return 0;
    code = code << 6 | (byte(k) & 0x3f);
  }
  const unsigned least = n == 4 ? 0x10000 : n == 3 ? 0x800 : 0xa0;
  const bool surrogate = code >= 0xd800 && code < 0xe000;
  return code < least || code > 0x10ffff || surrogate ? 0 : n;
}

std::string escaped(char c) {
  switch (c) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
}

}  // namespace

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t n = character(text);
    if (n > 0)
      out += text.substr(0, n);
    else
      out += escaped(text.front());
    text.remove_prefix(n > 0 ? n : 1);
  }
  return out;
}

}  // namespace dwell
