// SPDX-License-Identifier: MIT
// What the kernels of a step of the whole field are compiled for.
#pragma once

namespace dwell {

/// The cells of a lane, in tiles of a field.
struct step_config {
  int lanes, teams_per_unit;
  int across = 0;         ///< along x
  int down = 1;           ///< along y
  int deep = 1;           ///< along z
  int together = 1;       ///< tiles along z, or in two dimensions along y, in one register tile
  bool dataflow = false;  ///< a tile of a step waits for the tiles around it, not for all
};

}  // namespace dwell
