// SPDX-License-Identifier: MIT
// The loops of mixed_passes.hpp, for setup_loops of either backend.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/device/device.hpp"
#include "dwell/solvers/linear/mixed/mixed_passes.hpp"

namespace dwell::mixed_pass {

inline constexpr std::int64_t elements_per_thread = 1 << 15;

template <class Loops>
void narrow_with(const device& where, std::int64_t n, const double* from, int exponent, float* to) {
  Loops(where).items(n, elements_per_thread, narrow{from, power_of_two(exponent), to});
}
template <class Loops>
void add_with(const device& where, index n, const double* x, const float* d, int exponent,
              double* to) {
  Loops(where).items(n, elements_per_thread, add{x, d, power_of_two(exponent), to});
}
template <class Loops>
void clear_with(const device& where, index n, float* to) {
  Loops(where).zero(to, static_cast<std::size_t>(n) * sizeof(float));
}

}  // namespace dwell::mixed_pass
