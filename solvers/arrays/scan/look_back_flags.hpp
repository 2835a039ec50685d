// SPDX-License-Identifier: MIT
// How the tiles of a scan know of one another, on both backends.
#pragma once

namespace dwell {

/// Tiles of a group, whose aggregates a warp scans (scan_tile()).
inline constexpr int scan_group = 32;

/// A value and whether it is there. Each flag is written once.
template <class T>
struct alignas(2 * sizeof(T)) look_back_flag {
  T value;
  unsigned there;
};

/// By which tiles of a scan know of one another: zeroed before.
template <class T>
struct look_back_flags {
  unsigned* next;            ///< tile that nobody has taken
  look_back_flag<T>* tile;   ///< each tile's aggregate
  look_back_flag<T>* group;  ///< each group's aggregate
  look_back_flag<T>* up_to;  ///< and that of all groups up to it
};

}  // namespace dwell
