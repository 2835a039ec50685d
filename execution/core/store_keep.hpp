// SPDX-License-Identifier: MIT
// What a store keeps on the chip during a run: registers, the front parts of vectors in scratch,
// and tiles of the matrix in scratch. Filled once at the start; results are written back once at
// the end.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/execution/core/plan.hpp"
#include "dwell/execution/core/program.hpp"
#include "dwell/formats/fn.hpp"

namespace dwell {

/// Bytes of scratch for what `keep` says; a tile has values, columns, paths and a header.
template <class T>
DWELL_HD std::size_t kept_bytes(const residency& keep, bool narrow) {
  const auto round = [](std::size_t bytes) { return (bytes + 15) / 16 * 16; };
  std::size_t all = round(static_cast<std::size_t>(keep.carries) * sizeof(T));
  for (int f = 0; f < max_vectors; ++f)
    all += round(static_cast<std::size_t>(keep.vector[f]) * sizeof(T));
  const std::size_t per_tile = tile_size * (sizeof(T) + (narrow ? 2 : 4)) +
                               tile_lanes * sizeof(std::uint16_t) + sizeof(tile_header);
  return all + static_cast<std::size_t>(keep.tiles) * per_tile;
}

/// A rung that keeps nothing.
template <class P, class T, class Team, class Shape, bool Keeps = Shape::value.keeps>
class store_keep {};

template <class P, class T, class Team, class Shape>
class store_keep<P, T, Team, Shape, true> {
 public:
  static constexpr int slots = Shape::value.slots;
  static constexpr int registers = P::in_registers::count;

  DWELL_FN void open(Team& team, const program_args<P, T>& a, const team_share& share) {
    const index owned = share.end.row - share.begin.row;
    for (int f = 0; f < P::vectors; ++f) {
      if (a.keep.vector[f] == 0) continue;
      T* home = team.template scratch<T>(a.keep.vector[f]);
      home_[f] = home;
      const index n = owned < a.keep.vector[f] ? owned : a.keep.vector[f];
      team.each([&](int lane) {
        for (index e = lane; e < n; e += Team::lanes()) home[e] = a.vectors[f][share.begin.row + e];
      });
    }
    if constexpr (slots > 0)
      P::in_registers::each([&](auto f) {
        team.each([&](int lane) {
          DWELL_UNROLL
          for (int s = 0; s < slots; ++s) {
            const index e = s * Team::lanes() + lane;
            slot<f()>(lane, s) = e < owned ? a.vectors[f()][share.begin.row + e] : T(0);
          }
        });
      });
    if (a.keep.carries > 0) carries_ = team.template scratch<T>(a.keep.carries);
    open_tiles(team, a, share);
    team.section([](int) {});
  }

  DWELL_FN void close(Team& team, const program_args<P, T>& a, const team_share& share) {
    const index owned = share.end.row - share.begin.row;
    P::results::each([&](auto f) {
      const index n = owned < a.keep.vector[f()] ? owned : a.keep.vector[f()];
      team.each([&](int lane) {
        for (index e = lane; e < n; e += Team::lanes())
          a.vectors[f()][share.begin.row + e] = home_[f()][e];
      });
      if constexpr (slots > 0 && P::in_registers::place_of(f()) >= 0)
        team.each([&](int lane) {
          DWELL_UNROLL
          for (int s = 0; s < slots; ++s) {
            const index e = s * Team::lanes() + lane;
            if (e < owned) a.vectors[f()][share.begin.row + e] = slot<f()>(lane, s);
          }
        });
    });
  }

  DWELL_FN T* home(int f) const { return home_[f]; }
  template <int F>
  DWELL_FN T& slot(int lane, int s) {
    return kept_[lane].v[P::in_registers::place_of(F)][s];
  }

  /// Tiles first_tile .. first_tile + n - 1 of the team, as tiles 0 .. n - 1 of this view.
  DWELL_FN int tiles() const { return tiles_; }
  DWELL_FN const tiles_view<T>& view() const { return view_; }
  /// The carries of all the team's tiles, or null: then they are in global memory.
  DWELL_FN T* carries() const { return carries_; }

 private:
  struct in_lane {
    T v[registers][slots > 0 ? slots : 1];
  };

  DWELL_FN void open_tiles(Team& team, const program_args<P, T>& a, const team_share& share) {
    const int all = share.last_tile - share.first_tile;
    tiles_ = all < a.keep.tiles ? all : a.keep.tiles;
    if (a.keep.tiles == 0) return;
    const std::size_t first = static_cast<std::size_t>(share.first_tile);
    view_.val =
        copy(team, a.tiles.val + first * tile_size, tile_size * a.keep.tiles, tile_size * tiles_);
    if (a.tiles.narrow)
      view_.narrow = copy(team, a.tiles.narrow + first * tile_size, tile_size * a.keep.tiles,
                          tile_size * tiles_);
    else
      view_.wide = copy(team, a.tiles.wide + first * tile_size, tile_size * a.keep.tiles,
                        tile_size * tiles_);
    view_.path = copy(team, a.tiles.path + first * tile_lanes, tile_lanes * a.keep.tiles,
                      tile_lanes * tiles_);
    view_.header = copy(team, a.tiles.header + first, a.keep.tiles, tiles_);
  }
  template <class V>
  DWELL_FN static const V* copy(Team& team, const V* from, int room, int n) {
    V* to = team.template scratch<V>(room);
    team.each([&](int lane) {
      for (int i = lane; i < n; i += Team::lanes()) to[i] = from[i];
    });
    return to;
  }

  T* home_[P::vectors] = {};
  decltype(std::declval<Team&>().template per_lane<in_lane>()) kept_;
  tiles_view<T> view_;
  T* carries_ = nullptr;
  int tiles_ = 0;
};

}  // namespace dwell
