// SPDX-License-Identifier: MIT
// Cutting, plainly: a diagonal search per team, then one pass over the nonzeros, tile by tile; the
// foreign columns of a team's nonzeros, sorted, are its halo.
#include "cut_reference.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <utility>

#include "dwell/base/power_of_two.hpp"

namespace dwell::test {
namespace {

template <class T>
class cutter {
 public:
  cutter(const csr_view<T>& a, int exponent, tiled_matrix<T>& m) : a_(a), scale_(exponent), m_(m) {}

  /// Nonzeros of tile `tile` of team `t`.
  std::pair<index, index> range(const team_part& t, int tile) const {
    const index begin = t.begin.nonzero + (tile - t.first_tile) * tile_size;
    return {begin, std::min<index>(begin + tile_size, t.end.nonzero)};
  }

  /// Fills header and path; are the columns of the tile within 16 bits of each other?
  bool describe(const team_part& t, int tile) {
    const auto [begin, end] = range(t, tile);
    tile_header& h = m_.header[static_cast<std::size_t>(tile)];
    index row = row_of(begin);
    h.first_row = row;
    const auto [low, high] = std::minmax_element(a_.col + begin, a_.col + end);
    h.column = *low;
    for (int lane = 0; lane < tile_lanes; ++lane) {
      unsigned path = std::min<unsigned>(static_cast<unsigned>(row - h.first_row), 255u) << 8;
      for (int j = 0; j < tile_items; ++j) {
        const index k = begin + lane * tile_items + j;
        if (k < end && k + 1 == a_.row_ptr[row + 1]) {
          path |= 1u << j;
          ++row;
        }
      }
      m_.path[static_cast<std::size_t>(tile) * tile_lanes + lane] =
          static_cast<std::uint16_t>(path);
    }
    h.open_row = row;
    return *high - *low < 65536;
  }

  void fill(const team_part& t, int tile, bool narrow) {
    const auto [begin, end] = range(t, tile);
    const tile_header& h = m_.header[static_cast<std::size_t>(tile)];
    const auto at = static_cast<std::size_t>(tile);
    T* val = m_.val.data() + at * tile_size;
    std::uint16_t* near = narrow ? m_.narrow.data() + at * tile_size : nullptr;
    index* far = narrow ? nullptr : m_.wide.data() + at * tile_size;
    if (far) std::fill(far, far + tile_size, h.column);  // padding gathers a column of this tile
    deal(begin, end, h.first_row, [&](int lane, int j, index k) {
      val[tile_slot<sizeof(T)>(lane, j)] = static_cast<T>(scale_(a_.val[k]));
      if (narrow)
        near[tile_slot<2>(lane, j)] = static_cast<std::uint16_t>(a_.col[k] - h.column);
      else
        far[tile_slot<4>(lane, j)] = a_.col[k];
    });
  }

  /// Who completes which row, once all headers are there.
  void link(team_part& t) {
    int from = t.first_tile;  // first tile that left a part of the row open now
    for (int tile = t.first_tile; tile < t.last_tile; ++tile) {
      tile_header& h = m_.header[static_cast<std::size_t>(tile)];
      const bool ends = h.open_row != h.first_row,
                 fresh = range(t, tile).first == a_.row_ptr[h.first_row];
      if (fresh) from = tile;
      h.carry_from = ends ? from : tile;
      if (ends) from = tile;
    }
    t.open_from = from;
  }

 private:
  index row_of(index k) const {
    return static_cast<index>(std::upper_bound(a_.row_ptr, a_.row_ptr + a_.rows + 1, k) -
                              a_.row_ptr) -
           1;
  }

  /// put(lane, j, k) for the nonzeros [begin, end) of a tile: a row's places are consecutive, lane
  /// by lane, and get its nonzeros item by item, so that neighbouring lanes hold neighbouring
  /// columns.
  template <class Put>
  void deal(index begin, index end, index first_row, Put&& put) const {
    index k = begin;
    for (index row = first_row; k < end; ++row) {
      const int first = k - begin, last = std::min(a_.row_ptr[row + 1], end) - begin;  // places
      for (int j = 0; j < tile_items; ++j)
        for (int lane = first / tile_items; lane <= (last - 1) / tile_items; ++lane) {
          const int place = lane * tile_items + j;
          if (place >= first && place < last) put(lane, j, k++);
        }
    }
  }

