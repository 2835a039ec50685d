// SPDX-License-Identifier: MIT
// Teams that share the planes of a grid, and passes of several stages over them.
#pragma once
#include <algorithm>
#include <utility>

#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/threads/waiting_cpu.hpp"

namespace dwell::grids {

/// Planes [begin, end) of a grid, or of a rank's part of one.
struct plane_range {
  int begin = 0, end = 0;
  int size() const { return end - begin; }
};

/// A thread of a CPU among those of a run, or alone.
struct plane_team {
  int worker = 0, workers = 1;
  cpu_barrier* grid = nullptr;

  /// All teams meet; what they wrote before is visible after.
  void sync() {
    if (workers > 1) grid->arrive_and_wait();
  }
  /// f() by one team, while the others wait for it: before it teams have met.
  template <class F>
  void alone(F&& f) {
    if (worker == 0) f();
    sync();
  }
  std::pair<int, int> share(int planes) const { return piece(planes, worker, workers); }
  std::pair<int, int> share(plane_range planes) const {
    const auto [begin, end] = share(planes.size());
    return {planes.begin + begin, planes.begin + end};
  }
};

/// stage(s, plane) for stages 0 to stages - 1 of all planes. Stage s of a plane comes after stage
/// s - 1 of it and of the planes next to it, in a ring also of those at the other end. Between two
/// stages of a plane a team touches few others, so that caches keep it. met(s): called by all teams
/// when stage s of the planes at their ends is done and they have met, and before their next stage.
/// Teams do not meet at the end.
template <class Stage, class Met>
void wavefront(plane_team& team, plane_range planes, int stages, Stage&& stage, Met&& met) {
  const auto [begin, end] = team.share(planes);
  // Stages of planes whose neighbours, and theirs, are this team's own.
  for (int front = begin; front < end; ++front)
    for (int s = 0; s < stages; ++s)
      if (const int plane = front - s; plane >= begin + s && plane < end - s) stage(s, plane);
  for (int s = 1; s < stages; ++s) {
    team.sync();
    met(s - 1);
    const int low = std::min(begin + s, end), high = std::max(end - s, low);
    for (int plane = begin; plane < low; ++plane) stage(s, plane);
    for (int plane = high; plane < end; ++plane) stage(s, plane);
  }
}

}  // namespace dwell::grids
