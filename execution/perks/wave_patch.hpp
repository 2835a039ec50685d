// SPDX-License-Identifier: MIT
// How the lanes of a warp lie in a layer of a wave (a row in two dimensions, a plane in three).
#pragma once
#include "dwell/execution/core/sweep.hpp"

namespace dwell {

/// lanes_x x lanes_y lanes with across x down cells each. A lane's cells in a row are as many as
/// travel together, or twice that: in three dimensions neighbouring lanes then read and write
/// whole lines, in two they do so in memory of their own.
template <class S, class T>
struct wave_patch {
  static constexpr int wide = 16 / static_cast<int>(sizeof(T));  ///< values that travel together
  static constexpr int across = S::dims == 3 ? wide : 4;
  static constexpr int down = S::dims == 3 ? 16 / across : 1;
  static constexpr int cells = across * down;
  static constexpr int lanes_x = S::dims == 3 ? 32 / across : 32, lanes_y = 32 / lanes_x;
  /// Cells of a warp in a layer.
  static constexpr int width = lanes_x * across, height = lanes_y * down;
};

}  // namespace dwell