  const csr_view<T>& a_;
  const power_of_two scale_;
  tiled_matrix<T>& m_;
};

void share_out(const index* row_ptr, index rows, bool whole_rows, std::vector<team_part>& teams) {
  const int count = static_cast<int>(teams.size());
  const index nonzeros = rows ? row_ptr[rows] : 0;
  const std::int64_t all = static_cast<std::int64_t>(rows) + nonzeros;
  const auto point = [&](int t) {
    merge_coordinate at =
        merge_path_search(merge_share(all, t, count), row_ptr + 1, rows, nonzeros);
    // The team that has a row's last nonzero also ends the row.
    if (at.row < rows && at.nonzero > row_ptr[at.row] && at.nonzero == row_ptr[at.row + 1])
      ++at.row;
    if (whole_rows && at.row < rows) {
      const index begin = row_ptr[at.row], end = row_ptr[at.row + 1];
      if (at.nonzero - begin > end - at.nonzero) ++at.row;
      at.nonzero = row_ptr[at.row];
    }
    return at;
  };
  for (int t = 0; t < count; ++t)
    teams[t].begin = t ? teams[t - 1].end : point(0), teams[t].end = point(t + 1);
  for (int t = 0; t < count; ++t) {
    teams[t].carry_from = t;
    const index row = teams[t].begin.row;
    if (teams[t].end.row == row) continue;  // no row ends here
    int from = t;
    while (from > 0 && teams[from].begin.row == row && teams[from].begin.nonzero > row_ptr[row])
      --from;
    teams[t].carry_from = from;
  }
}

constexpr int most_places = 1 << 16;

/// f(lane, j, column) for all places of a tile; places past its nonzeros name a column of the tile.
template <class T, class F>
void for_columns(const tiled_matrix<T>& m, int tile, F&& f) {
  const std::size_t at = static_cast<std::size_t>(tile) * tile_size;
  for (int lane = 0; lane < tile_lanes; ++lane)
    for (int j = 0; j < tile_items; ++j)
      f(lane, j,
        m.narrow.empty() ? m.wide[at + tile_slot<4>(lane, j)]
                         : m.header[static_cast<std::size_t>(tile)].column +
                               m.narrow[at + tile_slot<2>(lane, j)]);
}

/// The rows of other teams that a team needs, sorted.
template <class T>
std::vector<index> halo_of(const tiled_matrix<T>& m, const team_part& t) {
  std::vector<index> halo;
  for (int tile = t.first_tile; tile < t.last_tile; ++tile)
    for_columns(m, tile, [&](int, int, index column) {
      if (column < t.begin.row || column >= t.end.row) halo.push_back(column);
    });
  // A row that is cut is multiplied by its own element when sums are taken.
  if (t.last_tile > t.first_tile && t.end.row < m.teams.back().end.row) halo.push_back(t.end.row);
  std::sort(halo.begin(), halo.end());
  halo.erase(std::unique(halo.begin(), halo.end()), halo.end());
  return halo;
}

}  // namespace

template <class T>
tiled_matrix<T> plain_cut(const csr_view<T>& a, int teams, bool by_tiles, bool whole_rows,
                          int exponent) {
  tiled_matrix<T> m;
  m.teams.resize(static_cast<std::size_t>(teams));
  share_out(a.row_ptr, a.rows, whole_rows, m.teams);
  if (!by_tiles) {
    const power_of_two scale(exponent);
    for (index k = 0; exponent != 0 && k < a.nonzeros(); ++k)
      m.val.push_back(static_cast<T>(scale(a.val[k])));
    return m;
  }
  for (index i = 0; i < a.rows; ++i)
    if (a.row_ptr[i] == a.row_ptr[i + 1]) throw std::invalid_argument("a row without an entry");
  int tiles = 0;
  for (team_part& t : m.teams) {
    t.first_tile = tiles;
    tiles += (t.end.nonzero - t.begin.nonzero + tile_size - 1) / tile_size;
    t.last_tile = tiles;
  }
  const auto n = static_cast<std::size_t>(tiles);
  m.header.resize(n);
  m.path.resize(n * tile_lanes);
  m.val.resize(n * tile_size);
  cutter<T> c(a, exponent, m);
  bool narrow = true;
  for (team_part& t : m.teams) {
    for (int tile = t.first_tile; tile < t.last_tile; ++tile)
      if (!c.describe(t, tile)) narrow = false;
    c.link(t);
  }
  if (narrow)
    m.narrow.resize(n * tile_size);
  else
    m.wide.resize(n * tile_size);
  for (team_part& t : m.teams)
    for (int tile = t.first_tile; tile < t.last_tile; ++tile) c.fill(t, tile, narrow);
  return m;
}

template tiled_matrix<double> plain_cut(const csr_view<double>&, int, bool, bool, int);
template tiled_matrix<float> plain_cut(const csr_view<float>&, int, bool, bool, int);

template <class T>
ghost_layout plain_ghosts(const tiled_matrix<T>& m) {
  ghost_layout w;
  std::vector<std::vector<index>> halos;
  for (const team_part& t : m.teams) {
    halos.push_back(halo_of(m, t));
    w.own = std::max(w.own, t.end.row - t.begin.row);
    w.halo = std::max(w.halo, static_cast<int>(halos.back().size()));
  }
  if (w.halo == 0 || w.own + w.halo > most_places ||
      m.teams.size() > static_cast<std::size_t>(most_places))
    return {};

  std::vector<std::vector<ghost_send>> sends(m.teams.size());
  w.teams.resize(m.teams.size());
  w.header = m.header;
  w.columns.resize(m.header.size() * tile_size);
  std::vector<index> place(static_cast<std::size_t>(m.teams.back().end.row));
  for (std::size_t me = 0; me < m.teams.size(); ++me) {
    const team_part& t = m.teams[me];
    const std::vector<index>& halo = halos[me];
    std::size_t owner = 0;
    for (std::size_t slot = 0; slot < halo.size(); ++slot) {
      while (halo[slot] >= m.teams[owner].end.row) ++owner;
      place[static_cast<std::size_t>(halo[slot])] = w.own + static_cast<index>(slot);
      sends[owner].push_back({static_cast<std::uint16_t>(halo[slot] - m.teams[owner].begin.row),
                              static_cast<std::uint16_t>(me), static_cast<std::uint16_t>(slot)});
      if (halo[slot] == t.end.row) w.teams[me].open_slot = static_cast<int>(slot);
    }
    w.teams[me].halo = static_cast<int>(halo.size());
    for (index row = t.begin.row; row < t.end.row; ++row)
      place[static_cast<std::size_t>(row)] = row - t.begin.row;
    for (int tile = t.first_tile; tile < t.last_tile; ++tile) {
      w.header[static_cast<std::size_t>(tile)].column = 0;
      for_columns(m, tile, [&](int lane, int j, index column) {
        w.columns[static_cast<std::size_t>(tile) * tile_size + tile_slot<2>(lane, j)] =
            static_cast<std::uint16_t>(place[static_cast<std::size_t>(column)]);
      });
    }
  }
  for (std::size_t me = 0; me < m.teams.size(); ++me) {
    w.teams[me].first_send = static_cast<int>(w.send.size());
    w.send.insert(w.send.end(), sends[me].begin(), sends[me].end());
    w.teams[me].last_send = static_cast<int>(w.send.size());
    w.sends = std::max(w.sends, static_cast<int>(sends[me].size()));
  }
  return w;
}

template ghost_layout plain_ghosts(const tiled_matrix<double>&);
template ghost_layout plain_ghosts(const tiled_matrix<float>&);

}  // namespace dwell::test
