// SPDX-License-Identifier: MIT
// What the kernels of stencils that cache nothing on the chip are compiled for, on GPUs.
#pragma once
#include <array>
#include <cstddef>

#include "dwell/execution/stencil/step/launches.hpp"

namespace dwell::cuda {

inline constexpr int plain_lanes = 256;
/// A value a lane, for tests of a change; the team takes none for itself.
inline constexpr std::size_t plain_scratch = plain_lanes * sizeof(double);

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

}  // namespace dwell::cuda
