// SPDX-License-Identifier: MIT
// Right-hand sides of singular systems: is there a solution? Surfaces warn where there is none.
#pragma once
#include "dwell/base/api.hpp"
#include "dwell/solvers/linear/solve.hpp"

namespace dwell {

/// A part of b has no solution (solve_report::rhs_outside_range), and it is more than rounding.
DWELL_API bool is_rhs_inconsistent(const solve_report& report);

}  // namespace dwell
