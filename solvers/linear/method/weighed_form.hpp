// SPDX-License-Identifier: MIT
// What the forms of CG that `auto` may choose on a GPU know of the form that is planned first. A
// program says of itself, for all of that where it can: `variant`, its name in solve_options;
// `weighed_first`, that it is this form; `may_beat(first)`, whether it could take less time than
// `first` (without it `auto` never takes the program); `drifts`, that its recurrences may stagnate
// where those of the other forms converge.
#pragma once

namespace dwell {

struct weighed_form {
  int tiles_per_team = 0;          ///< tiles of the matrix, the most that a team has
  double fair_tiles = 0;           ///< that it would have if all had equally many
  bool bound_by_barriers = false;  ///< they are a large part of the projected time
  bool cooperative = false;        ///< an iteration has barriers, not launches
};

}  // namespace dwell
