// SPDX-License-Identifier: MIT
// The compiler of this system, started without a shell.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace dwell {

struct system_compiler {
  std::vector<std::string> command;  ///< the path of the program, and what CXX says behind it
  std::string version;               ///< what it says of itself
};

/// The one that the variable CXX names, else the first of c++, g++, clang++ and cc on the PATH.
/// Nothing if there is none; then `why` has one line.
std::optional<system_compiler> find_compiler(std::string& why);

struct process_end {
  bool success = false;
  std::string output;  ///< standard output and error, at most 64 KiB
};

/// Runs a program, with nothing at its standard input, and waits for its end. Ends it where the
/// work of this thread is interrupted (base/interruption.hpp). No success if it cannot be started;
/// the output then says why.
process_end run_program(const std::vector<std::string>& command);

/// The line of a compiler's output that says what is wrong.
std::string first_error(const std::string& output);

}  // namespace dwell
