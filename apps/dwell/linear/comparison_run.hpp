// SPDX-License-Identifier: MIT
// Measures one system under every combination that was asked for.
#pragma once
#include <string>
#include <vector>

#include "cli/matrix_source.hpp"
#include "compare/peers/command.hpp"
#include "linear/comparison.hpp"
#include "linear/near_null.hpp"

#include "dwell/device/device.hpp"
#include "dwell/linear/solve.hpp"

namespace dwell::app {

struct comparison_request {
  explicit comparison_request(const device& d) : where(d) {}
  device where;
  int threads = 0;  ///< threads of what runs on the CPU; 0: all there are
  std::vector<std::string> executors, policies, peers;
  /// Forms of the iteration; none: the textbook's, and for perks what it chooses.
  std::vector<std::string> variants;
  std::string rhs, precision;  ///< "ones" or "row-sums"; "f64" or "f32"
  /// From 2 on also rows of so many right-hand sides, solved one, two, four and eight at once; the
  /// times of these rows are per right-hand side.
  int rhs_count = 1;
  std::vector<int> ranks;          ///< also rows of so many ranks each
  std::string partition = "rows";  ///< which rows a rank gets
  solve_options options;  ///< fixed_iterations, max_iterations, rtol, preconditioner, interrupt
  near_null_files near_null;
  std::vector<peer_command> by_command;
  repetition runs;
};

/// Runs all of it; `text` is the matrix as the user named it. What cannot be run gets a row that
/// says so; a matrix that the solver refuses gets a refusal and no rows. Ends early, without the
/// row that was begun, once *options.interrupt is true.
compared_matrix measure(const comparison_request& asked, const matrix_source& source,
                        const std::string& text);

}  // namespace dwell::app
