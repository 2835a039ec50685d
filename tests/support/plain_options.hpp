// SPDX-License-Identifier: MIT
// Options of tests that look at one iteration: without a preconditioner unless they name one, where
// the default ("auto") may change it amid a solve.
#pragma once
#include "dwell/linear/solve.hpp"

namespace dwell::test {

inline solve_options plain_options() {
  solve_options o;
  o.preconditioner = preconditioner::none;
  return o;
}

}  // namespace dwell::test
