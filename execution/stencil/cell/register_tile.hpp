// SPDX-License-Identifier: MIT
// How lanes lie in a layer of a stream: those of a warp in a row of two dimensions, those of a team
// in a plane of three, whose warps lie below one another.
#pragma once
#include "dwell/base/cell_piece.hpp"
#include "dwell/execution/stencil/cell/cached_layers.hpp"
#include "dwell/stencil/stencil.hpp"

namespace dwell {

/// 32 lanes beside each other with across x down cells each. A lane's cells in a row are as many as
/// travel together, or twice that: in three dimensions neighbouring lanes then read and write
/// whole lines, in two they do so in memory of their own.
template <class S, class T>
struct stream_tile {
  static constexpr int wide = cell_piece<T>::size;
  static constexpr int across = S::dims == 3 ? wide : 4;
  static constexpr int down = S::dims == 3 ? 16 / across : 1;
  static constexpr int cells = across * down;
  static constexpr int width = 32 * across;  ///< cells of a warp in a row
};

/// One piece of a lane's layer, from value c on, to p in memory; and from there.
template <class T, int Cells>
DWELL_FN void put_piece(T* p, const lane_layer<T, Cells>& v, int c) {
  cell_piece<T> some;
  DWELL_UNROLL
  for (int i = 0; i < some.size; ++i) some.v[i] = v.v[c + i];
  *reinterpret_cast<cell_piece<T>*>(p) = some;
}
template <class T, int Cells>
DWELL_FN void get_piece(lane_layer<T, Cells>& v, int c, const T* p) {
  const cell_piece<T> some = *reinterpret_cast<const cell_piece<T>*>(p);
  DWELL_UNROLL
  for (int i = 0; i < some.size; ++i) v.v[c + i] = some.v[i];
}
/// A V, one value or a piece, is fetched if wanted.
template <class V, class Team, class T>
DWELL_FN void fetch_as(bool wanted, T* to, const T* from) {
  Team::fetch_if(wanted, reinterpret_cast<V*>(to), reinterpret_cast<const V*>(from));
}

}  // namespace dwell
