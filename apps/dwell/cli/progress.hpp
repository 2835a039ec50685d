// SPDX-License-Identifier: MIT
// One line on standard error that says how far the work is, if standard error is a terminal and
// nobody asked for quiet; erased when the work is done. While kernels are compiled it says so:
// "compiling 1 kernel (once)". And the guess of the time that is left.
#pragma once
#include <string>
#include <vector>

#include "dwell/base/file_cache.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::app {

/// How many iterations a solve still needs, from the slope of the residual's logarithm.
class iteration_forecast {
 public:
  explicit iteration_forecast(int max_iterations) : limit_(max_iterations) {}
  void add(int iteration, double relative_residual);

  struct answer {
    double iterations;  ///< still to do
    bool by_limit;      ///< the iteration limit comes first, or there is no slope yet
  };
  answer left(double target) const;

 private:
  struct sample {
    double iteration, log_residual;
  };
  int limit_;
  std::vector<sample> samples_;
};

/// One at a time: it listens to what its thread compiles.
class progress_line {
 public:
  explicit progress_line(bool wanted);
  ~progress_line() { erase(); }
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  bool shown() const { return shown_; }
  /// Replaces the line; what does not fit the terminal's width is cut off.
  void show(const std::string& text);
  void erase();

 private:
  bool shown_;
  bool dirty_ = false;
  int compiled_ = 0;
  making_listener compiling_;
};

/// "iteration 1,234   residual 3.21e-05, to reach 1.00e-08   12,345 iterations/s   about 3 s left"
std::string describe(const solve_progress& now, const iteration_forecast& forecast);

/// "step 1,234 of 5,000   56 steps/s   about 3 s left"; under a tolerance "step 1,234   change
/// 3.21e-05, to reach 1.00e-08   56 steps/s   at most 3 s left".
std::string describe(const stencil_progress& now, const stencil_options& options);

}  // namespace dwell::app
