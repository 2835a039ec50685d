// SPDX-License-Identifier: MIT
// The steps of a cut, as functors over teams, tiles and rows that compile for the host and for a
// GPU: a step is one loop of setup_cpu.hpp or setup_loops_cuda.hpp, and no warp of it waits for
// another. Several warps change the same place only where it says so, and then in any order.
#pragma once
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/execution/krylov/spmv/nonzero_tiles.hpp"

namespace dwell::cutting {

/// The pattern of a matrix, where the steps can read it.
struct csr_pattern {
  index rows = 0;
  std::int64_t nonzeros = 0;
  row_starts row_ptr;
  const index* col = nullptr;
};

/// What the host wants to know. In one piece with the parts of the teams.
struct totals {
  int tiles;
  int wide;           ///< not all columns are within 16 bits
  index first_empty;  ///< the first row without an entry, or none_empty
  int own, halo, sends, all_sends;
};
inline constexpr index none_empty = 0x7fffffff;

/// The arrays that the steps write.
struct places {
  int teams = 0;
  totals* all = nullptr;
  team_part* part = nullptr;
  tile_header* header = nullptr;
  std::uint16_t* path = nullptr;
  // Arrays of ghosts, or null. Per team: `words` of in_halo and of halo_before; sends to every
  // team.
  index words = 0;
  std::uint32_t* in_halo = nullptr;
  index* halo_before = nullptr;
  int* sent_before = nullptr;  ///< teams * teams + 1
};

template <class V>
DWELL_FN V smaller(V a, V b) {
  return b < a ? b : a;
}
template <class V>
DWELL_FN V larger(V a, V b) {
  return a < b ? b : a;
}

/// The last row with row_ptr[row] <= k, where row_ptr[from] <= k: near `from` with few looks.
DWELL_FN index row_with(const csr_pattern& a, std::int64_t k, index from) {
  std::int64_t low = from, step = 1;
  while (step <= a.rows - low && a.row_ptr[low + step] <= k) low += step, step *= 2;
  std::int64_t high = step <= a.rows - low ? low + step : a.rows + std::int64_t(1);
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    if (a.row_ptr[middle] <= k)
      low = middle;
    else
      high = middle;
  }
  return static_cast<index>(low);
}

/// The team that a tile belongs to.
DWELL_FN int team_of_tile(const team_part* part, int teams, int tile) {
  int low = 0, high = teams - 1;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (part[middle].last_tile > tile)
      high = middle;
    else
      low = middle + 1;
  }
  return low;
}

/// Nonzeros of a tile.
struct tile_range {
  std::int64_t begin;
  int count;
  DWELL_FN tile_range(const team_part& t, int tile)
      : begin(t.begin.nonzero + static_cast<std::int64_t>(tile - t.first_tile) * tile_size),
        count(static_cast<int>(smaller<std::int64_t>(t.end.nonzero - begin, tile_size))) {}
  DWELL_FN std::int64_t end() const { return begin + count; }
};

/// f(tile, team, part) for this warp's tiles; f is called by all its lanes.
template <class F>
DWELL_FN void for_tiles(const team_part* part, int teams, std::int64_t tile, std::int64_t end,
                        std::int64_t step, F&& f) {
  int team = -1;
  for (; tile < end; tile += step) {
    const int at = static_cast<int>(tile);
    if (team < 0 || at >= part[team].last_tile || at < part[team].first_tile)
      team = team_of_tile(part, teams, at);
    f(at, team, part[team]);
  }
}

/// Per team: its equal share of the merge path, or the rows that it was given.
struct share_out {
  csr_pattern a;
  bool whole_rows;
  places p;
  const index* first_rows;  ///< or null

  DWELL_FN merge_coordinate point(int t) const {
    if (first_rows) return {first_rows[t], a.rows > 0 ? a.row_ptr[first_rows[t]] : 0};
    const std::int64_t all = static_cast<std::int64_t>(a.rows) + a.nonzeros;
    merge_coordinate at =
        merge_path_search(merge_share(all, t, p.teams), a.row_ptr.from(1), a.rows, a.nonzeros);
    // The team that has a row's last nonzero also ends the row.
    if (at.row < a.rows && at.nonzero > a.row_ptr[at.row] && at.nonzero == a.row_ptr[at.row + 1])
      ++at.row;
    if (whole_rows && at.row < a.rows) {
      const std::int64_t begin = a.row_ptr[at.row], end = a.row_ptr[at.row + 1];
      if (at.nonzero - begin > end - at.nonzero) ++at.row;
      at.nonzero = a.row_ptr[at.row];
    }
    return at;
  }
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t team) const {
    const int t = static_cast<int>(team);
    team_part made;
    made.begin = point(t);
    made.end = point(t + 1);
    p.part[t] = made;
  }
};

/// Once: where the tiles of every team begin, and whose carries are missing in its first row.
struct count_tiles {
  csr_pattern a;
  bool by_tiles;
  places p;

