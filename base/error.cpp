// SPDX-License-Identifier: MIT
// Messages are made printable.
#include "dwell/base/error.hpp"

#include "dwell/base/printable.hpp"

namespace dwell {

error::error(const std::string& message) : std::runtime_error(printable(message)) {}

}  // namespace dwell
