// SPDX-License-Identifier: MIT
// Single steps of several fields in one launch (executor persistent): every stage as a plain step
// has it, and teams that meet after each one. Nothing stays on the chip. What a stage gets is in a
// list in memory, since arrays change their roles from step to step.
#pragma once
#include <cstdint>

#include "dwell/execution/stencil/fields/plain_step.hpp"

namespace dwell {

/// What a launch gets: plain data, by value.
template <class T>
struct fields_steps {
  /// Steps of a cycle, after which arrays are where they were: one entry for each stage.
  const fields_stage_args<T>* stages = nullptr;
  int cycle = 1;                ///< steps of it
  int steps = 0;                ///< in the launch; the first one is the first of the cycle
  unsigned* barrier = nullptr;  ///< a word that is zero
};

/// Lanes of a warp take cells beside each other.
inline constexpr int step_lanes = 32;

/// Pieces of a stage that warps share: step_lanes cells of rows that a lane takes together.
struct stage_pieces {
  std::int64_t across = 1, down = 1, planes = 1;
  DWELL_HD std::int64_t all() const { return across * down * planes; }
};
template <class T>
DWELL_HD stage_pieces pieces_of_stage(const fields_stage_args<T>& a, int rows) {
  const auto parts = [](std::int64_t cells, int of) { return (cells + of - 1) / of; };
  return {parts(a.n[1], step_lanes), parts(a.n[0], rows), a.n[2]};
}

/// One warp's part of a stage, by one of its lanes: pieces that follow each other.
template <class S, class T, int Stage>
DWELL_HD void part_of_stage(const fields_stage_args<T>& a, int warp, int warps, int lane) {
  constexpr int rows = rows_together<S, Stage>;
  const stage_pieces n = pieces_of_stage(a, rows);
  std::int64_t piece = n.all() * warp / warps;
  const std::int64_t last = n.all() * (warp + 1) / warps;
  std::int64_t x = piece % n.across, y = piece / n.across % n.down, z = piece / n.across / n.down;
  for (; piece < last; ++piece) {
    const std::int64_t cell = x * step_lanes + lane;
    if (cell < a.n[1])
      stage_of_rows<S, T, Stage>(a, static_cast<int>(z), static_cast<int>(y) * rows,
                                 static_cast<int>(cell));
    if (++x < n.across) continue;
    x = 0;
    if (++y < n.down) continue;
    y = 0;
    ++z;
  }
}

/// Whether a stage computes anything; else its outputs are other fields' own cells.
template <class S, int Stage>
inline constexpr bool computes = [] {
  for (int f = 0; f < S::fields; ++f)
    if (S::template writes<Stage>(f) && S::template copy_of<Stage>(f) < 0) return true;
  return false;
}();

/// A step from stage `Stage` on, by one lane. team.given(address): what a stage gets, at a place
/// that is near; team.meet(): with all lanes of all teams.
template <class S, class T, int Stage = 0, class Team>
DWELL_HD void step_of_lane(const fields_stage_args<T>* stages, Team& team, int lane) {
  if constexpr (Stage < S::stages) {
    if constexpr (computes<S, Stage>) {
      part_of_stage<S, T, Stage>(team.given(stages + Stage), team.warp(), team.warps(), lane);
      team.meet();
    }
    step_of_lane<S, T, Stage + 1>(stages, team, lane);
  }
}

/// All steps of a launch, by one lane.
template <class S, class T, class Team>
DWELL_HD void fields_steps_of_lane(const fields_steps<T>& a, Team& team, int lane) {
  int at = 0;
  for (int step = 0; step < a.steps; ++step) {
    step_of_lane<S, T>(a.stages + at * S::stages, team, lane);
    if (++at == a.cycle) at = 0;
  }
}

}  // namespace dwell
