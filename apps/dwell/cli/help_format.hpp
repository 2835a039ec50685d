// SPDX-License-Identifier: MIT
// How --help looks: two columns that fit 80 characters, defaults behind the description.
#pragma once
#include <CLI/CLI.hpp>
#include <string>

namespace dwell::app {

/// "  left   right", the right column wrapped and starting at `column`; on a line of its own where
/// the left one reaches that far. Ends with a newline.
std::string two_columns(const std::string& left, const std::string& right, std::size_t column);

class help_format : public CLI::Formatter {
 public:
  help_format() { column_width(26); }
  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override;
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* sub) const override;
};

}  // namespace dwell::app
