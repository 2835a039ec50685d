// SPDX-License-Identifier: MIT
// A pass of several steps over the field (temporal blocking: EBISU, Zhang et al. 2023), by a chain
// of warps in every team. Rows of a strip come in at one end of the chain, every warp makes the
// next steps of each row that passes, and at the other end rows leave that have made all steps. A
// warp waits for rows of the warp before it and for room in the ring behind it, for nothing else:
// there is no barrier of a team after its start, and none of teams but the end of the pass.
//
// A strip is wider than the columns that it owns, and a run of rows goes on beyond both of its
// ends, by the cells whose values are lost in the steps: teams compute these twice and exchange
// nothing. Cells that no step changes are exact, as all bits are: sums are made in the order of the
// shape.
#pragma once
#include "dwell/execution/stencil/engines/ring2d/levels.hpp"
#include "dwell/execution/stencil/engines/ring2d/transfers.hpp"

namespace dwell {

/// One team's part of a pass. Source: one is added in every step.
template <class S, class T, ring_config C, bool Source, class Team>
DWELL_FN void ring_pass_of_team(Team& team, const stencil_call<S, T>& a, const pass_runs& pass) {
  const int levels = (pass.steps + C.steps - 1) / C.steps;
  team.play(
      levels, [&] { return ring_intake<S, T, Team, C>(team, a, pass, levels); },
      [&](int w) { return ring_levels<S, T, Team, C, Source>(team, a, pass, w, levels); },
      [&] { return ring_outlet<S, T, Team, C>(team, a, pass, levels); });
}

}  // namespace dwell
