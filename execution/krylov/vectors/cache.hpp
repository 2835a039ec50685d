// SPDX-License-Identifier: MIT
// What a workspace caches on the chip during a run: registers, the front parts of vectors in
// scratch, tiles of the matrix in scratch, and the ghosts of a gathered vector. Filled once at the
// start; results are written back once at the end.
#pragma once
#include <cstddef>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/plan/residency.hpp"
#include "dwell/execution/krylov/program_args.hpp"
#include "dwell/execution/krylov/spmv/ghosts.hpp"
#include "dwell/execution/krylov/spmv/tile_part.hpp"

namespace dwell {

/// Bytes of scratch for a residency; a tile has values, columns, paths and a header.
template <class T>
DWELL_HD std::size_t cached_bytes(const residency& cache, bool narrow) {
  const auto round = [](std::size_t bytes) { return (bytes + 15) / 16 * 16; };
  std::size_t all = round(static_cast<std::size_t>(cache.carries) * sizeof(T));
  for (int f = 0; f < max_vectors; ++f)
    all += round(static_cast<std::size_t>(cache.vector[f]) * sizeof(T));
  all += round(static_cast<std::size_t>(cache.halo) * sizeof(T));
  all += round(static_cast<std::size_t>(cache.sends) * sizeof(ghost_send));
  const bool two_bytes = narrow || cache.halo > 0;
  const std::size_t per_tile = tile_size * (sizeof(T) + (two_bytes ? 2 : 4)) +
                               tile_lanes * sizeof(std::uint16_t) + sizeof(tile_header);
  return all + static_cast<std::size_t>(cache.tiles) * per_tile +
         static_cast<std::size_t>(cache.tiles_in_registers) * sizeof(tile_header);
}

/// A config that caches nothing.
template <class P, class T, class Team, class Shape, bool Caches = Shape::value.caches>
class workspace_cache {};

template <class P, class T, class Team, class Shape>
class workspace_cache<P, T, Team, Shape, true> {
 public:
  static constexpr int slots = Shape::value.slots;
  static constexpr int registers = P::in_registers::count;
  static constexpr int register_tiles = Shape::value.tiles_in_registers;
  static constexpr bool with_ghosts = Shape::value.assumes == caching::ghosts;
  using column = covered_column<Shape>;

  DWELL_FN void open(Team& team, const program_args<P, T>& a, const team_part& share) {
    const index owned = share.end.row - share.begin.row;
    for (int f = 0; f < P::vectors; ++f) {
      if (a.cache.vector[f] == 0) continue;
      T* home = team.template scratch<T>(a.cache.vector[f] + halo_of(f, a));
      home_[f] = home;
      const index n = owned < a.cache.vector[f] ? owned : a.cache.vector[f];
      team.each([&](int lane) {
        for (index e = lane; e < n; e += Team::lanes()) home[e] = a.vectors[f][share.begin.row + e];
      });
    }
    if constexpr (slots > 0)
      P::in_registers::each([&]<int f>(std::integral_constant<int, f>) {
        team.each([&](int lane) {
          DWELL_UNROLL
          for (int s = 0; s < slots; ++s) {
            const index e = s * Team::lanes() + lane;
            slot<f>(lane, s) = e < owned ? a.vectors[f][share.begin.row + e] : T(0);
          }
        });
      });
    if (a.cache.carries > 0) carries_ = team.template scratch<T>(a.cache.carries);
    open_tiles(team, a, share);
    if constexpr (with_ghosts && !Team::alone) open_window(team, a);
    if constexpr (register_tiles > 0) hold_tiles(team, a, share);
    team.section([](int) {});
  }

  DWELL_FN void close(Team& team, const program_args<P, T>& a, const team_part& share) {
    const index owned = share.end.row - share.begin.row;
    P::results::each([&]<int f>(std::integral_constant<int, f>) {
      const index n = owned < a.cache.vector[f] ? owned : a.cache.vector[f];
      team.each([&](int lane) {
        for (index e = lane; e < n; e += Team::lanes())
          a.vectors[f][share.begin.row + e] = home_[f][e];
      });
      if constexpr (slots > 0 && P::in_registers::place_of(f) >= 0)
        team.each([&](int lane) {
          DWELL_UNROLL
          for (int s = 0; s < slots; ++s) {
            const index e = s * Team::lanes() + lane;
            if (e < owned) a.vectors[f][share.begin.row + e] = slot<f>(lane, s);
          }
        });
    });
  }

  DWELL_FN T* home(int f) const { return home_[f]; }
  template <int F>
  DWELL_FN T& slot(int lane, int s) {
    return cached_[lane].v[P::in_registers::place_of(F)][s];
  }

  /// The lane's part of tile `Round` of its warp, which is tile Round * warps + warp of the team.
  template <int Round>
  DWELL_FN auto& tiles_in_registers() {
    return in_registers_[Round];
  }
  DWELL_FN int register_tile_count() const { return register_tile_count_; }

