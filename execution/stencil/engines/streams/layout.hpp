// SPDX-License-Identifier: MIT
// What the plans of streams in two and three dimensions share.
#pragma once
#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/engines/streams/sizes.hpp"

namespace dwell {

inline engine_shape stream_shape(const stream_config& c) {
  engine_shape s{perks_lanes, 1, c.across, c.down};
  s.caches = true;
  s.temporal = true;
  return s;
}

/// Streams take fields with a source, and leave no registers for rows; an order is for passes of
/// one step.
inline bool stream_serves(const engine_request& asked) {
  return asked.plan.passes != passing::spatial && !asked.plan.order &&
         (!asked.may.registers || asked.plan.passes == passing::temporal);
}

/// Cells beyond a mirror change with every step.
inline int stream_most_depth(const stream_config& c, const stencil_problem& problem) {
  return problem.edge == boundary::reflect ? 1 : c.depth;
}

/// Own part of the cells of a row that a warp computes; 0: subdomains of this tiling do not fit, or
/// are so thin that one needs cells of others than those next to it.
double part_of_row(const stream_config& c, const tiling_request& asked,
                   const stencil_problem& problem);

/// The most columns of the field that a warp takes.
int most_of_row(const stream_config& c, const stencil_problem& problem, int depth);

}  // namespace dwell
