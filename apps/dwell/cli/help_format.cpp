// SPDX-License-Identifier: MIT
// CLI11's own formatter neither wraps nor sets defaults apart from the type.
#include "cli/help_format.hpp"

#include <sstream>
#include <utility>

namespace dwell::app {

std::string two_columns(const std::string& left, const std::string& right, std::size_t column) {
  constexpr std::size_t width = 80;
  std::string out, line = "  " + left;
  const std::size_t name = line.find(' ', 2) + 1;  // its length and the margin, or 0
  for (std::size_t at = 0; line.size() > width; line = std::string(name, ' ') + line.substr(at)) {
    at = line.rfind('|', width - 1) + 1;  // long lists of words go on below the first one
    if (at <= name) break;
    out += line.substr(0, at) + "\n";
  }
  if ((!out.empty() || line.size() + 2 > column) && !right.empty())
    out += line + "\n", line.clear();
  std::istringstream words(right);
  bool at_start = true;
  for (std::string word; words >> word; at_start = false) {
    if (!at_start && line.size() + 1 + word.size() > width) {
      out += line + "\n";
      line.clear();
      at_start = true;
    }
    if (at_start && line.size() < column) line.append(column - line.size(), ' ');
    line += at_start ? word : " " + word;
  }
  return out + line + "\n";
}

std::string help_format::make_help(const CLI::App* app, std::string name,
                                   CLI::AppFormatMode mode) const {
  std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
  for (auto at = text.find("\n\n\n"); at != std::string::npos; at = text.find("\n\n\n", at))
    text.erase(at, 1);  // one empty line between two sections
  return text;
}

std::string help_format::make_option(const CLI::Option* option, bool is_positional) const {
  std::string left = make_option_name(option, is_positional);
  for (auto at = left.find(','); at != std::string::npos; at = left.find(',', at + 2))
    left.insert(at + 1, " ");
  if (option->get_type_size() != 0 && !option->get_type_name().empty())
    left += option->get_expected_max() == 0 ? "[=" + option->get_type_name() + "]"
                                            : " " + option->get_type_name();
  std::string right = option->get_description();
  if (!option->get_default_str().empty()) right += " (default: " + option->get_default_str() + ")";
  return two_columns(left, right, get_column_width());
}

std::string help_format::make_subcommand(const CLI::App* sub) const {
  return two_columns(sub->get_name(), sub->get_description(), get_column_width());
}

}  // namespace dwell::app
