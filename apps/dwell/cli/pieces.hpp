// SPDX-License-Identifier: MIT
// A word of the command line that is a list.
#pragma once
#include <string_view>
#include <vector>

namespace dwell::app {

/// What stands between the characters `at`: one piece more than there are of them. They are parts
/// of `text`.
inline std::vector<std::string_view> pieces_of(std::string_view text, char at) {
  std::vector<std::string_view> pieces;
  for (std::size_t from = 0;;) {
    const auto to = text.find(at, from);
    pieces.push_back(text.substr(from, to - from));
    if (to == std::string_view::npos) return pieces;
    from = to + 1;
  }
}

}  // namespace dwell::app
