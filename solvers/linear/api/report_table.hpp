// SPDX-License-Identifier: MIT
// The fields of the report of a linear solve, one row each. Private to the project.
#pragma once
#include <span>

#include "dwell/base/report_table.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell {

/// All of them, in the order of the documents for programs.
std::span<const report_field<solve_report>> solve_report_table();

}  // namespace dwell
