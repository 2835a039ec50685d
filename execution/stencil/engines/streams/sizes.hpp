// SPDX-License-Identifier: MIT
// The sizes of streams: time steps of a pass, values of a layer, scratch.
#pragma once
#include <algorithm>
#include <array>
#include <type_traits>

#include "dwell/execution/stencil/cell/lanes.hpp"
#include "dwell/execution/stencil/cell/partial_sums.hpp"
#include "dwell/execution/stencil/cell/register_tile.hpp"
#include "dwell/execution/stencil/engines/streams/fixed_cells.hpp"

namespace dwell {

/// Steps that a stream takes in one pass: as many as the registers of a lane hold time steps for,
/// and each remembers 2R layers. `values` is how many fit beside the arithmetic, found by trying.
/// 0 for shapes that are not linear: a stream needs arithmetic of few registers.
template <class S>
constexpr int stream_depth() {
  constexpr int r = radius_of<S>;
  if constexpr (!is_linear<S>) return 0;
  if constexpr (S::dims == 3) return r == 1 ? 2 : 1;
  constexpr int values = is_star<S> ? (r <= 2 ? 72 : 80) : r == 2 ? 40 : 60;
  return std::clamp(values / (2 * r * perks_across<S>), 1, 8);
}

/// The config of a stream. Layers are rows in two dimensions, planes in three.
struct stream_config {
  int depth;         ///< steps of one pass
  int across, down;  ///< cells of a lane in one layer
};

/// The configs of streams in so many dimensions: one, or none.
template <class S, class T, int Dims>
constexpr auto stream_configs() {
  if constexpr (S::dims == Dims && stream_depth<S>() > 0)
    return std::array{
        stream_config{stream_depth<S>(), stream_tile<S, T>::across, stream_tile<S, T>::down}};
  else
    return std::array<stream_config, 0>{};
}

/// Where a stream remembers cells of a fixed border, and values of scratch for that. In two
/// dimensions windows hold them anyway, and with a radius of 1 a choice after every sum is faster
/// (measured).
template <class S, class T>
using stream_fixed_cells =
    std::conditional_t<S::dims == 3, fixed_sides<S, T, stream_depth<S>(), perks_warps>,
                       fixed_columns<S, T, stream_depth<S>(), perks_warps>>;
template <class S>
inline constexpr bool stream_restores = S::dims == 3 || (radius_of<S> > 1 && !remembers_windows<S>);
template <class S, class T>
constexpr int stream_fixed_values() {
  if constexpr (stream_depth<S>() > 0 && stream_restores<S>)
    return stream_fixed_cells<S, T>::values;
  return 0;
}

/// Planes of a stream from memory that are under way at a time, 32 KB each; one more is being read.
inline constexpr int stream_planes_ahead = 2;

/// Values of all lanes in one layer of a stream.
template <class S, class T>
inline constexpr int stream_layer_values = perks_lanes* stream_tile<S, T>::cells;

/// The rows that warps publish to each other of the planes that leave one time step, in two sets.
template <class S, class T>
inline constexpr int stream_edge_values = 4 * radius_of<S>* perks_lanes* stream_tile<S, T>::across;

}  // namespace dwell