  template <class Warp>
  DWELL_FN void operator()(Warp& w) const {
    int before = 0, own = 0;
    for (int first = 0; first < p.teams; first += Warp::lanes) {
      const int t = first + w.lane();
      int tiles = 0;
      if (t < p.teams) {
        team_part& mine = p.part[t];
        if (by_tiles)
          tiles = static_cast<int>((mine.end.nonzero - mine.begin.nonzero + (tile_size - 1)) /
                                   tile_size);
        own = larger(own, mine.end.row - mine.begin.row);
        mine.carry_from = carries_of(t);
      }
      const int at = before + w.sum_before(tiles);
      if (t < p.teams) p.part[t].first_tile = at, p.part[t].last_tile = at + tiles;
      before += w.sum(tiles);
    }
    own = w.most(own);
    if (w.lane() == 0) *p.all = {before, 0, none_empty, own, 0, 0, 0};
  }

 private:
  DWELL_FN int carries_of(int t) const {
    const index row = p.part[t].begin.row;
    if (p.part[t].end.row == row) return t;  // no row ends here
    int from = t;
    while (from > 0 && p.part[from].begin.row == row && p.part[from].begin.nonzero > a.row_ptr[row])
      --from;
    return from;
  }
};

/// Per row: is there one without an entry? Several warps may say so.
struct find_empty_rows {
  csr_pattern a;
  places p;
  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t row) const {
    if (a.row_ptr[row] == a.row_ptr[row + 1]) w.lower(p.all->first_empty, static_cast<index>(row));
  }
};

/// Per tile: its header and path, and the foreign columns that its team needs.
struct describe_tiles {
  csr_pattern a;
  places p;
  bool own_columns;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t begin, std::int64_t end, std::int64_t step) const {
    int of = -1;
    index near = 0;  // a row at or before the next tile's
    for_tiles(p.part, p.teams, begin, smaller<std::int64_t>(end, p.all->tiles), step,
              [&](int tile, int team, const team_part& part) {
                if (team != of) near = part.begin.row;
                of = team;
                near = describe(w, tile, team, part, near);
              });
  }

 private:
  /// Returns the tile's first row.
  template <class Warp>
  DWELL_FN index describe(Warp& w, int tile, int team, const team_part& part, index near) const {
    const tile_range k(part, tile);
    const index first_row = row_with(a, k.begin, near);
    index row = first_row;  // row of the lane's next item, on the host of the lane after
    index low = none_empty, high = 0;
    int ended = 0;
    for (int lane = w.lane(); lane < tile_lanes; lane += Warp::lanes) {
      const int place = lane * tile_items, places = k.count;
      if (place < places) {
        row = row_with(a, k.begin + place, row);
      } else {
        row = row_with(a, k.end() - 1, first_row);
        if (a.row_ptr[row + 1] == k.end()) ++row;
      }
      unsigned path = static_cast<unsigned>(smaller<index>(row - first_row, 255)) << 8;
      for (int j = 0; j < tile_items; ++j) {
        if (place + j >= places) break;
        const std::int64_t at = k.begin + (place + j);
        const index column = a.col[at];
        low = smaller(low, column);
        high = larger(high, column);
        if (p.in_halo && (column < part.begin.row || column >= part.end.row))
          w.set_bit(p.in_halo + static_cast<std::int64_t>(team) * p.words, column);
        if (at + 1 == a.row_ptr[row + 1]) {
          path |= 1u << j;
          ++row;
          ++ended;
        }
      }
      p.path[static_cast<std::int64_t>(tile) * tile_lanes + lane] =
          static_cast<std::uint16_t>(path);
    }
    low = w.least(low);
    high = w.most(high);
    ended = w.sum(ended);
    if (w.lane() == 0) {
      tile_header h;
      h.first_row = first_row;
      h.column = own_columns ? part.begin.row : low;
      h.open_row = first_row + ended;
      p.header[tile] = h;
      if (high - h.column >= 65536) w.raise(p.all->wide, 1);
    }
    return first_row;
  }
};

/// Per team: who completes which row. A part of a row that is open at the end of a tile began in
/// the last tile before that starts or ends a row.
struct link_tiles {
  csr_pattern a;
  places p;

  template <class Warp>
  DWELL_FN void operator()(Warp& w, std::int64_t team, std::int64_t end, std::int64_t step) const {
    for (; team < end; team += step) link(w, p.part[team]);
  }

 private:
  template <class Warp>
  DWELL_FN void link(Warp& w, team_part& part) const {
    const int first = part.first_tile, last = part.last_tile;
    int from = first;
    for (int at = first; at < last; at += Warp::lanes) {
      const int tile = at + w.lane();
      bool ends = false, fresh = false;
      if (tile < last) {
        const tile_header& h = p.header[tile];
        ends = h.open_row != h.first_row;
        fresh = tile_range(part, tile).begin == a.row_ptr[h.first_row];
      }
      const int turn = ends || fresh ? tile : first;
      const int before = larger(from, w.most_before(turn, first));
      if (tile < last) p.header[tile].carry_from = ends && !fresh ? before : tile;
      from = larger(from, w.most(turn));
    }
    if (w.lane() == 0) part.open_from = from;
  }
};

}  // namespace dwell::cutting
