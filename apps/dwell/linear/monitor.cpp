// SPDX-License-Identifier: MIT
// Prints the residual of every K-th iteration.
#include "linear/monitor.hpp"

#include <fmt/format.h>

#include "cli/output.hpp"

namespace dwell::app {

solve_monitor::solve_monitor(double rhs_norm, int every)
    : scale_(rhs_norm == 0 ? 1 : rhs_norm), every_(every) {}

void solve_monitor::operator()(const solve_progress& now) {
  if (now.iteration % every_ == 0)
    print(now);
  else
    unprinted_ = now;
}

void solve_monitor::finish() {
  if (unprinted_) print(*unprinted_);
}

void solve_monitor::print(const solve_progress& now) {
  unprinted_.reset();
  write_stderr(fmt::format("{:>7}  ||r|| {:.12e}  ||r||/||b|| {:.12e}\n", now.iteration,
                           now.relative_residual * scale_, now.relative_residual));
}

}  // namespace dwell::app
