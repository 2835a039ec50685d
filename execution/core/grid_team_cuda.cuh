// SPDX-License-Identifier: MIT
// What a team needs for Sweeps beside the members of cuda_team; see grid_team_cpu.hpp.
#pragma once
#include "dwell/execution/core/team_cuda.cuh"

namespace dwell {

template <int Lanes>
class cuda_grid_team : public cuda_team<Lanes> {
 public:
  using cuda_team<Lanes>::cuda_team;
  /// Loads of one lane that are under way together, and rows that it needs to load once only.
  static constexpr int depth = 4;
  /// Lanes side by side along x: two warps, so that a warp reads whole lines.
  static constexpr int across = Lanes < 64 ? Lanes : 64;

  template <class F>
  DWELL_FN void over(int width, int height, F&& f) {
    const int lane = static_cast<int>(threadIdx.x);
    for (int j = lane / across; j < height; j += Lanes / across)
      for (int i = lane % across; i < width; i += across) f(i, j);
  }
  template <class I, class F>
  DWELL_FN void flat(I first, I last, F&& f) {
    const int lane = static_cast<int>(threadIdx.x);
    for (I i = first + lane; i < last; i += Lanes) f(lane, i);
  }
};

}  // namespace dwell
