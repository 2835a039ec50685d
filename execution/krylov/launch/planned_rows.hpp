// SPDX-License-Identifier: MIT
// The rows of kernels for GPUs that are not compiled ahead, in every build: what plans know, and
// what is compiled when a run needs it. Included by the file that CMake writes.
#pragma once
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/launch/launched_program.hpp"
#include "dwell/execution/krylov/launch/team_scratch.hpp"

namespace dwell::cuda {

/// Promises as many teams as the launch bounds do.
template <class P, class E>
config_facts assume(const device_facts& facts, int config) {
  const program_config& shape = E::cuda_configs[config];
  return {shape, 0, 0, shape.teams_per_unit * facts.units, team_scratch_of<P, E>(shape)};
}

template <class E>
inline constexpr bool is_cooperative = !E::launches_phases && !alone_of<E>;

/// A row without kernels of its own. of: names; the rest is filled in.
template <class P, class T, class E>
program_kernel planned_row(needed_program of) {
  of.phases = E::launches_phases ? P::phases : 0;
  of.args_bytes = sizeof(program_args<P, T>);
  of.complex = is_complex_value<T>;
  return {P::name,
          E::name,
          precision_of<T>,
          backend::cuda,
          is_cooperative<E>,
          E::cuda_configs,
          nullptr,
          &assume<P, E>,
          nullptr,
          alone_of<E>,
          of,
          &launched_program_of<P, T>};
}

}  // namespace dwell::cuda
