// SPDX-License-Identifier: MIT
// The planner's cost model: what one iteration of a Program takes under a plan, from the bytes that
// each level of memory must move and the barriers in between.
#pragma once
#include <span>

#include "dwell/device/limits.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"

namespace dwell {

struct projection {
  double cached_bytes_moved = 0;  ///< read and written on the chip, per iteration
  double streamed_bytes = 0;      ///< through L2, from wherever they are
  double memory_bytes = 0;        ///< those from and to device memory
  double seconds = 0;             ///< projected
  double floor = 0;        ///< bytes at the rates of where they are, and barriers: nothing else
  double waiting = 0;      ///< part of `seconds`: barriers and phases, whatever the bytes
  double from_memory = 0;  ///< the part of the streamed bytes that comes from device memory, 0 to 1

  /// Part of the iteration, so that parts add up to `seconds`.
  struct part {
    double cached_bytes = 0, streamed_bytes = 0;
    int barriers = 0, products = 0;
  };
  double seconds_of(const part& of) const;
  /// The iteration without its sequence of products.
  part without_sequence;

  // What seconds_of() needs, in seconds: a byte, a barrier with its phase, a product.
  double each_cached = 0, each_streamed = 0, each_barrier = 0, each_product = 0;
};

projection project(const program_facts& p, const plan& how, std::span<const config_facts> configs,
                   const device_limits& device);

/// Could a form with fewer barriers and more bytes pay? Below a fifth of the time the model's
/// errors are larger than the gain.
inline bool bound_by_barriers(const projection& p) { return p.waiting > 0.2 * p.seconds; }

}  // namespace dwell
