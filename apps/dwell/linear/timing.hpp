// SPDX-License-Identifier: MIT
// Where the time of one `dwell cg` went: its parts in their order, which sum up to the whole.
#pragma once
#include <string>
#include <vector>

#include "dwell/solvers/linear/solve.hpp"

namespace dwell::app {

struct timed_part {
  std::string name;
  double seconds;
};

/// `wall_s` is the time from the first look at the input to the report; what none of the other
/// parts counts is the last one, "other", the context of a GPU among it. The solve is measured on
/// the clock of the device: where that runs ahead of the host's, "other" is 0.
std::vector<timed_part> timed_parts(const solve_report& report, bool generated, double read_s,
                                    double write_s, double wall_s);
double total_of(const std::vector<timed_part>& parts);
/// A line for each part: name, seconds, share of the whole; and one for the whole. In whole
/// microseconds, of which the last line is the exact sum.
std::string timing_table(const std::vector<timed_part>& parts);

}  // namespace dwell::app
