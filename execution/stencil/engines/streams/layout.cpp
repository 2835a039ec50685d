// SPDX-License-Identifier: MIT
// Widths of rows and of the warps' own parts.
#include "dwell/execution/stencil/engines/streams/layout.hpp"

#include <algorithm>

namespace dwell {

double part_of_row(const stream_config& c, const tiling_request& asked,
                   const stencil_problem& problem) {
  const int halo = asked.depth * problem.radius, nx = problem.size.x;
  // Subdomains begin where a lane's cells do, and lanes take theirs in whole pieces: along x,
  // subdomains have so many pieces at least and at most, and only the last one may end within one.
  const int all = nx / c.across, parts = asked.subdomains_x;
  const int least = all / parts, most = pieces(all, parts), beside = pieces(halo, c.across);
  const int widest = most + (nx % c.across != 0 ? 1 : 0);
  if (widest + 2 * beside > 32) return 0;
  // Beyond the end of a periodic row lanes read on in the pieces that they are in, and no farther
  // than the next subdomain: cells that another one publishes are not waited for.
  const int over = problem.edge == boundary::periodic && nx % c.across != 0 ? 1 : 0;
  if (parts > 1 && least < std::max(beside + over, 2)) return 0;
  return static_cast<double>(nx) / parts / (32 * c.across);
}

int most_of_row(const stream_config& c, const stencil_problem& problem, int depth) {
  return (32 - 2 * pieces(depth * problem.radius, c.across)) * c.across;
}

}  // namespace dwell
