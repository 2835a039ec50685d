// SPDX-License-Identifier: MIT
// What a call that must not succeed says.
#pragma once
#include <string>

#include "dwell/base/error.hpp"

namespace dwell::test {

/// The message of the Error that f() ends with, or "accepted"; other errors pass through.
template <class Error = input_error, class F>
std::string refusal(F&& f) {
  try {
    f();
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

}  // namespace dwell::test
