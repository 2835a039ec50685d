// SPDX-License-Identifier: MIT
// The kernel of a solve on a grid, which is compiled when it is needed: all teams run together.
#pragma once
#include "dwell/execution/team/team_cuda.cuh"
#include "dwell/solvers/grid/device/solve.hpp"

namespace dwell::cuda {

template <class T, int Lanes, bool Flat, grids::level_kind Kind, bool Fused>
__global__ void __launch_bounds__(Lanes, 1)
    grid_solve_kernel(const __grid_constant__ grids::grid_solve_args<T> a) {
  cuda_team<Lanes> team(a.barrier, a.partials);
  // Descriptions of levels are read in every step: from the team's own memory.
  auto* const levels = team.template scratch<grids::device_level>(a.level_count);
  team.section([&](int lane) {
    for (int l = lane; l < a.level_count; l += Lanes) levels[l] = a.levels[l];
  });
  const grids::device_box_level* boxes = nullptr;
  if constexpr (Kind == grids::level_kind::boxes) {
    auto* const kept = team.template scratch<grids::device_box_level>(a.box_count);
    team.section([&](int lane) {
      for (int l = lane; l < a.box_count; l += Lanes) kept[l] = a.boxes[l];
    });
    boxes = kept;
  }
  // So are steps, if they are not too many.
  const grids::cycle_step* steps = a.steps;
  if (a.step_count <= grids::most_steps_kept) {
    auto* const kept = team.template scratch<grids::cycle_step>(grids::most_steps_kept);
    team.section([&](int lane) {
      for (int s = lane; s < a.step_count; s += Lanes) kept[s] = a.steps[s];
    });
    steps = kept;
  }
  grids::device_solve<T, cuda_team<Lanes>, Flat, Kind, Fused>(team, a, levels, boxes, steps)();
}

}  // namespace dwell::cuda
