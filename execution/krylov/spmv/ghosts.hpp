// SPDX-License-Identifier: MIT
// Ghost vectors: the gathered vector of a small system, as its teams hold it. A team's ghost vector
// lies in its own scratch: the elements that it owns, then its halo, the elements of other teams
// that its nonzeros multiply. Columns count within the ghost vector; which elements a team sends to
// which others after a phase that wrote them is found once, with the cut (cut_matrix.hpp).
#pragma once
#include "dwell/execution/team/ghost_view.hpp"

namespace dwell {

/// What one team sends and gets.
struct team_ghosts {
  int first_send = 0, last_send = 0;
  int halo = 0;       ///< elements of others that it gets
  int open_slot = 0;  ///< where in its halo the row after its own stands, if that row is cut
};

}  // namespace dwell
