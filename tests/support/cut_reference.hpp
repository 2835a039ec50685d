// SPDX-License-Identifier: MIT
// The judge of cuts: the same arrays as those of cut_matrix.hpp, made by plain serial loops on the
// host. And such arrays of the library's own, copied from where they are.
#pragma once
#include <cstdint>
#include <vector>

#include "dwell/execution/krylov/spmv/cut_matrix.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell::test {

/// The arrays of a cut_matrix in host memory; those that it does not have are empty.
template <class T>
struct tiled_matrix {
  std::vector<team_part> teams;
  std::vector<tile_header> header;
  std::vector<std::uint16_t> path;
  std::vector<T> val;
  std::vector<std::uint16_t> narrow;
  std::vector<index> wide;
};

/// Those of its ghosts.
struct ghost_layout {
  int own = 0, halo = 0, sends = 0;
  std::vector<team_ghosts> teams;
  std::vector<ghost_send> send;
  std::vector<tile_header> header;
  std::vector<std::uint16_t> columns;
};

/// Throws std::invalid_argument if by_tiles and a row has no entry.
template <class T>
tiled_matrix<T> plain_cut(const csr_view<T>& a, int teams, bool by_tiles, bool whole_rows = false,
                          int exponent = 0);
/// Ghosts of a cut by tiles; without any (halo 0) if places do not fit 16 bits.
template <class T>
ghost_layout plain_ghosts(const tiled_matrix<T>& m);

/// n elements from memory of the device.
template <class V>
std::vector<V> copied(const device& where, const V* from, std::size_t n) {
  std::vector<V> to(from ? n : 0);
  if (!to.empty()) memory_of(where.on()).download(where, to.data(), from, n * sizeof(V));
  return to;
}

/// A cut of the library, filled, as it is in memory of the device.
template <class T>
tiled_matrix<T> copied(const device& where, const cut_matrix<T>& m, index nonzeros) {
  const auto n = static_cast<std::size_t>(m.outline.tiles);
  return {
      copied(where, m.teams, m.outline.teams.size()),
      copied(where, m.header, n),
      copied(where, m.path, n * tile_lanes),
      copied(where, m.val, m.outline.by_tiles ? n * tile_size : static_cast<std::size_t>(nonzeros)),
      copied(where, m.narrow, n * tile_size),
      copied(where, m.wide, n * tile_size)};
}
template <class T>
ghost_layout copied_ghosts(const device& where, const cut_matrix<T>& m) {
  const cut_outline& out = m.outline;
  const auto n = static_cast<std::size_t>(out.tiles);
  return {out.own,
          out.halo,
          out.sends,
          copied(where, m.ghosts, out.teams.size()),
          copied(where, m.send, static_cast<std::size_t>(out.all_sends)),
          copied(where, m.ghost_header, n),
          copied(where, m.ghost_columns, n * tile_size)};
}

}  // namespace dwell::test
