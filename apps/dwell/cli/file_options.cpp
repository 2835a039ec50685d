// SPDX-License-Identifier: MIT
// CLI11 options whose values are outputs and inputs.
#include "cli/file_options.hpp"

#include "cli/arguments.hpp"

namespace dwell::app {

CLI::Option* add_destination(CLI::App& app, const std::string& names, destination& value,
                             const std::string& help, const std::string& type) {
  return add_checked_file(app, names, help, type,
                          [&value](const std::string& option, const std::string& text) {
                            value = destination(option, text);
                          });
}

CLI::Option* add_json(CLI::App& app, destination& value, const std::string& what) {
  return add_destination(app, "--json", value,
                         "Write " + what + " as JSON; on standard output (-) in place of it");
}

CLI::Option* add_input(CLI::App& app, const std::string& names, std::string& value,
                       const std::string& help, const std::string& type) {
  return add_checked_file(
      app, names, help, type,
      [&value](const std::string&, const std::string& text) { value = input_name(text); });
}

std::string input_name(const std::string& text) { return text == "-" ? "/dev/stdin" : text; }

}  // namespace dwell::app
