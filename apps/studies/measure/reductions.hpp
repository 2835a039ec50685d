// SPDX-License-Identifier: MIT
// Group reductions: the sizes that it goes over, and from which size on more threads are faster, as
// Little's law predicts and as measured (Zhang 2023, section 3.6.1). Pure functions.
#pragma once
#include <cstdint>
#include <vector>

#include "studies/measure/probe.hpp"

namespace dwell::app {

/// Numbers of elements: 1, 32, 64, 128, ..., as far as they and their bytes go. Never empty.
std::vector<std::int64_t> reduced_sizes(double most_bytes, std::size_t element_bytes,
                                        std::int64_t most);

/// Size for a block that sums up doubles of its shared memory, from which on many threads take over
/// from few.
struct switching_point {
  int few = 1, many = 32;      ///< threads of the block
  double synchronization = 0;  ///< seconds that many threads take longer for as little
  double few_throughput = 0;   ///< bytes per second
  double many_throughput = 0;
  double predicted = 0;  ///< bytes, by equations 3.9 and 3.10; 0: never
  double measured = 0;   ///< the smallest footprint from which many were faster; 0: none
};

/// The name of the probe of such blocks.
inline constexpr const char* block_sums = "sum in a block";

/// From 1 thread to a warp, and from a warp to each larger block among the rows of block_sums. The
/// latency of an element is the time of one thread for the smallest footprint; a synchronisation,
/// what many threads take longer than few for that one; a throughput, that between the two largest.
std::vector<switching_point> switching_points_of(const std::vector<measured_row>& rows);

}  // namespace dwell::app
