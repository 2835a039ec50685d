// SPDX-License-Identifier: MIT
// The command line as data: commands, options, values and the paragraphs below them, read from
// CLI11's tree. The reference, the manual pages and the completions of shells are written from it
// (describe/), so that they say what --help says.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "cli/completions.hpp"

namespace dwell::app {

struct described_option {
  std::vector<std::string> names;  ///< "-o", "--output"; of an argument its one word
  std::string value;               ///< what stands behind it, "FILE|-"; empty: a flag
  bool value_optional = false;     ///< then only behind an equals sign
  std::string help, standard;      ///< standard: the value without it; may be empty
  std::string group;
  bool required = false, repeats = false;
  std::vector<std::string> excludes;  ///< names of options that it cannot stand beside
  value_completions completions;
};

/// A paragraph of a footer. One whose first line ends in a colon has that as its heading.
struct described_section {
  std::string heading;
  std::string text;  ///< lines; below a heading they are to be kept as they are
};

struct described_command {
  std::vector<std::string> path;  ///< "dwell", "compare", "cg"
  std::string help;
  std::vector<described_option> arguments, options;
  std::vector<described_section> sections;
  std::vector<described_command> commands;  ///< below it
  bool needs_command = false;               ///< one of them must be given
};

described_command describe(const CLI::App& program);

/// How many words its arguments take that a shell may complete, -1: any number.
int completed_arguments(const described_command& command);
/// Names of options that must not be on the line for this one to be accepted.
std::vector<std::string> blockers_of(const described_option& option);
/// Does a value stand behind it as a word of its own?
bool takes_word(const described_option& option);

/// It and all below it, in the order of their help.
std::vector<const described_command*> all_commands(const described_command& program);
/// "dwell compare cg"; with another word between: "dwell-compare-cg".
std::string path_text(const described_command& command, const std::string& between = " ");
/// "dwell cg [OPTIONS] MATRIX"
std::string synopsis(const described_command& command);
/// The beginning of a help text, for where there is one line: up to its first stop.
std::string first_sentence(const std::string& help);

}  // namespace dwell::app
