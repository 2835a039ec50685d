// SPDX-License-Identifier: MIT
// The rates of a device for a stencil, with which engines project the time of a step: coarse,
// enough to tell plans apart. Fitted to runs on an H200 (docs/results/stencil-h200.md); other
// devices by their limits.
#pragma once
#include "dwell/device/limits.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell {

/// Fused multiply-adds of a cell: the first tap's is a product.
inline double fmas_of(const stencil_problem& problem) { return 0.5 * (problem.flops + 1); }
/// Cycles that these take a multiprocessor at its full rate.
inline double cycles_per_cell(const stencil_problem& problem, const device_facts& device) {
  const device_limits l = limits_of(device);
  return fmas_of(problem) / (problem.scalar_bytes == 8 ? l.fma_f64 : l.fma_f32);
}
/// Seconds.
inline double cycle_of(const device_facts& device) { return 1.0 / limits_of(device).clock; }

/// Per cycle of a multiprocessor, as measured on an H200: the full rate of fused multiply-adds (the
/// part `divided` of it for the long chains of gradient2d, since two warps on a scheduler wait for
/// them); 128 bytes of shared memory, 30 bytes of L2 (streams of planes 41), and of device memory
/// 14.5, which all teams share. L2 and memory of other devices give the same part of their peak
/// (limits.hpp). A source is not cached: its cells are read in every step.
struct stencil_rates {
  stencil_rates(const stencil_problem& problem, const device_facts& device)
      : bytes(static_cast<double>(problem.scalar_bytes)),
        source(problem.source ? bytes : 0),
        l2_bytes(static_cast<double>(device.l2)),
        units(device.units),
        radius(problem.radius),
        cycle(cycle_of(device)),
        l2(1.02 * limits_of(device).l2 * cycle / units),
        l2_planes(1.39 * limits_of(device).l2 * cycle / units),
        memory(0.88 * limits_of(device).memory * cycle / units),
        star(problem.star),
        linear(problem.linear),
        taps(fmas_of(problem)),
        per_cell(cycles_per_cell(problem, device)),
        divided(problem.scalar_bytes == 8 ? 0.42 : 0.25) {}

  /// All times of a projection were in cycles.
  stencil_projection in_seconds(stencil_projection t) const {
    for (double* v : {&t.seconds, &t.arithmetic, &t.shared, &t.l2, &t.memory, &t.exchange})
      *v *= cycle;
    return t;
  }

  static constexpr double shared = 128;
  double bytes;
  double source;  ///< bytes of it that a cell reads
  double l2_bytes, units, radius;
  double cycle;                  ///< seconds
  double l2, l2_planes, memory;  ///< bytes a cycle of a multiprocessor
  bool star, linear;
  double taps;      ///< multiply-adds of a cell
  double per_cell;  ///< cycles of these
  double divided;   ///< the part of the full rate in chains with divisions
};

}  // namespace dwell
