// SPDX-License-Identifier: MIT
// Engine ring_fields2d: passes of several steps over all fields of a stencil, in two dimensions. As
// in ring2d the warps of a team are a chain, and a slot of the rings between them holds rows of
// every array: fields and coefficients. No warp waits for others than its neighbours in the chain.
#pragma once
#include "dwell/execution/stencil/engines/ring_fields2d/levels.hpp"
#include "dwell/execution/stencil/engines/ring_fields2d/transfers.hpp"

namespace dwell {

/// A role of the chain: a warp by itself (All) takes all ticks, one that is played one tick.
template <class Levels, bool All>
class chain_role {
 public:
  template <class... A>
  DWELL_FN explicit chain_role(A&&... a) : levels_(a...) {}
  DWELL_FN bool more() const { return levels_.more(); }
  DWELL_FN void run(int ticks) {
    if constexpr (All)
      levels_.run_all();
    else
      levels_.run(ticks);
  }

 private:
  Levels levels_;
};

/// One team's part of a pass. All: warps run by themselves.
template <class S, class T, chain_config C, bool All, pass_demands D = pass_demands{}, class Team>
DWELL_FN void fields_pass_of_team(Team& team, const fields_pass<T>& a) {
  using role = chain_role<chain_levels<S, T, Team, C, D>, All>;
  team.play(
      a.warps, [&] { return chain_intake<S, T, Team, C>(team, a); },
      [&](int w) { return role(team, a, w); },
      [&] { return chain_outlet<S, T, Team, C>(team, a); });
}

}  // namespace dwell
