// SPDX-License-Identifier: MIT
// The choices that the subcommands of convolutions share.
#pragma once
#include <string>

#include "cli/arguments.hpp"

#include "dwell/arrays/convolution.hpp"

namespace dwell::app {

struct convolution_choices {
  std::string border = "reflect", passes = "auto";
  bool correlate = false;
};

/// --border, --correlate, --passes.
void add_convolution_choices(CLI::App& app, convolution_choices& to);
/// Without an algorithm.
convolution_options options_of(const convolution_choices& choices);

/// A filter of filter_kinds(), or the array in a .npy file. dims: of a named one. Throws
/// input_error that begins with --filter or names the file.
convolution_filter parse_filter(const std::string& text, int dims);
bool is_filter_file(const std::string& text);
/// "Filters:" and a line for each kind.
std::string filters_help();

}  // namespace dwell::app
