// SPDX-License-Identifier: MIT
// What a solve in mixed precision does in f64 between two attempts in f32, where the vectors are:
// the residual, its way to the attempt, and the attempt's answer on its way back. Host and device
// give the same bits. Private to the solver.
#pragma once
#include <cstdint>

#include "dwell/base/index.hpp"
#include "dwell/device/device.hpp"
#include "dwell/solvers/linear/mixed/residual_places.hpp"

namespace dwell {

/// One per backend; work goes to the device's stream.
struct mixed_steps {
  void (*residual)(const device&, const residual_places&);
  /// to = 2^exponent from, rounded to f32.
  void (*narrow)(const device&, std::int64_t n, const double* from, int exponent, float* to);
  /// to = x + 2^exponent d
  void (*add)(const device&, index n, const double* x, const float* d, int exponent, double* to);
  /// to = 0
  void (*clear)(const device&, index n, float* to);
};
const mixed_steps& mixed_steps_of(backend on);

}  // namespace dwell
