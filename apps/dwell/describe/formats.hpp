// SPDX-License-Identifier: MIT
// The forms in which a described command line is written; a file for each.
#pragma once
#include <string>

#include "cli/describe.hpp"

namespace dwell::app {

/// The reference: all of these commands as one page.
std::string markdown_of(const std::vector<const described_command*>& commands);
/// The manual page of one command, section 1, in the macros of man(7).
std::string roff_of(const described_command& command);

/// Scripts that complete the words of the program. Names of files come from the shell.
std::string bash_completion(const described_command& program);
std::string zsh_completion(const described_command& program);
std::string fish_completion(const described_command& program);

}  // namespace dwell::app
