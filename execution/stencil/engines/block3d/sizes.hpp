// SPDX-License-Identifier: MIT
// The sizes of fully cached blocks in three dimensions.
#pragma once
#include <algorithm>

#include "dwell/execution/stencil/cell/lanes.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// Sizes of a block (agent.hpp): the most rows; the rows of a plane that a warp publishes to
/// others, the first and last R; values of a plane that are published; planes whose halos are under
/// way at a time; values of one halo.
inline constexpr int block_height = 32;
template <class S>
inline constexpr int block_edge_rows = std::min(2 * radius_of<S>, perks_down<S>);
template <class S>
inline constexpr int block_published_values =
    perks_warps* block_edge_rows<S> * 32 * perks_across<S>;
inline constexpr int block_halos_ahead = 3;
template <class S>
inline constexpr int block_halo_values = 2 * perks_across<S>*(32 * radius_of<S> + block_height +
                                                              2 * radius_of<S>);

}  // namespace dwell
