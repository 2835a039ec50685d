// SPDX-License-Identifier: MIT
// Seconds on the host's clock, and a timer that adds the life of a scope to a sum.
#pragma once
#include <chrono>

namespace dwell {

inline double seconds_on_host() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

class lap_timer {
 public:
  explicit lap_timer(double& sum) : sum_(sum), from_(seconds_on_host()) {}
  ~lap_timer() { sum_ += seconds_on_host() - from_; }
  lap_timer(const lap_timer&) = delete;
  lap_timer& operator=(const lap_timer&) = delete;

 private:
  double& sum_;
  double from_;
};

}  // namespace dwell
