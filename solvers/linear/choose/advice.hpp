// SPDX-License-Identifier: MIT
// What to try where a solve did not end as it should: what fits the matrix and the run, nothing
// else. Private to the solver.
#pragma once
#include <string>

#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/check/validate.hpp"

namespace dwell {

/// What the last iterations have shown of the residual that is carried.
enum class residual_trend { unknown, falls, rests };

/// Iterations from which on their last third shows a trend.
inline constexpr int steps_of_a_trend = 30;

/// One line, or nothing. facts: of the matrix, of a general method without its symmetry.
std::string advice_of(const solve_report& report, const solve_options& o, const system_facts& facts,
                      residual_trend trend);

}  // namespace dwell
