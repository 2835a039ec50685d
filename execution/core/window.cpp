// SPDX-License-Identifier: MIT
// Windows: team by team the foreign columns, sorted, are its halo.
#include "dwell/execution/core/window.hpp"

#include <algorithm>
#include <cstddef>

namespace dwell {
namespace {

constexpr int most_places = 1 << 16;

/// f(lane, j, column) for all places of a tile; those past its nonzeros name a column of the tile.
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
std::vector<index> halo_of(const tiled_matrix<T>& m, const team_share& t) {
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
tile_windows windows_of(const tiled_matrix<T>& m) {
  tile_windows w;
  std::vector<std::vector<index>> halos;
  for (const team_share& t : m.teams) {
    halos.push_back(halo_of(m, t));
    w.own = std::max(w.own, t.end.row - t.begin.row);
    w.halo = std::max(w.halo, static_cast<int>(halos.back().size()));
  }
  if (w.halo == 0 || w.own + w.halo > most_places ||
      m.teams.size() > static_cast<std::size_t>(most_places))
    return {};

  std::vector<std::vector<halo_send>> sends(m.teams.size());
  w.teams.resize(m.teams.size());
  w.header = m.header;
  w.columns.resize(m.header.size() * tile_size);
  std::vector<index> place(static_cast<std::size_t>(m.teams.back().end.row));
  for (std::size_t me = 0; me < m.teams.size(); ++me) {
    const team_share& t = m.teams[me];
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

template tile_windows windows_of(const tiled_matrix<double>&);
template tile_windows windows_of(const tiled_matrix<float>&);

}  // namespace dwell
