// SPDX-License-Identifier: MIT
// The forms of the iteration: their names, and which of them "auto" weighs against each other on a
// GPU. Solving and explaining share it.
#pragma once
#include "dwell/execution/core/policy.hpp"
#include "dwell/execution/core/tiles.hpp"
#include "dwell/execution/model/projection.hpp"

namespace dwell {

/// What cg_options::variant may be.
inline constexpr const char* cg_variant_names[] = {"auto", "textbook", "single-reduction",
                                                   "pipelined"};

struct form_rivals {
  bool textbook = false;
  bool pipelined = false;
};

/// The single reduction moves the textbook's bytes with a barrier less, but its teams are cut
/// between rows: the textbook's may win where that leaves one team with much more than its share.
/// The pipelined form moves more bytes for one barrier less again.
/// Where every phase is a launch (resident: false) it has not been measured, and stays out.
inline form_rivals rivals_of_single_reduction(const program_facts& p, const projection& of_it,
                                              bool resident) {
  const double fair = static_cast<double>(p.nonzeros) / tile_size / p.teams + 1.0;
  return {p.tiles_per_team > 1.2 * fair, resident && bound_by_barriers(of_it)};
}

}  // namespace dwell
