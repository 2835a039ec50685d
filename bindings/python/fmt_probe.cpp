// SPDX-License-Identifier: MIT
// Does a program of fmt link with fmt_functions.cpp? Tried by CMake, with what Dwell formats.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

int main() {
  const std::vector<std::string> words = {"a", "b"};
  const std::string text =
      fmt::format("{} {:>8} {:.3g} {:.17g} {:.2e} {:.1f} {} {:L} {:#x} {} {}",
                  fmt::join(words, ", "), 1, 2.0f, 3.0, 4.0, 5.0, 6.5f, 7000, 8, 'c', true);
  std::string more;
  fmt::format_to(std::back_inserter(more), "{:<{}}", text, 3);
  fmt::print("{}\n", more);
  return text.size() > 40 ? 0 : 1;
}
