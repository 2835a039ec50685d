// SPDX-License-Identifier: MIT
// Which method solves systems with a matrix, where the options leave it open. Private to the
// solver.
#pragma once
#include <string>

#include "dwell/solvers/linear/examine.hpp"

namespace dwell {

struct method_choice {
  std::string name, why;
};

/// The first of the table whose demand the matrix meets; the facts are those of a sound matrix.
method_choice choose_method(const system_facts& facts);

}  // namespace dwell
