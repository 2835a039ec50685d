// SPDX-License-Identifier: MIT
// See sweep_shares.hpp.
#include "dwell/execution/policies/sweep_shares.hpp"

namespace dwell::policies {

sweep_shares shares_of(const sweep_plan& p, const sweep_rung& r,
                       const sweep_problem_facts& problem) {
  sweep_shares s;
  const extents& n = problem.size;
  s.along = s.tile = n;
  s.along.z = s.along.y = s.along.x = 0;
  if (p.shares_x == 0) return s;
  s.along.z = p.shares_z;
  s.along.y = p.shares_y;
  s.along.x = p.shares_x;
  s.tile.z = pieces(n.z, p.shares_z);
  s.tile.y = pieces(n.y, p.shares_y);
  s.tile.x = pieces(n.x, p.shares_x);
  if (n.dims == 3 && !r.rest) {  // whole patches, and none of a fixed border's planes
    const cell_box all = cells_of_bricks(n, problem.inner, problem.edge);
    s.tile.z = pieces(all.z1 - all.z0, p.shares_z);
    s.tile.y = pieces((all.y1 - all.y0) / r.down, p.shares_y) * r.down;
    s.tile.x = pieces((all.x1 - all.x0) / r.across, p.shares_x) * r.across;
  }
  if (r.warp_shares) {
    const cell_box all = cells_of_rows(n, problem.inner, problem.edge);
    s.tile.y = pieces(all.y1 - all.y0, p.shares_y);
    s.tile.x = pieces(pieces(all.x1 - all.x0, r.across), p.shares_x) * r.across;
  }
  const bool waves = r.levels > 0;
  s.of_warps = (waves && n.dims == 2) || r.warp_shares;
  s.side = r.warp_shares ? p.shares_y : p.side_shares_y;
  s.rim = p.depth * problem.radius;
  // Bricks that exchange after every step, and warps' rows, read their rim.
  s.rim_computed = n.dims == 3 ? p.depth > 1 : !r.warp_shares;
  s.pass_steps = waves ? p.depth : 1;
  if (p.streamed_rows > 0 && !waves && !r.warp_shares) s.order = to_string(p.order);
  return s;
}

}  // namespace dwell::policies
