// SPDX-License-Identifier: MIT
// Text of others, such as the name of a file, in a line for people: it can neither end the line nor
// tell the terminal anything.
#pragma once
#include <string>
#include <string_view>

namespace dwell {

/// UTF-8 as it is; of control characters and of bytes that are no UTF-8 \n, \r, \t or \xNN. What
/// went through it once is not changed again.
std::string printable(std::string_view text);

}  // namespace dwell
