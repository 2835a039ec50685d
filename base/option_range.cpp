// SPDX-License-Identifier: MIT
// Messages of ranges.
#include "dwell/base/option_range.hpp"

#include <fmt/format.h>

#include <string_view>

#include "dwell/base/error.hpp"

namespace dwell {

std::string option_range::text() const {
  if (words) return words;
  return most < std::numeric_limits<double>::max() ? fmt::format("{} to {}", least, most)
                                                   : fmt::format("at least {}", least);
}

void check_number(const char* option, const option_range& range, double found) {
  if (!range.allows(found))
    throw input_error(fmt::format("{}: expected {}, found {}", option, range.text(), found));
}

std::string help_with_range(const char* help, const option_range* range) {
  std::string text = help;
  constexpr std::string_view mark = "{most}";
  if (const auto at = text.find(mark); at != std::string::npos && range)
    text.replace(at, mark.size(), fmt::format("{}", range->most));
  return text;
}

}  // namespace dwell
