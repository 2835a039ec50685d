// SPDX-License-Identifier: MIT
// The layers of a team's subdomain, as agents of engines use them: in registers, in scratch, and
// streamed from memory that the team alone touches.
#pragma once
#include <cstddef>

#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/cell/cached_layers.hpp"
#include "dwell/execution/stencil/cell/lanes.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// Values of all lanes in one layer.
template <class S>
inline constexpr int perks_layer_values = perks_lanes* perks_across<S>* perks_down<S>;

/// The layers that are not in registers.
template <class S, class T>
using perks_layers =
    cached_layers<T, perks_across<S> * perks_down<S>, perks_lanes, fetch_ahead<S::dims>>;

/// Layers of scratch in which a pass that does not go straight down puts rows aside as they were.
/// Blocks go up through all of their planes, and need none for that.
template <class S>
DWELL_HD int perks_stash_layers(const stencil_plan& p) {
  constexpr int turning = S::dims == 3 ? 0 : 2 * radius_of<S>;
  return static_cast<int>(p.order == traversal::zig_zag) * turning +
         static_cast<int>(p.order == traversal::ring) * radius_of<S>;
}

/// Bytes of scratch for the layers of a plan some of which may stream.
template <class S, class T>
std::size_t partly_cached_bytes(const stencil_plan& p) {
  const std::size_t layers = static_cast<std::size_t>(p.scratch_rows) +
                             (p.streamed_rows > 0 ? fetch_ahead<S::dims> : 0) +
                             static_cast<std::size_t>(perks_stash_layers<S>(p));
  return layers * perks_layer_values<S> * sizeof(T);
}

/// The layers of a team, `used` lanes of whose warps have cells.
template <class Layers, class S, class T, class Team>
DWELL_FN Layers layers_of(Team& team, const stencil_call<S, T>& a, int used = 32) {
  constexpr int values = perks_layer_values<S>;
  T* cached = team.template scratch<T>(a.plan.scratch_rows * values);
  T* ring = a.plan.streamed_rows > 0 ? team.template scratch<T>(Layers::ring_values) : nullptr;
  T* streamed =
      a.streamed + static_cast<std::size_t>(team.worker()) * a.plan.streamed_rows * values;
  return {cached, a.plan.scratch_rows,    streamed, a.plan.streamed_rows,
          ring,   team.worker() % 2 != 0, used};
}

}  // namespace dwell
