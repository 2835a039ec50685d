// SPDX-License-Identifier: MIT
// How long a step should take, of a tile that stays on the chip or of the whole field: coarse,
// enough to tell plans apart. Fitted to runs on an H200 (docs/results/stencil-h200.md); other
// devices by their limits.
#pragma once
#include <algorithm>
#include <cmath>

#include "dwell/execution/core/sweep_policy.hpp"
#include "dwell/execution/model/limits.hpp"

namespace dwell::policies {

/// Fused multiply-adds of a cell: the first tap's is a product.
inline double fmas_of(const sweep_problem_facts& problem) { return 0.5 * (problem.flops + 1); }
/// Cycles that they take a multiprocessor at its full rate.
inline double cycles_per_cell(const sweep_problem_facts& problem, const device_facts& device) {
  const device_limits l = limits_of(device);
  return fmas_of(problem) / (problem.scalar_bytes == 8 ? l.fma_f64 : l.fma_f32);
}
/// Seconds.
inline double cycle_of(const device_facts& device) {
  return 128.0 * device.units / limits_of(device).shared;
}

/// The part of L2 that what streams in a step may fill, to be there still in the next.
inline constexpr double l2_holds = 0.8;
/// Of a warp of a wave, how much longer a turn takes where columns of a fixed border keep values.
inline constexpr double beside_border = 1.11;
/// And how much shorter a pass of its share may be than others': less than that was no faster.
inline constexpr double most_beside_border = 1.2;

/// What a step of the whole field costs, fitted to runs of 15 shapes on fields of 60 sizes that
/// nobody has chosen, and of those in docs/results/stencil-h200.md: within a tenth, mostly.
struct field_rates {
  double flat, solid;                ///< cycles of a cell in patches, in two and three dimensions
  double flat_column, solid_column;  ///< and in columns
  double star_tap, flat_box_tap, box_tap;  ///< and of each of its multiply-adds
  double of_tile;  ///< the part of a tile's cost that does not depend on its width
  double last;     ///< of a tile, what teams wait for at the end of a step
  double start;    ///< cycles of a step besides: launch, barrier, or flags
};
inline constexpr field_rates by_launches{.36, .65, .78, .92, .0314, .0192, .0258, .35, .19, 3940};
inline constexpr field_rates by_staying_teams{.38,   .63,   1.16, 1.2, .0339,
                                              .0187, .0319, .35,  .2,  3500};
inline constexpr field_rates by_flowing_tiles{.41, .68, .62, .94, .0218, .016, .0222, .55, 0, 3260};

/// Projected time of a step. What tiles reach of the device's rates is what they do on an H200,
/// measured, per cycle of a multiprocessor: the full rate of fused multiply-adds, of which 0.75 are
/// reached by tiles that are in registers whole and 0.42 by gradient2d, whose cells are long chains
/// that two warps on a scheduler wait for; 128 bytes of shared memory, 30 bytes of L2 (waves of
/// planes 41), and of device memory 14.5, which all teams share. L2 and memory of other devices
/// give them the same part of what those can do (limits.hpp). A source is kept nowhere: its cells
/// are read in every step.
class sweep_clock {
 public:
  sweep_clock(const sweep_problem_facts& problem, const device_facts& device)
      : bytes_(static_cast<double>(problem.scalar_bytes)),
        source_(problem.source ? bytes_ : 0),
        l2_(static_cast<double>(device.l2)),
        units_(device.units),
        radius_(problem.radius),
        cycle_(cycle_of(device)),
        l2_rate_(1.02 * limits_of(device).l2 * cycle_ / units_),
        planes_rate_(1.39 * limits_of(device).l2 * cycle_ / units_),
        memory_rate_(0.88 * limits_of(device).memory * cycle_ / units_),
        star_(problem.star),
        linear_(problem.linear),
        fixed_(problem.edge == boundary::fixed),
        inner_(problem.inner),
        taps_(fmas_of(problem)),
        per_cell_(cycles_per_cell(problem, device)) {}

