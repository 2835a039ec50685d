// SPDX-License-Identifier: MIT
// The parts of the time of one `dwell solve`.
#pragma once
#include <vector>

#include "report/timing_table.hpp"

#include "dwell/linear/solve.hpp"

namespace dwell::app {

/// "check", "upload", ...: the parts of the set-up of the matrix.
std::vector<timed_part> setup_parts(const solve_report& report);
/// `wall_s` is the time from the first look at the input to the report; the context of a GPU is in
/// "other".
std::vector<timed_part> timed_parts(const solve_report& report, bool generated, double read_s,
                                    double write_s, double wall_s);

}  // namespace dwell::app
