// SPDX-License-Identifier: MIT
// When an attempt ends since other levels would need fewer iterations.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"

namespace dwell::grids {

/// Iterations after which a solve may turn out to be slow, where coefficients jump.
inline constexpr int slow_after = 16;
/// An attempt is slow that is projected to take so many times as many.
inline constexpr double slow_factor = 2.5;

/// How such a solve goes on: with Galerkin's levels, with those it has, since there is no memory
/// for others, or not at all.
enum class slow_end { galerkin, as_before, interrupted };

/// Norms of the residual at the beginning of an attempt, now, and wanted.
DWELL_HD bool is_slow(double begin, double now, double target) {
  return !(now * pow(begin / target, 1 / slow_factor) < begin);
}

}  // namespace dwell::grids