  /// used: of a tile's width, the part that holds something.
  sweep_projection step(const sweep_plan& p, const sweep_rung& r, double rim_cells,
                        double used) const {
    const double row = static_cast<double>(r.lanes) * r.across;
    const double rows = r.register_rows + p.scratch_rows + p.streamed_rows;
    const double streamed = 2 * bytes_ * row * used * p.streamed_rows;
    const double source = source_ * row * used * rows;
    const bool beyond_l2 = (streamed / 2 + source) * p.teams > l2_holds * l2_;
    sweep_projection t;
    t.arithmetic = row * rows * per_cell_ / (linear_ ? (r.rest ? 0.65 : 0.75) : divided);
    t.shared = row * p.scratch_rows * 2 * bytes_ / shared_rate;
    t.l2 = (streamed + source) / l2_rate_;
    t.memory = beyond_l2 ? (streamed + source) / memory_rate_ * p.teams / units_ : 0;
    // Signals and round trips to L2, and for each row that is not in registers its part of the rim,
    // which lanes then store in pieces.
    const double rest = 450.0 * (p.scratch_rows + p.streamed_rows);
    t.exchange = (5000 + rest + rim_cells * (r.rest ? 3 : 2) * bytes_ / l2_rate_) / p.depth;
    // Of a step: the rows that warps show each other, and the way through those of the rest, whose
    // first window is filled by hand.
    const double start = r.rest ? 1500 + 400 * radius_ * radius_ : 300;
    t.seconds = start + t.arithmetic + t.shared + std::max(t.l2, t.memory) + t.exchange;
    return in_seconds(t);
  }
  /// A pass of a wave: every warp makes a turn for each of its own rows and of those of the rim, in
  /// the first of which the higher levels rest. Beside its arithmetic a turn takes about 470 cycles
  /// (130 of one level), and at a fixed border longer, for fewer rows. One level alone hides only
  /// two thirds of what it waits for L2, and half of what for memory.
  sweep_projection step_of_wave(const sweep_plan& p, const sweep_rung& r,
                                const sweep_problem_facts& problem, double used) const {
    const double row = static_cast<double>(r.lanes) * r.across;
    // Shares differ by a row, and warps wait for those around them, so that the mean counts.
    const double ny = problem.size.y, rows = ny / p.shares_y, rim = p.depth * problem.radius;
    const double turns = rows + r.levels * problem.radius, depth = p.depth;
    const double streamed = 2 * bytes_ * row * used * std::max(0.0, rows - p.scratch_rows);
    const double rims = 3 * bytes_ * row * 2 * rim;
    const double source = source_ * row * turns * depth;
    const bool beyond_l2 = (streamed / 2 + source / depth) * p.teams > l2_holds * l2_;
    sweep_projection t;
    t.arithmetic = row * turns * r.levels * per_cell_ / depth;
    t.shared = row * (rows + 2 * rim) * 3 * bytes_ / shared_rate / depth;
    t.l2 = (streamed + rims + source) / l2_rate_ / depth;
    t.memory = beyond_l2 ? (streamed + source) / memory_rate_ * p.teams / units_ / depth : 0;
    t.exchange = 10000 / depth;
    const double side = ny / p.side_shares_y + 2 * rim;
    const double slowest = fixed_ ? std::max(1.0, beside_border * side / (rows + 2 * rim)) : 1.0;
    // Rows that are not whole pieces have a text with branches, of more loads.
    const double slower = problem.size.x % r.across == 0 ? 1.0 : star_ ? 2.1 : 1.5;
    const double work =
        (t.arithmetic + (r.levels > 1 ? 470 : 130) * turns / depth) * slowest * slower;
    double waits = 0;
    if (r.levels == 1)
      waits = std::max(0.35 * std::min(work, t.l2), 0.55 * std::min(work, t.memory));
    t.seconds = std::max({work, t.l2, t.memory}) + waits + t.exchange;
    return in_seconds(t);
  }
  /// The same in three dimensions: a team makes a turn for each of its planes and of the rim's, and
  /// one for each level but the first. Two warps on a scheduler hide little from each other: a turn
  /// takes 1500 cycles beside three fifths of its arithmetic's, and what streams is not hidden
  /// either, at 41 bytes per cycle of an H200's multiprocessor. Turns of the rim have texts that
  /// are in no cache yet, and take one and a half times their arithmetic's. Where cells of a fixed
  /// border keep their values the slowest warp counts; rows that are not whole pieces have a text
  /// with branches.
  sweep_projection step_of_planes(const sweep_plan& p, const sweep_rung& r,
                                  const sweep_problem_facts& problem, double used) const {
    const double patch = static_cast<double>(r.lanes) * r.across * r.down, depth = p.depth;
    const double planes = p.scratch_rows + p.streamed_rows, radius = problem.radius;
    const double others = (depth + 1) * radius + (r.levels - 1) * (radius + 1);
    const double streamed = 2 * bytes_ * patch * used * p.streamed_rows;
    const double source = source_ * patch * (planes + others) * depth;
    const bool beyond_l2 = (streamed / 2 + source / depth) * p.teams > l2_holds * l2_;
    const double border = problem.edge != boundary::fixed ? 1.0 : 1.15;
    const double slower = problem.size.x % r.across != 0 ? 2.2 : border;
    sweep_projection t;
    t.arithmetic = patch * r.levels * per_cell_ * (0.6 * planes + 1.5 * others) / depth;
    t.l2 = (streamed + source) / planes_rate_ / depth;
    t.memory = beyond_l2 ? (streamed + source) / memory_rate_ * p.teams / units_ / depth : 0;
    t.exchange = 7600 / depth;
    const double work = (t.arithmetic + 1500 * planes / depth + t.l2) * slower;
    t.seconds = std::max(work, t.memory) + t.exchange;
    return in_seconds(t);
  }
  /// In three dimensions every plane is shown to all lanes, and 2.5 times read by them; they meet
  /// once per plane, and that takes the time: of 2048 cells 1350 cycles, 1550 for boxes.
  sweep_projection step_of_brick(const sweep_plan& p, const sweep_rung& r, double faces) const {
    const double layer = static_cast<double>(r.lanes) * r.across * r.down;
    const double planes = r.register_rows + p.scratch_rows + p.streamed_rows;
    const double streamed = 2 * bytes_ * layer * p.streamed_rows;
    const double source = source_ * layer * planes;
    const bool beyond_l2 = (streamed / 2 + source) * p.teams > l2_holds * l2_;
    sweep_projection t;
    t.arithmetic = layer * planes * per_cell_ / (linear_ ? 0.6 : divided);
    t.shared = layer * (planes * 2.5 + p.scratch_rows * 2) * bytes_ / shared_rate;
    t.l2 = (streamed + source) / l2_rate_;
    t.memory = beyond_l2 ? (streamed + source) / memory_rate_ * p.teams / units_ : 0;
    t.exchange = (star_ ? 3000 : 5000) + faces * 3 * bytes_ / l2_rate_;
    const double meetings = (star_ ? 1350 : 1550) * layer / 2048 * planes;
    t.seconds = std::max({t.arithmetic, t.shared, meetings}) + (streamed + source) / memory_rate_ +
                t.exchange;
    return in_seconds(t);
  }
  /// The same of a brick that is on the chip whole, of so many cells across and down. Its lanes
  /// also go through R planes above it and below it, and all of them do so, whatever the brick
  /// leaves them of a plane.
  sweep_projection step_of_resident_brick(const sweep_plan& p, const sweep_rung& r, int width,
                                          int height) const {
    const double layer = static_cast<double>(r.lanes) * r.across * r.down, cells = width * height;
    const double planes = r.register_rows + p.scratch_rows, turns = planes + 2 * radius_;
    sweep_projection t;
    t.arithmetic = layer * turns * per_cell_;
    t.shared = layer * planes * 4 * bytes_ / shared_rate;
    t.exchange = 3000 + 270 * turns * cells / layer;
    t.seconds = 0.8 * t.arithmetic + (180 + 130 * radius_) * turns + t.exchange;
    return in_seconds(t);
  }

