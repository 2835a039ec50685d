// SPDX-License-Identifier: MIT
// Teams that share the planes of a grid, and passes of several stages over them.
#pragma once
#include <algorithm>
#include <utility>

#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/threads/waiting_cpu.hpp"

namespace dwell::grids {

/// A thread of a CPU among those of a run, or alone.
struct plane_team {
  int worker = 0, workers = 1;
  cpu_barrier* grid = nullptr;

  /// All teams meet; what they wrote before is visible after.
  void sync() {
    if (workers > 1) grid->arrive_and_wait();
  }
  std::pair<int, int> share(int planes) const { return piece(planes, worker, workers); }
};

/// stage(s, plane) for stages 0 to stages - 1 of all planes. Stage s of a plane comes after stage
/// s - 1 of it and of the planes next to it, in a ring also of those at the other end. Between two
/// stages of a plane a team touches few others, so that caches keep it. Teams do not meet at the
/// end.
template <class Stage>
void wavefront(plane_team& team, int planes, int stages, Stage&& stage) {
  const auto [begin, end] = team.share(planes);
  // Stages of planes whose neighbours, and theirs, are this team's own.
  for (int front = begin; front < end; ++front)
    for (int s = 0; s < stages; ++s)
      if (const int plane = front - s; plane >= begin + s && plane < end - s) stage(s, plane);
  for (int s = 1; s < stages; ++s) {
    team.sync();
    const int low = std::min(begin + s, end), high = std::max(end - s, low);
    for (int plane = begin; plane < low; ++plane) stage(s, plane);
    for (int plane = high; plane < end; ++plane) stage(s, plane);
  }
}

}  // namespace dwell::grids
