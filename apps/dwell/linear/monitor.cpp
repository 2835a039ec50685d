// SPDX-License-Identifier: MIT
// See monitor.hpp.
#include "linear/monitor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "cli/output.hpp"

namespace dwell::app {

namespace {

/// Scaled by the largest element: no square overflows.
double norm_of(std::span<const double> b) {
  double largest = 0, sum = 0;
  for (const double v : b) largest = std::max(largest, std::abs(v));
  if (largest == 0) return 0;
  for (const double v : b) sum += (v / largest) * (v / largest);
  return largest * std::sqrt(sum);
}

}  // namespace

solve_monitor::solve_monitor(std::span<const double> b, int every)
    : scale_(norm_of(b)), every_(every) {
  if (scale_ == 0) scale_ = 1;
}

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