  /// Under which number tile `tile` of the team is cached in scratch, or -1. Cached tiles are
  /// spread evenly among the others, so that while they are worked on the streamed ones are on
  /// their way.
  DWELL_FN int cached_as(int tile) const {
    const auto at = static_cast<int>(static_cast<std::uint64_t>(tile) * scale_ >> 32);
    const auto next = static_cast<int>(static_cast<std::uint64_t>(tile + 1) * scale_ >> 32);
    return next > at ? at : -1;
  }
  /// Where all tiles are cached.
  DWELL_FN const tile_header& header(int tile) const {
    if constexpr (register_tiles > 0)
      if (tile < register_tile_count_) return register_tile_header_[tile];
    return view_.header[tile - register_tile_count_];
  }
  DWELL_FN const tiles_view<T>& view() const { return view_; }
  /// The carries of all the team's tiles, or null: then they are in global memory.
  DWELL_FN T* carries() const { return carries_; }
  /// The ghost vector of vector F, if the plan has ghosts.
  template <int F>
  DWELL_FN ghost_view<T> window(const program_args<P, T>& a) const {
    return {home_[F],     a.cache.vector[F], send_,       window_.last_send - window_.first_send,
            window_.halo, a.ghost_buffers,   a.cache.halo};
  }
  /// The element of F that belongs to the row left open at the end of the team's part.
  template <int F>
  DWELL_FN T open_element(const program_args<P, T>& a) const {
    return home_[F][a.cache.vector[F] + window_.open_slot];
  }

 private:
  struct in_lane {
    T v[registers > 0 ? registers : 1][slots > 0 ? slots : 1];
  };

  DWELL_FN void open_tiles(Team& team, const program_args<P, T>& a, const team_part& share) {
    tiles_ = share.last_tile - share.first_tile;
    if constexpr (register_tiles > 0)
      register_tile_count_ =
          a.cache.tiles_in_registers < tiles_ ? a.cache.tiles_in_registers : tiles_;
    const int others = tiles_ - register_tile_count_;
    if (a.cache.tiles == 0 || others == 0) return;
    const int n = a.cache.tiles < others ? a.cache.tiles : others;
    scale_ = (static_cast<std::uint64_t>(n) << 32) / static_cast<std::uint64_t>(others);
    view_.val = copy(team, share, a.tiles.val, tile_size, a.cache.tiles);
    if (a.tiles.narrow)
      view_.narrow = copy(team, share, a.tiles.narrow, tile_size, a.cache.tiles);
    else
      view_.wide = copy(team, share, a.tiles.wide, tile_size, a.cache.tiles);
    view_.path = copy(team, share, a.tiles.path, tile_lanes, a.cache.tiles);
    view_.header = copy(team, share, a.tiles.header, 1, a.cache.tiles);
  }
  DWELL_FN static int halo_of(int f, const program_args<P, T>& a) {
    return with_ghosts && f == gathered_vector_of<P> ? a.cache.halo : 0;
  }
  DWELL_FN void open_window(Team& team, const program_args<P, T>& a) {
    window_ = a.ghosts[team.part()];
    ghost_send* send = team.template scratch<ghost_send>(a.cache.sends);
    const int n = window_.last_send - window_.first_send;
    team.each([&](int lane) {
      for (int i = lane; i < n; i += Team::lanes()) send[i] = a.sends[window_.first_send + i];
    });
    send_ = send;
  }
  DWELL_FN void hold_tiles(Team& team, const program_args<P, T>& a, const team_part& share) {
    tile_header* header = team.template scratch<tile_header>(a.cache.tiles_in_registers);
    team.each([&](int lane) {
      for (int t = lane; t < register_tile_count_; t += Team::lanes())
        header[t] = a.tiles.header[share.first_tile + t];
    });
    register_tile_header_ = header;
    team.warps([&](auto& warp) {
      DWELL_UNROLL
      for (int round = 0; round < register_tiles; ++round) {
        const int tile = round * Team::warp_count + warp.number();
        if (tile >= register_tile_count_) continue;
        warp.each([&](int lane) {
          auto& part = in_registers_[round][lane];
          part.template load<Team, true>(a.tiles, columns_of<column>(a.tiles),
                                         share.first_tile + tile, lane);
          if constexpr (with_ghosts) part.header.column = 0;
        });
      }
    });
  }
  /// The cached tiles' parts of an array with `size` elements per tile.
  template <class V>
  DWELL_FN const V* copy(Team& team, const team_part& share, const V* from, int size, int room) {
    V* to = team.template scratch<V>(room * size);
    for (int tile = register_tile_count_; tile < tiles_; ++tile)
      if (const int at = cached_as(tile - register_tile_count_); at >= 0)
        team.each([&](int lane) {
          for (int i = lane; i < size; i += Team::lanes())
            to[at * size + i] = from[static_cast<std::size_t>(share.first_tile + tile) * size + i];
        });
    return to;
  }

  T* home_[P::vectors] = {};
  decltype(std::declval<Team&>().template per_lane<in_lane>()) cached_;
  tiles_view<T> view_;
  decltype(std::declval<Team&>().template per_lane<tile_part<T, column>>())
      in_registers_[register_tiles > 0 ? register_tiles : 1];
  T* carries_ = nullptr;
  team_ghosts window_;
  const ghost_send* send_ = nullptr;
  const tile_header* register_tile_header_ = nullptr;
  std::uint64_t scale_ = 0;      ///< cached tiles per tile that is not in registers, times 2^32
  int tiles_ = 0;                ///< tiles of this team
  int register_tile_count_ = 0;  ///< those in registers
};

}  // namespace dwell
