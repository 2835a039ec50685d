// SPDX-License-Identifier: MIT
// The exceptions of Dwell. Every message is one line, ready to be shown to a user: where, what was
// expected, what was found. The kind decides the exit code of the command line.
#pragma once
#include <stdexcept>
#include <string>

#include "dwell/base/api.hpp"

namespace dwell {

/// Base of all exceptions thrown by Dwell.
struct DWELL_API error : std::runtime_error {
  /// A message that is not one line, since words of a caller are in it, shows line ends and other
  /// control characters as C writes them.
  explicit error(const std::string& message);
};

/// A file, a matrix, a size or an option that cannot be used (exit code 1).
struct DWELL_API input_error : error {
  using error::error;
};

/// A combination that this build or this device does not have (exit code 1).
struct DWELL_API unsupported_error : input_error {
  using input_error::input_error;
};

/// An absent device, a failed launch, too little memory (exit code 4).
struct DWELL_API device_error : error {
  using error::error;
};

/// Work that its caller ended before there was anything to keep, as a set-up (exit code 130).
struct DWELL_API interrupted_error : error {
  using error::error;
};

}  // namespace dwell
