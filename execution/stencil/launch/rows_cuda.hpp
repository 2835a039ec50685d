// SPDX-License-Identifier: MIT
// The stencil kernels of GPUs as values, without CUDA: what they are compiled for, and the rows by
// which plans know them. The kernels are compiled from the same lists (kernels_cuda.cuh), so a
// build without CUDA makes the plans of one with it. A row made here cannot be probed or run.
#pragma once
#include <array>
#include <cstddef>

#include "dwell/execution/stencil/launch/kernel_table.hpp"
#include "dwell/execution/stencil/step/launches.hpp"

namespace dwell::cuda {

inline constexpr int plain_lanes = 256;

/// The time loop, too, needs registers. Shapes that are not linear have as many teams all the same:
/// their arithmetic waits for itself, and other teams hide that (gradient2d: 140 to 155 GCells/s).
template <class S>
constexpr int looping_teams(const step_config& r) {
  return is_linear<S> && r.teams_per_unit > 2 ? r.teams_per_unit - 1 : r.teams_per_unit;
}
/// Kernels that hold the time loop are compiled for fewer teams than those of a single step.
template <class S, class T>
inline constexpr auto looping_configs = [] {
  auto all = thread_configs<S, T>;
  for (step_config& c : all) c.teams_per_unit = looping_teams<S>(c);
  return all;
}();

/// The kernels of the steps of executor E, whose time loop runs on the host. The lanes of a step of
/// its own take the cells of a row in turn.
template <class S, class T, class E>
inline constexpr auto step_configs = [] {
  if constexpr (has_step<E>)
    return std::array{step_config{plain_lanes, 1}};
  else
    return thread_configs<S, T>;
}();

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
