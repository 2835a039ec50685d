// SPDX-License-Identifier: MIT
// Options that have no effect on a run, since they are of another method or another preconditioner:
// the words of the warnings that each surface gives. Private to the project.
#pragma once
#include <span>
#include <string>

#include "dwell/solvers/linear/api/options_table.hpp"

namespace dwell {

/// What a run had in the end. What is automatic may be any.
struct heeded {
  std::string method;
  dwell::preconditioner preconditioner = preconditioner::none;
  bool near_null = false;  ///< vectors were given
};

/// Is it of some methods or of a preconditioner, and without effect on others?
bool is_conditional(const solve_option& option);
/// "NAME has no effect: it is of preconditioner chebyshev, and the preconditioner is jacobi", if
/// none of these runs heeds it; else empty. name: what the surface calls it.
std::string words_without_effect(const solve_option& option, const std::string& name,
                                 std::span<const heeded> runs);

}  // namespace dwell
