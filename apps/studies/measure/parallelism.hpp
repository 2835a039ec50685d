// SPDX-License-Identifier: MIT
// How much must be under way on a GPU for its memory to be busy: by Little's law, from the latency
// and the throughput that were measured, and as the sweep of group concurrency found it. Pure
// functions of rows.
#pragma once
#include <string>
#include <vector>

#include "studies/measure/probe.hpp"

namespace dwell::app {

/// Parallelism that one way needs to read or copy device memory, in loads of so many bytes.
struct needed_parallelism {
  std::string probe;
  double access = 0;  ///< bytes of a load
  double best = 0;    ///< bytes per second, the most that this way reached
  double peak = 0;    ///< and that any way of reading, or of copying, the same memory did
  /// Bytes under way on a multiprocessor by Little's law, C = L THR (Zhang 2023, equation 2.6),
  /// with the bytes that are loaded at the peak; 0: no latency was measured.
  double concurrency = 0;
  /// The fewest bytes under way on a multiprocessor with which this way reached so much of the
  /// peak; 0: it did not.
  double at_80 = 0, at_90 = 0, at_95 = 0;
};

/// One for each probe and size of group concurrency, in the order of the rows. `units`:
/// multiprocessors.
std::vector<needed_parallelism> needed_parallelism_of(const std::vector<measured_row>& rows,
                                                      int units);

/// Bytes under way on a multiprocessor by threads, loads and their size (equation 2.7).
double bytes_under_way(const measured_row& row, int units);

}  // namespace dwell::app
