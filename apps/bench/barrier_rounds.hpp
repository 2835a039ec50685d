// SPDX-License-Identifier: MIT
// Times ways in which the blocks of a GPU can meet: rounds and nothing else, in one launch.
#pragma once
#include <string>
#include <vector>

namespace dwell::bench {

struct barrier_request {
  int device = 0;
  int blocks = 0;  ///< size of the whole grid; 0: one per multiprocessor
  int rounds = 20000;
  int repetitions = 11;
};

/// One barrier. Each has first been watched for some rounds: who left before all had come,
/// and a sum that differs in a bit from the one in fixed order, are a device_error.
struct barrier_row {
  std::string name;
  int blocks = 0;
  bool sums = false;       ///< all blocks also get a sum of one double from each, in fixed order
  std::vector<double> us;  ///< per round, one of each repetition, ascending
  std::string why;         ///< unless it was measured, one line
};

inline constexpr int barrier_lanes = 512;

/// Throws device_error if the device fails, unsupported_error if it cannot hold so many blocks.
std::vector<barrier_row> measure_barriers(const barrier_request& request);

}  // namespace dwell::bench
