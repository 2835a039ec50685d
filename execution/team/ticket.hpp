// SPDX-License-Identifier: MIT
// The ticket that a team draws for its next tile.
#pragma once

namespace dwell {

/// A ticket for a tile, and whether the flags that the tile needs were up when the team polled.
struct drawn_ticket {
  unsigned number;
  bool ready;
};

}  // namespace dwell
