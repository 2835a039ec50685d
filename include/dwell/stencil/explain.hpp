// SPDX-License-Identifier: MIT
// What executor perks would do with a stencil on a device, and why: the plan of every caching
// policy, what stays where, the bytes that are left to move, the time projected from them and what
// binds it; and the executors that cache nothing beside it. Runs nothing; the device need not be
// there. Nothing here needs CUDA.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell {

/// Seconds per step, and what each resource alone would take of them; all 0 where there is no model
/// of the device.
struct stencil_seconds {
  double all = 0;            ///< a step
  double arithmetic = 0;     ///< alone
  double shared_memory = 0;  ///< alone
  double l2 = 0;             ///< alone
  double device_memory = 0;  ///< alone
  double exchange = 0;       ///< exchange of tiles' edges, or barriers and launches between steps
};
/// The name of the part that is largest: "arithmetic", "shared memory", "L2", "device memory",
/// "exchange"; "" if nothing is projected.
std::string binding_part(const stencil_seconds& t);

/// One policy under perks, or one executor that caches nothing. Teams are thread blocks (threads on
/// a CPU).
struct stencil_policy_plan {
  std::string executor;  ///< "perks", or one that caches nothing
  std::string policy;    ///< empty where there is nothing to choose
  std::string refusal;   ///< why there is no plan; empty if there is
  std::string reason;    ///< reason of the policy, one line
  std::string idle;      ///< why nothing is cached though the policy asks for it; else empty
  bool roof = false;   ///< projected is a roof, not modelled: no run is faster, many are far slower
  std::string engine;  ///< the engine of the plan; empty without one
  std::string order;   ///< order of the cells in a step of the whole field; else empty
  int teams = 0;       ///< 0: refused
  int lanes = 0;       ///< per team
  int registers = 0;   ///< per lane; 0: not known without the device
  int spill_bytes = 0;  ///< per lane, likewise

  // Fields of perks: a team owns a tile for the whole run, each of its warps some rows of it, or
  // each of its warps owns one; in three dimensions the rows below are planes, which all warps
  // share.
  extents tiles_along;    ///< tiles along each axis
  extents tile;           ///< cells of the largest tile, without its halo,
  bool of_warps = false;  ///< which is one warp's; else a team's
  int side_tiles = 0;     ///< tiles of warps, in the first and the last column of tiles, down each
  int depth = 0;          ///< steps between two exchanges of tiles' edges
  int halo = 0;           ///< cells around a tile that its owner needs too: depth * radius;
  bool halo_computed = false;  ///< it computes them, or some, too; else it reads them of neighbours
  int register_rows = 0;       ///< rows of a warp that stay in registers,
  int scratch_rows = 0;        ///< in shared memory,
  int streamed_rows = 0;       ///< and that pass through in every pass,
  int pass_steps = 1;          ///< which does so many steps
  std::string traversal;       ///< their order: "static", "zig-zag" or "ring"; empty without them
  double cached_rows = 0;      ///< part of those rows that is cached, 0 to 1
  /// Read and written per step beyond the chip's own memories, a source included: bytes_per_step
  /// without those of cells that stay, and with those of a pass shared among its steps. Halos,
  /// which teams next to each other both move, are not counted.
  double streamed_bytes = 0;

  stencil_seconds projected;  ///< per step
};

/// What executor perks would do with a field, and why.
struct stencil_explanation {
  device_facts device;              ///< that the plans are for
  bool probed = false;              ///< the kernels were asked on the device itself
  bool projected = false;           ///< there is a model of this device; there is none of CPUs
  std::string shape;                ///< its name
  std::string precision;            ///< "f64" or "f32"
  int radius = 1;                   ///< radius of the shape
  int flops = 0;                    ///< per cell and step
  boundary edge = boundary::fixed;  ///< boundary that was asked for
  bool source = false;              ///< every step adds one, which some kernels cannot
  extents size;                     ///< size of the field
  std::size_t changing_cells = 0;   ///< per step: all but the ring of `fixed`
  std::size_t bytes_per_step = 0;   ///< with nothing cached anywhere
  std::string executor;             ///< that "auto" takes
  std::string executor_reason;      ///< why
  /// Perks under "auto", then under each policy of this build, then the other executors. There is
  /// never a plan for "measured", which makes its own in a run.
  std::vector<stencil_policy_plan> plans;
  std::size_t chosen = 0;  ///< perks under options.policy

  /// The chosen plan.
  const stencil_policy_plan& plan() const { return plans[chosen]; }
};

/// Explains solve() on a field of `size` in `precision` ("f64" or "f32"), with or without a source.
/// Of the options, shape, policy, edge, teams, depth, traversal and blocking count. Throws as
/// solve() does; unsupported_error also if one of them asks for what only perks has, and it has no
/// plan for that.
DWELL_API stencil_explanation explain(const extents& size, std::string_view precision,
                                      const device_facts& device,
                                      const stencil_options& options = {}, bool source = false);

}  // namespace dwell
