// SPDX-License-Identifier: MIT
// Which method solves systems with a matrix, where the options leave it open. Private to the
// solver.
#pragma once
#include <string>

#include "dwell/solvers/linear/check/validate.hpp"

namespace dwell {

struct method_choice {
  std::string name, why;
};

/// Is there a method whose demand the matrix meets? Of a build with all methods there is.
bool has_method_for(const system_facts& facts);
/// The first of the table whose demand the matrix meets; the facts are those of a sound matrix.
/// Throws unsupported_error if there is none.
method_choice choose_method(const system_facts& facts);

}  // namespace dwell
