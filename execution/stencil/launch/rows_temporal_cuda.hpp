// SPDX-License-Identifier: MIT
// The kernels of temporal on GPUs as values, without CUDA (execution/stencil/launch/rows_cuda.hpp).
#pragma once
#include <vector>

#include "dwell/execution/stencil/engines/temporal_engines.hpp"
#include "dwell/execution/stencil/launch/rows_cuda.hpp"

namespace dwell::cuda {

template <class S, class T, class Engines>
engine_facts assume_passes(const device_facts& facts, int config) {
  return Engines::template with<S, T>(
      config, [&]<class Engine, auto C>() {
        const stencil_engine& engine =
            *pass_kernels<Engines, S, T>().all()[static_cast<std::size_t>(config)];
        constexpr std::size_t scratch = Engine::template scratch_bytes<S, T, C>;
        const bool runs =
            Engine::runs_on(C, facts.compute_capability) && scratch <= facts.shared_per_team;
        return engine_facts{&engine, 0, 0, runs ? engine.shape().teams_per_unit * facts.units : 0,
                            scratch};
      });
}

/// Nothing for shapes that have no such kernels.
template <class S, class T, class E, class Engines>
void add_passing_row(std::vector<stencil_kernel>& all) {
  if constexpr (Engines::template count < S, T >> 0)
    all.push_back({.shape = shape_facts<S>(),
                   .executor = E::name,
                   .type = precision_of<T>,
                   .on = backend::cuda,
                   .cooperative = false,
                   .engines = pass_kernels<Engines, S, T>().all(),
                   .assume = &assume_passes<S, T, Engines>});
}

}  // namespace dwell::cuda
