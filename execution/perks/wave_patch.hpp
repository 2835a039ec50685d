// SPDX-License-Identifier: MIT
// How lanes lie in a layer of a wave: those of a warp in a row of two dimensions, those of a team
// in a plane of three, whose warps lie below one another.
#pragma once
#include "dwell/execution/core/sweep.hpp"

namespace dwell {

/// 32 lanes beside each other with across x down cells each. A lane's cells in a row are as many as
/// travel together, or twice that: in three dimensions neighbouring lanes then read and write
/// whole lines, in two they do so in memory of their own.
template <class S, class T>
struct wave_patch {
  static constexpr int wide = 16 / static_cast<int>(sizeof(T));  ///< values that travel together
  static constexpr int across = S::dims == 3 ? wide : 4;
  static constexpr int down = S::dims == 3 ? 16 / across : 1;
  static constexpr int cells = across * down;
  static constexpr int width = 32 * across;  ///< cells of a warp in a row
};

/// Values that travel together.
template <class T>
struct alignas(16) wave_piece {
  T v[16 / sizeof(T)];
};

}  // namespace dwell