  /// The same of warps' rows that are on the chip whole. A warp makes a turn for each of its rows
  /// and for R more. Those of a scheduler share its arithmetic, beside which a turn takes 110
  /// cycles; one alone waits for its own results.
  sweep_projection step_of_resident_rows(const sweep_plan& p, const sweep_rung& r) const {
    const double row = static_cast<double>(r.lanes) * r.across;
    const double rows = r.register_rows + p.scratch_rows + p.streamed_rows, turns = rows + radius_;
    const double busy = 32.0 * p.shares_x * p.shares_y / p.teams / r.lanes;
    sweep_projection t;
    t.arithmetic = row * turns * per_cell_;
    t.shared = row * (2 * p.scratch_rows + (star_ ? radius_ : 1) * rows) * bytes_ / shared_rate;
    t.l2 = row * 4 * radius_ * bytes_ / l2_rate_;
    t.exchange = 2500;
    const double together = 110 * turns + (star_ ? 1.15 : 0.93) * busy * t.arithmetic;
    t.seconds = std::max(together, 130 * turns + 0.75 * t.arithmetic) + t.exchange;
    return in_seconds(t);
  }

  /// A step of the whole field, of which nothing is kept, by launches, by teams that stay, or by
  /// tiles that wait for those around them only (field_rates). A multiprocessor has teams enough to
  /// hide their waits, and a cell takes it so many cycles; a tile of which a row ends early part of
  /// them all the same. At the end of a step teams wait for the last tile; those that nobody waits
  /// for have 1.3 tiles each, at least. Where it takes as long as memory does, a step takes a
  /// quarter longer than either. Borders that look up their neighbours add a third. `roof`: what no
  /// run passes.
  sweep_projection step_of_field(const sweep_plan& p, const sweep_rung& r, const field_rates& rates,
                                 sweep_projection roof) const {
    const bool solid = r.deep > 1, patches = r.across > 1;
    const double loads = patches ? (solid ? rates.solid : rates.flat)
                                 : (solid ? rates.solid_column : rates.flat_column);
    const double tap = star_ || !linear_ ? rates.star_tap
                       : solid           ? rates.box_tap
                                         : rates.flat_box_tap;
    const double cell = (loads + tap * taps_ + (source_ > 0 ? 0.45 : 0)) * (bytes_ < 8 ? 0.6 : 1.0);
    const double width = inner_.x1 - (patches ? 0 : inner_.x0), rows = inner_.y1 - inner_.y0,
                 planes = inner_.z1 - inner_.z0;
    const double tile = static_cast<double>(p.tile_x) * p.tile_y * p.tile_z;
    const double across = rates.of_tile * p.tiles_x * p.tile_x + (1 - rates.of_tile) * width;
    // The last tile along an axis may be longer (sweep_none.cpp).
    const auto longest = [](double cells, int tiles, int of) {
      return std::max<double>(of, cells - (tiles - 1.0) * of);
    };
    const double largest = static_cast<double>(p.tile_x) * longest(rows, p.tiles_y, p.tile_y) *
                           longest(planes, p.tiles_z, p.tile_z);
    const double teams = r.teams_per_unit * units_;  // that fit
    double busy = across * rows * planes;
    if (r.flows)
      busy = std::max({busy * (solid && !star_ && p.tiles() > 4 * p.teams ? 1.05 : 1.0),
                       1.3 * tile * p.teams, largest * p.teams});
    else
      busy += rates.last * tile * teams;
    const double alone = (busy / units_ * cell * (fixed_ ? 1.0 : 1.33) + rates.start) * cycle_;
    roof.seconds = std::max(roof.seconds, std::cbrt(std::pow(alone, 3) + std::pow(roof.memory, 3)));
    return roof;
  }

 private:
  static constexpr double shared_rate = 128;  ///< bytes a cycle of a multiprocessor
  static constexpr double divided = 0.42;

  sweep_projection in_seconds(sweep_projection t) const {
    for (double* v : {&t.seconds, &t.arithmetic, &t.shared, &t.l2, &t.memory, &t.exchange})
      *v *= cycle_;
    return t;
  }

  double bytes_;
  double source_;  ///< bytes of it that a cell reads
  double l2_, units_, radius_, cycle_;
  double l2_rate_, planes_rate_, memory_rate_;  ///< bytes a cycle of a multiprocessor
  bool star_, linear_;
  bool fixed_;  ///< no border looks up its neighbours
  cell_box inner_;
  double taps_, per_cell_;
};

}  // namespace dwell::policies
