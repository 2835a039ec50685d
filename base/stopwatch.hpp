// SPDX-License-Identifier: MIT
// Laps of the host's clock.
#pragma once
#include <utility>

#include "dwell/base/lap_timer.hpp"

namespace dwell {

class stopwatch {
 public:
  /// Seconds since the last call, or since the watch was made.
  double lap() {
    const double now = seconds_on_host();
    return now - std::exchange(since_, now);
  }

 private:
  double since_ = seconds_on_host();
};

}  // namespace dwell
