// SPDX-License-Identifier: MIT
// What the variants of CG that `auto` may choose on a GPU know of the variant that is planned
// first. A program says of itself, for all of that where it can: `variant`, its name in
// solve_options; `planned_first`, that it is this variant; `may_beat(first)`, whether it could take
// less time than `first` (without it `auto` never takes the program); `needs_residual_replacement`,
// that its recurrences may stagnate where those of the other variants converge.
#pragma once

namespace dwell {

struct cost_model {
  int tiles_per_team = 0;          ///< tiles of the matrix, the most that a team has
  double fair_tiles = 0;           ///< that it would have if all had equally many
  bool bound_by_barriers = false;  ///< they are a large part of the projected time
  bool cooperative = false;        ///< an iteration has barriers, not launches
};

}  // namespace dwell
