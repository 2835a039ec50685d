// SPDX-License-Identifier: MIT
#include "dwell/execution/device/threads/division_cpu.hpp"

#include <algorithm>

#include "dwell/base/lap_timer.hpp"

namespace dwell {
namespace {

/// The best of many short turns: what else the machine does interrupts few of them.
template <class T>
double measured() {
  constexpr int bytes = 32, lanes = bytes / sizeof(T), vectors = 128, turns = 80;
  typedef T vector __attribute__((vector_size(bytes)));
  vector values[vectors];
  for (vector& v : values)
    for (int lane = 0; lane < lanes; ++lane) v[lane] = T(1.25);
  double best = 1;
  for (int turn = 0; turn < turns; ++turn) {
    const double from = seconds_on_host();
    for (vector& v : values) v = T(1.5625) / v;
    asm volatile("" : : "r"(&values[0]) : "memory");  // NOLINT: they are needed, it says
    best = std::min(best, (seconds_on_host() - from) / (vectors * lanes));
  }
  return best;
}

}  // namespace

double division_seconds(int value_bytes) {
  if (value_bytes == sizeof(double)) {
    static const double f64 = measured<double>();
    return f64;
  }
  static const double f32 = measured<float>();
  return f32;
}

}  // namespace dwell
