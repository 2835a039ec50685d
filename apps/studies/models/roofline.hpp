// SPDX-License-Identifier: MIT
// Machine balance and the roofline model (Williams et al. 2009), with the
// equations' numbers of Zhang 2023. Pure functions of positive numbers.
#pragma once
#include <algorithm>

namespace dwell::model {

/// Machine balance, in flop per byte: peak flop/s over the sustained bandwidth of memory in bytes
/// per second (Zhang 2023, equation 2.1).
constexpr double machine_balance(double flops_per_s, double bytes_per_s) {
  return flops_per_s / bytes_per_s;
}

/// Operational intensity, in flop per byte: the work in flop over the traffic to and from memory in
/// bytes (equation 2.2).
constexpr double operational_intensity(double flops, double bytes) { return flops / bytes; }

/// The roof, in flop/s, at an operational intensity in flop per byte (equation 2.3).
constexpr double roofline(double flops_per_s, double bytes_per_s, double intensity) {
  return std::min(flops_per_s, bytes_per_s * intensity);
}

/// Is arithmetic the bottleneck, not memory (equation 2.4)? Both arguments in flop per byte.
constexpr bool is_compute_bound(double intensity, double balance) { return intensity >= balance; }

/// Operational intensity of `steps` time steps that are combined, of which each has `flops` and
/// moves `bytes` by itself. Between two of them the part `removed` of the traffic, 0 to 1, is gone:
/// I = t W / (Q + (t - 1) (1 - R) Q) (Zhang 2023, figures 3.6 and 4.1).
constexpr double combined_intensity(double flops, double bytes, double steps, double removed) {
  return steps * flops / (bytes + (steps - 1) * (1 - removed) * bytes);
}

}  // namespace dwell::model
