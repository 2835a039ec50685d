// SPDX-License-Identifier: MIT
// --peer NAME=COMMAND and --peer-rules: programs of others that a comparison runs between its own
// runs, and what their commands may name.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "compare/peers/rule.hpp"

namespace dwell::app {

/// Words of a command line, as a shell takes them apart: blanks, '...', "...", \. Throws
/// input_error for a quote that is not closed.
std::vector<std::string> split_words(const std::string& command);

/// `word` with the values in place of {names}; {{ and }} are braces. Throws input_error, with the
/// names that there are.
std::string fill_in(const std::string& word, const std::map<std::string, std::string>& values);

struct peer_command {
  std::string name;
  std::vector<std::string> words;  ///< with placeholders
  peer_rule rule;

  /// Does a word have {placeholder}?
  bool names(std::string_view placeholder) const;
};

/// What --peer and --peer-rules were given.
struct peer_options {
  std::vector<std::string> commands, rules;
};

/// The placeholders of "stencil", "convolve", "cg" or "solve".
std::vector<std::string> peer_placeholders(std::string_view problem);

/// Throws input_error, before anything is run, for a command without a name or a program, a name
/// that comes twice, a placeholder that `problem` does not have, and a rule that cannot be read.
std::vector<peer_command> read_peers(const peer_options& options, std::string_view problem);

}  // namespace dwell::app
