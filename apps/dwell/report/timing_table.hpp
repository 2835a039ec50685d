// SPDX-License-Identifier: MIT
// --timing: where the time of a run went, its parts in their order, which sum up to the whole.
#pragma once
#include <string>
#include <vector>

namespace dwell::app {

struct timed_part {
  std::string name;
  double seconds;
};

/// Adds the last one, "other": what none of them counts of `wall_s`, the time from the first look
/// at the input to the report. A run is measured on the clock of its device: where that runs ahead
/// of the host's, "other" is 0.
void add_other(std::vector<timed_part>& parts, double wall_s);
double total_of(const std::vector<timed_part>& parts);
/// A line for each part: name, seconds, share of the whole; and one for the whole. In whole
/// microseconds, of which the last line is the exact sum.
std::string timing_table(const std::vector<timed_part>& parts);

}  // namespace dwell::app
