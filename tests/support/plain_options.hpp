// SPDX-License-Identifier: MIT
// Options of tests that look at one iteration: without a preconditioner unless they name one, where
// the default ("auto") may change it amid a solve.
#pragma once
#include <vector>

#include "dwell/linear/solve.hpp"

namespace dwell::test {

inline solve_options plain_options() {
  solve_options o;
  o.preconditioner = preconditioner::none;
  return o;
}

/// Those that have executors and preconditioners.
inline std::vector<method_description> iterative_methods() {
  std::vector<method_description> all = methods();
  std::erase_if(all, [](const method_description& m) { return !m.iterative; });
  return all;
}

}  // namespace dwell::test
