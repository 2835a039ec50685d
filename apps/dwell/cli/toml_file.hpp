// SPDX-License-Identifier: MIT
// TOML files of people: read whole, refused with file and line.
#pragma once
#include <toml++/toml.h>
#include <istream>
#include <string>

namespace dwell::app {

/// All of a stream. toml++ takes the length of a stream, which a pipe does not have. Throws
/// input_error beyond 1 MiB: `what` is a page.
std::string toml_text(std::istream& input, const std::string& file, const std::string& what);
/// Throws input_error with file and line.
toml::table parse_toml(const std::string& text, const std::string& file);

}  // namespace dwell::app
