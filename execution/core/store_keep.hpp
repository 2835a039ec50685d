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

  /// Under which number tile `tile` of the team is kept, or -1. Kept tiles are spread evenly among
  /// the others, so that while they are worked on the streamed ones are on their way.
  DWELL_FN int kept_as(int tile) const {
    const auto at = static_cast<int>(static_cast<std::uint64_t>(tile) * scale_ >> 32);
    const auto next = static_cast<int>(static_cast<std::uint64_t>(tile + 1) * scale_ >> 32);
    return next > at ? at : -1;
  }
  DWELL_FN const tiles_view<T>& view() const { return view_; }
  /// The carries of all the team's tiles, or null: then they are in global memory.
  DWELL_FN T* carries() const { return carries_; }

 private:
  struct in_lane {
    T v[registers][slots > 0 ? slots : 1];
  };

  DWELL_FN void open_tiles(Team& team, const program_args<P, T>& a, const team_share& share) {
    tiles_ = share.last_tile - share.first_tile;
    if (a.keep.tiles == 0 || tiles_ == 0) return;
    const int n = a.keep.tiles < tiles_ ? a.keep.tiles : tiles_;
    scale_ = (static_cast<std::uint64_t>(n) << 32) / static_cast<std::uint64_t>(tiles_);
    view_.val = copy(team, share, a.tiles.val, tile_size, a.keep.tiles);
    if (a.tiles.narrow)
      view_.narrow = copy(team, share, a.tiles.narrow, tile_size, a.keep.tiles);
    else
      view_.wide = copy(team, share, a.tiles.wide, tile_size, a.keep.tiles);
    view_.path = copy(team, share, a.tiles.path, tile_lanes, a.keep.tiles);
    view_.header = copy(team, share, a.tiles.header, 1, a.keep.tiles);
  }
  /// The kept tiles' parts of an array with `size` elements per tile.
  template <class V>
  DWELL_FN const V* copy(Team& team, const team_share& share, const V* from, int size, int room) {
    V* to = team.template scratch<V>(room * size);
    for (int tile = 0; tile < tiles_; ++tile)
      if (const int at = kept_as(tile); at >= 0)
        team.each([&](int lane) {
          for (int i = lane; i < size; i += Team::lanes())
            to[at * size + i] = from[static_cast<std::size_t>(share.first_tile + tile) * size + i];
        });
    return to;
  }

  T* home_[P::vectors] = {};
  decltype(std::declval<Team&>().template per_lane<in_lane>()) kept_;
  tiles_view<T> view_;
  T* carries_ = nullptr;
  std::uint64_t scale_ = 0;  ///< kept tiles per tile, times 2^32
  int tiles_ = 0;            ///< of this team
};

}  // namespace dwell
