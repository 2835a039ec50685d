// SPDX-License-Identifier: MIT
// The inner cells of a step where lanes are threads, each of which takes some cells: first all
// loads, then all stores. There are two paths, each with kernels of its own. Tiles, for most
// shapes: rows of the field begin at whole sectors, and warps read and write those
// (tile_sums.hpp). And columns, for any shape, and grids that are thinner than a tile.
#pragma once
#include <array>
#include <cstddef>

#include "dwell/execution/stencil/args.hpp"
#include "dwell/execution/stencil/step/config.hpp"
#include "dwell/execution/stencil/step/tile_sums.hpp"

namespace dwell {

inline constexpr int column_depth = 4;  ///< cells of a column

/// The kernels of executors that cache nothing, and the cells that a lane of theirs has of a tile:
/// one tile or column after another, so that tiles share fewer rows with their neighbours.
template <class S, class T>
constexpr auto configs_of_threads() {
  using tile = tile_shape<S, T>;
  constexpr int lanes = 256, high = 8;
  constexpr bool flat = S::dims == 2;
  constexpr auto config = [](int teams, int across, int down, int together) {
    step_config r{lanes, teams, across};
    r.down = flat ? high : down;
    r.deep = flat ? 1 : high;
    r.together = together;
    return r;
  };
  // Sums of so many terms need 128 registers a lane: of 64 they spill.
  constexpr step_config columns = config(64 < tap_count<S> ? 2 : 4, 1, 1, column_depth);
  if constexpr (tile::pays)
    return std::array{config(tile::teams, tile::across, tile::down, flat ? tile::down : tile::deep),
                      columns};
  else
    return std::array{columns};
}
template <class S, class T>
inline constexpr auto thread_configs = configs_of_threads<S, T>();

/// Neighbours of an inner cell, where they are.
template <class T>
struct near_inner {
  const T* p;
  std::ptrdiff_t pitch, plane;
  DWELL_FN T operator()(int dy, int dx) const { return p[dy * pitch + dx]; }
  DWELL_FN T operator()(int dz, int dy, int dx) const { return p[dz * plane + dy * pitch + dx]; }
};

/// `Depth` cells along the slowest axis at once: all loads, then all stores.
template <class S, class T, int Depth>
DWELL_FN void step_column(const T* in, T* out, const T* source, std::ptrdiff_t pitch,
                          std::ptrdiff_t plane, const T* w) {
  const std::ptrdiff_t along = S::dims == 3 ? plane : pitch;
  T v[Depth];
  DWELL_UNROLL
  for (int d = 0; d < Depth; ++d)
    v[d] = S::template apply<T>(near_inner<T>{in + d * along, pitch, plane}, w);
  if (source) {
    DWELL_UNROLL
    for (int d = 0; d < Depth; ++d) v[d] += source[d * along];
  }
  DWELL_UNROLL
  for (int d = 0; d < Depth; ++d) out[d * along] = v[d];
}

/// The cells of a tile: where it begins, and how many.
struct tile_cells {
  int x0, y0, z0, nx, ny, nz;
};
/// Cells of tile number t. Tiles lie side by side from column `first` on. Joined: the last one of a
/// column has all rows (planes) that are left, even if those are more than others have.
template <bool Joined = false>
DWELL_FN tile_cells cells_of_tile(const stencil_plan& p, const cell_box& inner, int first,
                                  unsigned t) {
  const unsigned across = static_cast<unsigned>(p.tiles_x), down = static_cast<unsigned>(p.tiles_y);
  const unsigned line = t / across;
  const int x0 = first + static_cast<int>(t - line * across) * p.tile_x;
  const int y = static_cast<int>(line % down), z = static_cast<int>(line / down);
  const int y0 = inner.y0 + y * p.tile_y, z0 = inner.z0 + z * p.tile_z;
  const auto rest = [](int nth, int tiles, int left, int tile) {
    return (Joined ? nth + 1 == tiles : left < tile) ? left : tile;
  };
  return {x0,
          y0,
          z0,
          inner.x1 - x0 < p.tile_x ? inner.x1 - x0 : p.tile_x,
          rest(y, p.tiles_y, inner.y1 - y0, p.tile_y),
          rest(z, p.tiles_z, inner.z1 - z0, p.tile_z)};
}
DWELL_FN unsigned tiles_of(const stencil_plan& p) {
  return static_cast<unsigned>(p.tiles_x) * static_cast<unsigned>(p.tiles_y) *
         static_cast<unsigned>(p.tiles_z);
}

/// Columns over all cells of a tile.
template <class S, class T, class Team>
DWELL_FN void step_columns(Team& team, const stencil_call<S, T>& a, const T* in, T* out,
                           const tile_cells& c) {
  constexpr int depth = column_depth;
  constexpr bool flat = S::dims == 2;  // then a column runs along y, else along z
  const std::ptrdiff_t pitch = a.pitch, plane = pitch * a.size.y;
  const std::ptrdiff_t along = flat ? pitch : plane;
  const std::ptrdiff_t corner = c.z0 * plane + c.y0 * pitch + c.x0;
  const T* from = in + corner;
  T* to = out + corner;
  const T* source = a.source ? a.source + corner : nullptr;
  const int length = flat ? c.ny : c.nz;  // length of a column
  for (int below = 0; below < (flat ? 1 : c.nz); below += depth)
    team.over(c.nx, flat ? (c.ny + depth - 1) / depth : c.ny, [&](int i, int j) {
      const int first = flat ? j * depth : below;
      const std::ptrdiff_t at = first * along + (flat ? 0 : j * pitch) + i;
      const T* f = source ? source + at : nullptr;
      if (first + depth <= length)
        step_column<S, T, depth>(from + at, to + at, f, pitch, plane, a.w);
      else
#pragma unroll 1
        for (int d = 0; d < length - first; ++d)
          step_column<S, T, 1>(from + at + d * along, to + at + d * along, f ? f + d * along : f,
                               pitch, plane, a.w);
    });
}

/// What a tile leaves to others: rows and planes at its beginning, and columns, a bit for each.
struct tile_rest {
  int rows, planes;
  unsigned columns;
};

/// All cells of a tile from `in` on.
template <class S, class T>
DWELL_FN void step_register_tile(const T* in, T* out, const T* source, std::ptrdiff_t pitch,
                                 std::ptrdiff_t plane, const tile_rest& rest, const T* w) {
  using tile = tile_shape<S, T>;
  register_tile<S, T> v = tile_sums<S, T>(in, pitch, plane, w);
  const auto each_row = [](auto&& f) {
    DWELL_UNROLL
    for (int d = 0; d < tile::deep; ++d) {
      DWELL_UNROLL
      for (int k = 0; k < tile::down; ++k) f(d, k);
    }
  };
  if (source)
    each_row([&](int d, int k) {
      DWELL_UNROLL
      for (int i = 0; i < tile::across; ++i) v.row[d][k].v[i] += source[d * plane + k * pitch + i];
    });
  each_row([&](int d, int k) {
    if (d < rest.planes || k < rest.rows) return;
    T* row = out + (d * plane + k * pitch);
    if (rest.columns == 0) {
      *reinterpret_cast<cell_piece<T>*>(row) = v.row[d][k];
    } else {
      DWELL_UNROLL
      for (int i = 0; i < tile::across; ++i)
        if (!(rest.columns >> i & 1u)) row[i] = v.row[d][k].v[i];
    }
  });
}

/// Register tiles over all cells of a tile; the inner cells are no fewer than a tile's along any
/// axis. A tile at the left or the right end of a row loads up to `radius` values before or behind
/// it, for sums that are not stored: fields have a margin around them, and rows whole pieces
/// (stencil/launch/run.hpp).
template <class S, class T, class Team>
DWELL_FN void step_register_tiles(Team& team, const stencil_call<S, T>& a, const T* in, T* out,
                                  const tile_cells& c) {
  using tile = tile_shape<S, T>;
  const cell_box& inner = a.inner;
  const std::ptrdiff_t pitch = a.pitch, plane = pitch * a.size.y;
  for (int deep = 0; deep < c.nz; deep += tile::deep)
    team.over((c.nx + tile::across - 1) / tile::across, (c.ny + tile::down - 1) / tile::down,
              [&](int i, int j) {
                // The last register tiles of a column overlap the ones before.
                const int x = c.x0 + i * tile::across;
                const int row = c.y0 + j * tile::down, y1 = inner.y1 - tile::down;
                const int layer = c.z0 + deep, z1 = inner.z1 - tile::deep;
                const int y = row < y1 ? row : y1, z = layer < z1 ? layer : z1;
                tile_rest rest{row - y, layer - z, 0};
                DWELL_UNROLL
                for (int k = 0; k < tile::across; ++k)
                  rest.columns |= static_cast<unsigned>(x + k < inner.x0 || x + k >= inner.x1) << k;
                const std::ptrdiff_t at = z * plane + y * pitch + x;
                step_register_tile<S, T>(in + at, out + at, a.source ? a.source + at : nullptr,
                                         pitch, plane, rest, a.w);
              });
}

/// Tile number t, by register tiles or by columns. Pieces begin at multiples of their size.
template <class S, class T, bool Tiles, bool Joined = false, class Team>
DWELL_FN void step_tile(Team& team, const stencil_call<S, T>& a, const T* in, T* out, unsigned t) {
  const tile_cells c = cells_of_tile<Joined>(a.plan, a.inner, Tiles ? 0 : a.inner.x0, t);
  if constexpr (Tiles)
    step_register_tiles<S, T>(team, a, in, out, c);
  else
    step_columns<S, T>(team, a, in, out, c);
}

/// All tiles, dealt to all teams in the order of the plan. Where it alternates, steps from the
/// second copy of the field begin with the tiles that the step before wrote last: cells that are
/// still in L2 are not read from memory.
template <class S, class T, bool Tiles, class Team>
DWELL_FN void step_tiles(Team& team, const stencil_call<S, T>& a, const T* in, T* out) {
  const unsigned tiles = tiles_of(a.plan);
  const bool back = may_alternate(S::dims, radius_of<S>) && a.plan.alternates && in == a.field[1];
  team.deal(tiles, [&](unsigned nth) {
    const unsigned t = back ? tiles - 1 - nth : nth;
    step_tile<S, T, Tiles>(team, a, in, out, a.tile_order ? a.tile_order[t] : t);
  });
}

}  // namespace dwell
