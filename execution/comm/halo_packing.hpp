// SPDX-License-Identifier: MIT
// What a rank's teams leave for other ranks, in one launch (device_halo.hpp).
#pragma once
#include <cstddef>

#include "dwell/base/index.hpp"

namespace dwell {

/// outgoing[k] = vector[elements[k]], of 4, 8, 16, 32 or 64 bytes each.
struct halo_packing {
  const void* vector = nullptr;
  const index* elements = nullptr;
  index count = 0;
  std::size_t element_bytes = 8;
  void* outgoing = nullptr;
};
/// mine[s] = the sum of the teams' partials in slot s, partials[s * teams + t], in the order in
/// which a team adds them up; nothing where slots is 0.
struct team_sums {
  const double* partials = nullptr;
  int slots = 0, teams = 0;
  double* mine = nullptr;
};
inline constexpr std::size_t most_packings = 2;

namespace cuda {

inline constexpr int packing_lanes = 256;

/// Those of a launch.
struct packings {
  halo_packing of[most_packings];
  int count;
};

}  // namespace cuda
}  // namespace dwell
