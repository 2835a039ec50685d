// SPDX-License-Identifier: MIT
// --monitor: the residual of every K-th iteration as a line on standard error, so that standard
// output stays what it is for.
#pragma once
#include <optional>

#include "dwell/linear/solve.hpp"

namespace dwell::app {

class solve_monitor {
 public:
  /// A line for iterations 0, every, 2 every, ...
  solve_monitor(double rhs_norm, int every);
  void operator()(const solve_progress& now);
  /// The line of the last iteration, if it has none yet.
  void finish();

 private:
  void print(const solve_progress& now);
  double scale_;  ///< ||b||, or 1 if that is 0
  int every_;
  std::optional<solve_progress> unprinted_;
};

}  // namespace dwell::app
