// SPDX-License-Identifier: MIT
// What the host makes of the bounds of a level (prolong_steps.hpp).
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>

#include "dwell/solvers/preconditioners/amg/prolong_steps.hpp"

namespace dwell::amg {

inline double double_of(std::uint64_t bits) {
  double v;
  std::memcpy(&v, &bits, sizeof v);
  return v;
}
/// Largest eigenvalue for Jacobi's sweeps, from a bound of that of D^-1 A and how it makes a vector
/// grow, which is less where rows have elements of both signs.
inline double largest_eigenvalue(const level_bounds& found) {
  constexpr int last = level_bounds::steps - 1, first = last - 4;
  constexpr double rest = 1.1;  // what few steps do not reach
  const double bound = double_of(found.smoother);
  const double from = double_of(found.growth[first]), to = double_of(found.growth[last]);
  if (!(from > 0.0) || !(to > 0.0)) return bound;
  return std::min(bound, rest * std::pow(to / from, 1.0 / (last - first)));
}

}  // namespace dwell::amg
