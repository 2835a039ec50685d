// SPDX-License-Identifier: MIT
// How long a step of the whole field should take where nothing is cached: by launches, by teams
// that stay, or by tiles that wait for the tiles around them only.
#pragma once
#include <algorithm>
#include <cmath>

#include "dwell/execution/stencil/plan/stencil_rates.hpp"
#include "dwell/execution/stencil/step/engine.hpp"

namespace dwell {

/// The cost of a step of the whole field, fitted to runs of 15 shapes on fields of 60 arbitrary
/// sizes, and to the runs in docs/results/stencil-h200.md: within a tenth, mostly.
struct field_rates {
  double flat, solid;  ///< cycles of a cell in register tiles, in two and three dimensions
  double flat_column, solid_column;        ///< and in columns
  double star_tap, flat_box_tap, box_tap;  ///< and of each of its multiply-adds
  double of_tile;  ///< the part of a tile's cost that does not depend on its width
  double last;     ///< cost of a tile: the wait of teams for it at the end of a step
  double start;    ///< cycles of a step besides: launch, barrier, or flags
};
inline constexpr field_rates by_launches{.36, .65, .78, .92, .0314, .0192, .0258, .35, .19, 3940};
inline constexpr field_rates by_staying_teams{.38,   .63,   1.16, 1.2, .0339,
                                              .0187, .0319, .35,  .2,  3500};
inline constexpr field_rates by_dataflow_tiles{.41,  .68,   .62, .94, .0218,
                                               .016, .0222, .55, 0,   3260};

/// A multiprocessor has teams enough to hide their waits, and a cell takes it so many cycles; cells
/// that a tile lacks where a row ends early take part of them all the same. At the end of a step
/// teams wait for the last tile; under dataflow a step takes the time of 1.3 tiles a team at least.
/// Where it takes as long as memory does, a step takes a quarter longer than either. Borders whose
/// neighbours are computed add a third; in the plane more than 64 taps, whose columns have few
/// lanes, too, without dataflow. Tiles of dataflow that read far, or divide, wait longer for each
/// other in small fields; those that divide in single precision take half as long again. `roof`: no
/// run is faster.
inline stencil_projection time_of_field(const stencil_problem& problem, const device_facts& device,
                                        const stencil_plan& p, const step_config& c,
                                        const field_rates& rates, stencil_projection roof) {
  const stencil_rates on(problem, device);
  const cell_box& inner = problem.inner;
  const bool solid = c.deep > 1, register_tiles = c.across > 1;
  const double loads = register_tiles ? (solid ? rates.solid : rates.flat)
                                      : (solid ? rates.solid_column : rates.flat_column);
  const double tap = on.star || !on.linear ? rates.star_tap
                     : solid               ? rates.box_tap
                                           : rates.flat_box_tap;
  const double cell =
      (loads + tap * on.taps + (on.source > 0 ? 0.45 : 0)) * (on.bytes < 8 ? 0.6 : 1.0);
  const double width = inner.x1 - (register_tiles ? 0 : inner.x0), rows = inner.y1 - inner.y0,
               planes = inner.z1 - inner.z0;
  const double tile = static_cast<double>(p.tile_x) * p.tile_y * p.tile_z;
  const double across = rates.of_tile * p.tiles_x * p.tile_x + (1 - rates.of_tile) * width;
  // The last tile along an axis may be longer (policies/none.cpp).
  const auto longest = [](double cells, int tiles, int of) {
    return std::max<double>(of, cells - (tiles - 1.0) * of);
  };
  const double largest = static_cast<double>(p.tile_x) * longest(rows, p.tiles_y, p.tile_y) *
                         longest(planes, p.tiles_z, p.tile_z);
  const double teams = c.teams_per_unit * on.units;  // that fit
  double busy = across * rows * planes;
  if (c.dataflow)
    busy = std::max({busy * (solid && !on.star && p.tiles() > 4 * p.teams ? 1.05 : 1.0),
                     1.3 * tile * p.teams, largest * p.teams});
  else
    busy += rates.last * tile * teams;
  const bool fixed = problem.edge == boundary::fixed, wide = on.taps > 64 && !solid && !c.dataflow;
  const bool divides = c.dataflow && !on.linear;
  const bool waits = c.dataflow && !solid && width * rows < 6e5 && (divides || problem.radius > 4);
  const double slower =
      (fixed ? 1.0 : 1.33) * (wide ? 1.35 : 1.0) * (divides && on.bytes < 8 ? 1.5 : 1.0);
  const double start = rates.start + (waits ? 3000 : 0);
  const double alone = (busy / on.units * cell * slower + start) * on.cycle;
  roof.seconds = std::max(roof.seconds, std::cbrt(std::pow(alone, 3) + std::pow(roof.memory, 3)));
  return roof;
}

}  // namespace dwell
