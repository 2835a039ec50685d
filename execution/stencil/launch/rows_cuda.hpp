// SPDX-License-Identifier: MIT
// The stencil kernels of GPUs as values, without CUDA: what they are compiled for, and the rows by
// which plans know them. The kernels are compiled from the same lists (kernels_cuda.cuh), so a
// build without CUDA makes the plans of one with it. A row made here cannot be probed or run.
#pragma once
#include <cstddef>

#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/launch/plain_configs.hpp"
#include "dwell/execution/stencil/step/engine.hpp"

namespace dwell::cuda {

/// Kernels of a step each, and of the time loop.
template <class S, class T, class E>
const engine_row& step_kernels() {
  static const engine_row* const row = lasting(step_row(step_configs<S, T, E>));
  return *row;
}
template <class S, class T>
const engine_row& loop_kernels() {
  static const engine_row* const row = lasting(step_row(looping_configs<S, T>));
  return *row;
}

/// A kernel on a device that is not here: as many teams as it is compiled for.
inline engine_facts assumed(const stencil_engine& engine, std::size_t scratch,
                            const device_facts& facts) {
  return {&engine, 0, 0, engine.shape().teams_per_unit * facts.units, scratch};
}
template <class S, class T, class E>
engine_facts assume_step(const device_facts& facts, int config) {
  return assumed(*step_kernels<S, T, E>().all()[static_cast<std::size_t>(config)], 0, facts);
}
template <class S, class T>
engine_facts assume_loop(const device_facts& facts, int config) {
  return assumed(*loop_kernels<S, T>().all()[static_cast<std::size_t>(config)], 0, facts);
}

/// Executors with a `drive`, and with a `run`.
template <class S, class T, class E>
stencil_kernel driven_row() {
  return {.shape = shape_facts<S>(),
          .executor = E::name,
          .type = precision_of<T>,
          .on = backend::cuda,
          .cooperative = false,
          .engines = step_kernels<S, T, E>().all(),
          .assume = &assume_step<S, T, E>};
}
template <class S, class T, class E>
stencil_kernel looping_row() {
  return {.shape = shape_facts<S>(),
          .executor = E::name,
          .type = precision_of<T>,
          .on = backend::cuda,
          .cooperative = true,
          .engines = loop_kernels<S, T>().all(),
          .assume = &assume_loop<S, T>};
}

}  // namespace dwell::cuda
