// SPDX-License-Identifier: MIT
// Cuts between planes, and the copies that a rank needs.
#include "dwell/solvers/grid/ranks/slab.hpp"

#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/base/parallel.hpp"

namespace dwell::grids {

slab_division divide_planes(const grid_shape& g, int ranks, std::size_t gather_below) {
  // A rank that has more than two planes has so many times 2^halvings of them.
  constexpr int least_units = 4;
  slab_division d;
  d.planes = g.n[0];
  d.ring = g.wraps[0];
  const bool odd_ring = d.ring && d.planes % 2;
  const int pairs = odd_ring ? d.planes : d.planes / 2;
  if (ranks > 1 && ranks > pairs)
    throw input_error(fmt::format(
        "grid: ranks: expected at most {} for {} unknowns along the slowest axis, which is divided "
        "and of which a rank has two or more, found {}",
        std::max(1, pairs), d.planes, ranks));
  if (ranks > 1 && !odd_ring) {
    d.halvings = 1;
    int axes = 0;
    for (const int n : g.n) axes += n > 1;
    // Levels need so many if their axes are halved all together.
    std::size_t cells = g.cells() >> axes;
    while (!gathers(cells, g.cells(), ranks, gather_below) &&
           (d.planes >> (d.halvings + 1)) >= least_units * ranks &&
           (!d.ring || d.planes % (2 << d.halvings) == 0)) {
      ++d.halvings;
      cells >>= axes;
    }
  }
  const int units = d.planes >> d.halvings;
  for (int r = 0; r < ranks; ++r) d.first.push_back(piece(units, r, ranks).first << d.halvings);
  d.first.push_back(d.planes);
  return d;
}

slab slab_of(const slab_division& all, int rank) {
  slab s{.rank = rank,
         .lower = all.neighbour(rank, -1),
         .upper = all.neighbour(rank, 1),
         .start = 0,
         .planes = all.planes,
         .own = all.own(rank)};
  if (all.ranks() == 1) return s;
  // A level needs of the one above twice as many planes and two more before its own, three after
  // them, and the finest one a plane of k beyond each.
  const plane_range own = all.own(rank);
  const int before = 2 << all.halvings, after = 3 << all.halvings;
  s.start = own.begin - before;
  int end = own.end + after;
  if (!all.ring) {
    s.start = std::max(s.start, 0);
    end = std::min(end, all.planes);
  }
  s.planes = end - s.start;
  s.own = {own.begin - s.start, own.end - s.start};
  s.cut_low = all.ring || s.start > 0;
  s.cut_high = all.ring || end < all.planes;
  return s;
}

}  // namespace dwell::grids
