// SPDX-License-Identifier: MIT
// The gathered vector as the teams of a small system see it. A team's window lies in its own
// scratch: the elements that it owns, then its halo, those of other teams that its nonzeros
// multiply. Columns count within the window; and who sends which elements to whom after a phase
// that wrote them is found once, from the cut.
#pragma once
#include <cstdint>
#include <vector>

#include "dwell/execution/core/tiles.hpp"

namespace dwell {

/// One element for one other team.
struct alignas(8) halo_send {
  std::uint16_t element;  ///< of those that the sender owns
  std::uint16_t team;
  std::uint16_t slot;  ///< of that team's halo
};

/// What one team sends and gets.
struct team_window {
  int first_send = 0, last_send = 0;
  int halo = 0;       ///< elements of others that it gets
  int open_slot = 0;  ///< where in its halo the row after its own stands, if that row is cut
};

/// A team's window during a run.
template <class T>
struct window_view {
  T* elements = nullptr;  ///< its own, and from `own` on the halo; at the same place in every team
  int own = 0;
  const halo_send* send = nullptr;
  int sends = 0;
  int halo = 0;  ///< elements that it gets
  /// CPU teams, whose scratch nobody else can reach: box_size elements for each team.
  T* boxes = nullptr;
  int box_size = 0;
};

struct tile_windows {
  int own = 0;    ///< where halos begin: the most rows of a team
  int halo = 0;   ///< the most elements that a team gets, 0: nobody needs any
  int sends = 0;  ///< likewise sends
  std::vector<team_window> teams;
  std::vector<halo_send> send;
  /// As in tiled_matrix, but columns are places in the window.
  std::vector<tile_header> header;
  std::vector<std::uint16_t> columns;
};

/// The windows of a cut by tiles; without any (halo 0) if places do not fit 16 bits.
template <class T>
tile_windows windows_of(const tiled_matrix<T>& cut);

}  // namespace dwell
