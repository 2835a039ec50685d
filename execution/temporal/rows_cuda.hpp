// SPDX-License-Identifier: MIT
// The kernels of temporal on GPUs as values, without CUDA (execution/stencil/launch/rows_cuda.hpp).
#pragma once
#include <vector>

#include "dwell/execution/stencil/launch/rows_cuda.hpp"
#include "dwell/execution/temporal/engines.hpp"

namespace dwell::cuda {

/// What kernels of passes are compiled for: they use features of this one alone.
inline constexpr int ring_capability = 90;

template <class S, class T>
engine_facts assume_passes(const device_facts& facts, int config) {
  const stencil_engine& engine =
      *temporal_kernels<backend::cuda, S, T>().all()[static_cast<std::size_t>(config)];
  return {&engine, 0, 0, facts.compute_capability == ring_capability ? facts.units : 0, 0};
}

/// Nothing for shapes that have no such kernels.
template <class S, class T, class E>
void add_passing_row(std::vector<stencil_kernel>& all) {
  if constexpr (has_temporal_engines<backend::cuda, S, T>)
    all.push_back({.shape = shape_facts<S>(),
                   .executor = E::name,
                   .type = precision_of<T>,
                   .on = backend::cuda,
                   .cooperative = false,
                   .engines = temporal_kernels<backend::cuda, S, T>().all(),
                   .assume = &assume_passes<S, T>});
}

}  // namespace dwell::cuda
