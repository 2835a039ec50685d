// SPDX-License-Identifier: MIT
// The gathered vector of a team whose teams exchange elements: its own, and those of others.
#pragma once
#include <cstdint>

namespace dwell {

/// One element for one other team.
struct alignas(8) ghost_send {
  std::uint16_t element;  ///< index among those that the sender owns
  std::uint16_t team;
  std::uint16_t slot;  ///< place in that team's halo
};

/// A team's ghost vector during a run.
template <class T>
struct ghost_view {
  T* elements = nullptr;  ///< its own, and from `own` on the halo; at the same place in every team
  int own = 0;
  const ghost_send* send = nullptr;
  int sends = 0;
  int halo = 0;  ///< elements that it gets
  /// CPU teams, whose scratch nobody else can reach: ghost_buffer_size elements for each team.
  T* ghost_buffers = nullptr;
  int ghost_buffer_size = 0;
};

}  // namespace dwell
