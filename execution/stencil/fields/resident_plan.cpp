// SPDX-License-Identifier: MIT
// The model of a step, and the search for its tiles, lanes and steps between exchanges.
#include "dwell/execution/stencil/fields/resident_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "dwell/device/limits.hpp"
#include "dwell/execution/stencil/fields/device_kernels.hpp"
#include "dwell/execution/stencil/fields/device_text.hpp"

namespace dwell {
namespace {

/// Registers of 32 bits that a lane needs: cells; old values that new ones still need, which are
/// those of all cells where a cell has many operations, since the compiler then takes cells side by
/// side; operands and places. Fitted to what kernels for compute capability 9.0 had in memory.
int registers_of(const resident_numbers& n, const field_work& work) {
  const int words = n.value_bytes / 4;
  const int kept = words * (n.shape.fields + n.config.held) * n.cells();
  if (work.counted > 12 * n.shape.fields) return kept + words * n.shape.fields * n.cells() + 24;
  int spread = 0;
  for (int f = 0; f < n.shape.fields; ++f) spread += n.shape.is_spread(f);
  const int beside = n.config.across * n.shape.reach_along(0) +
                     n.config.across * n.config.rows * n.shape.reach_along(2);
  return kept + words * spread * std::min(3 * beside, n.cells()) + 32;
}
/// A step's time in parts of what it were, if a lane had so many times the registers that there
/// are: the others' values are in memory.
double slowdown(double registers) { return registers <= 1 ? 1 : 1 + 1.15 * (registers - 1); }
constexpr double most_registers = 1.6;

/// Values of scratch that a lane reads and writes in a step.
int scratch_values(const resident_numbers& n) {
  int values = 0;
  for (int s = 0; s < n.shape.stages; ++s)
    for (int a = 0; a < n.shape.arrays(); ++a) {
      const resident_reach& r = n.shape.reaches[s][a];
      const bool field = a < n.shape.fields;
      if (field && !n.shape.is_spread(a)) continue;
      if (!field && !n.in_scratch(a)) continue;
      const resident_reach all = n.shape.reach(a);
      int within = 1;  // cells that no other lane reads
      for (int axis = 0; axis < 3; ++axis) {
        const int box = n.config.cells_along(axis);
        values += (r.low[axis] + r.high[axis]) * (n.cells() / box);
        within *= std::max(0, box - all.low[axis] - all.high[axis]);
      }
      if (!field) values += n.cells();
      if (field && n.shape.writes[s][a]) values += n.cells() - within;
    }
  return values;
}

/// What is the same for all plans of a definition on a device.
struct resident_search {
  resident_shape shape;
  field_work work;
  int value_bytes;
  double operations;  ///< rate of operations, a cycle, in the type of the values
  double clock;
  bool has_ghosts;  ///< cells beyond borders are found anew in each stage
  int units;        ///< multiprocessors
  std::size_t registers_per_unit, shared_per_team;
  double memory, launch;  ///< bytes a second of the device's memory; seconds

  /// Time for the trip of a value through the last-level cache, flag included.
  static constexpr double round_trip = 1.5e-6;
  static constexpr double lane_instructions = 128;  ///< rate of a multiprocessor, a cycle
  static constexpr double meeting = 40;             ///< cycles until all lanes are there

  /// No plan whose regions have so many cells takes less. turns: regions of a multiprocessor.
  double least_seconds(double cells, int tiles, int depth, double turns) const {
    const double issue = (work.operations + 2.0 * shape.fields) / lane_instructions;
    const double cycles = cells * std::max(work.operations / operations, issue) +
                          2 * meeting * static_cast<double>(shape.stages);
    return turns * (cycles / clock + (tiles > 1 ? round_trip / depth : 0));
  }
  /// Cycles of a step of a region, without exchange: by measurements on an H200
  /// (docs/results/fields.md).
  double cycles(const resident_numbers& n) const {
    const double lanes = n.lanes(), cells = lanes * n.cells();
    const double arithmetic = cells * work.operations / operations;
    const double values = scratch_values(n);
    const double scratch = lanes * values * value_bytes / 128;
    const double issue =
        (cells * (work.operations + 2.0 * shape.fields) + lanes * values) / lane_instructions;
    const double most = std::max({arithmetic, scratch, issue});
    // Few warps wait for their own results; lanes meet twice in a stage, and once more where cells
    // beyond borders are found.
    const double waits = 1 + 3 / (lanes / 32);
    constexpr double finding = 200;
    return waits * (most + 0.25 * (arithmetic + scratch + issue - most)) +
           shape.stages * (2 * meeting + (has_ghosts ? finding : 0));
  }
  double step_seconds(const resident_plan& p) const {
    const resident_numbers n{shape, p.config, value_bytes};
    const double step = cycles(n) / clock;
    if (p.apart) {
      // Teams bring all arrays of a region and take the fields of their own cells back. The last
      // ones of a pass wait for nobody, but the next pass waits for them.
      const double turns = (p.count() + units - 1) / units;
      const double moved = static_cast<double>(n.extent(1)) * value_bytes *
                           (shape.arrays() + shape.fields) * units / memory;
      return turns * (step + (round_trip + moved) / p.depth) + launch / p.depth;
    }
    if (p.count() == 1) return step;
    // Halos go through the last-level cache, by lanes that have any, whole sectors.
    constexpr double bytes_per_cycle = 43;
    double all = 1, inside = 1;
    for (int axis = 0; axis < 3; ++axis) {
      const int halos = 2 * p.depth * shape.step_along(axis);
      all *= n.extent(axis);
      inside *= halos == 0 ? n.extent(axis)
                           : std::max(0, n.extent(axis) - halos - 2 * p.config.cells_along(axis));
    }
    const double sectors = std::min(p.config.across, 32 / value_bytes) / n.unit();
    const double moved =
        (all - inside) * shape.fields * value_bytes * (1 + sectors) / bytes_per_cycle;
    return step + (round_trip + moved / clock) / p.depth;
  }

  /// Looks at configs of all lanes and boxes for so many cells in these tiles.
  void consider(const std::array<int, 3>& n, const std::array<int, 3>& tiles, int depth, bool apart,
                std::optional<resident_plan>& best) const;
};

int parts(int n, int of) { return (n + of - 1) / of; }

void resident_search::consider(const std::array<int, 3>& n, const std::array<int, 3>& tiles,
                               int depth, bool apart, std::optional<resident_plan>& best) const {
  constexpr std::array lane_counts{128, 256, 384, 512, 640, 768, 1024};
  const bool solid = n[2] > 1, line = n[0] == 1 && !solid;
  std::array<int, 3> extent{};
  double cells = 1;
  for (int axis = 0; axis < 3; ++axis) {
    const auto a = static_cast<std::size_t>(axis);
    extent[a] = parts(n[a], tiles[a]) + 2 * depth * shape.step_along(axis);
    cells *= extent[a];
  }
  int spread = 0;
  for (int a = 0; a < shape.arrays(); ++a) spread += shape.is_spread(a);
  // What no lanes change, before they are tried.
  if (cells * shape.fields * (value_bytes / 4) > static_cast<double>(registers_per_unit) ||
      cells * spread * value_bytes > static_cast<double>(shared_per_team))
    return;
  const int count = tiles[0] * tiles[1] * tiles[2];
  const double turns = parts(count, units);
  const auto is_slower = [&](double region) {
    return best && least_seconds(region, count, depth, turns) > best->step_seconds;
  };
  if (is_slower(cells)) return;
  const int pointwise = shape.pointwise_coefficients();
  const int most_across = line ? 32 : solid ? 4 : 8, most_rows = solid ? 6 : 1;
  const int least_rows = solid ? std::max(1, shape.reach_along(0)) : 1;
  for (std::size_t k = 0; k < lane_counts.size(); ++k)
    for (int across = 1; across <= most_across; ++across)
      for (int rows = least_rows; rows <= most_rows; ++rows) {
        const int lanes = lane_counts[k], fewer = k > 0 ? lane_counts[k - 1] : 0;
        resident_config c{0, 1, across, rows, 0};
        const int unit = resident_numbers{shape, c, value_bytes}.unit();
        const int halo = parts(depth * shape.step_along(1), unit) * unit;
        c.lanes_x = parts(parts(parts(n[1], unit), tiles[1]) * unit + 2 * halo, across);
        if (c.lanes_x > lanes) continue;
        if (solid) {
          c.lanes_y = parts(extent[0], c.rows);
          if (c.lanes_x * c.lanes_y > lanes) continue;
          c.deep =
              std::max(parts(extent[2], lanes / (c.lanes_x * c.lanes_y)), shape.reach_along(2));
          c.lanes_z = parts(extent[2], c.deep);
        } else {
          c.rows = std::max(parts(extent[0], lanes / c.lanes_x), shape.reach_along(0));
          c.lanes_y = parts(extent[0], c.rows);
        }
        const int registers = std::min(255, static_cast<int>(registers_per_unit) / lanes / 8 * 8);
        const int box = c.across * c.rows * c.deep, used = c.lanes_x * c.lanes_y * c.lanes_z;
        // Fewer lanes have had the same boxes, and more registers.
        if (box > 64 || used > lanes || used <= fewer ||
            value_bytes / 4 * shape.fields * box > most_registers * registers ||
            is_slower(static_cast<double>(box) * used))
          continue;
        for (c.held = pointwise; c.held >= 0; c.held -= std::max(pointwise, 1)) {
          const resident_numbers numbers{shape, c, value_bytes};
          if (!numbers.valid() || numbers.lanes() > lanes) continue;
          const double needed = static_cast<double>(registers_of(numbers, work)) / registers;
          if (needed > most_registers || numbers.scratch_bytes() > shared_per_team ||
              !numbers.fits({n[0], n[1], n[2]}, {tiles[0], tiles[1], tiles[2]}, depth))
            continue;
          resident_plan p{c, tiles, depth, numbers.scratch_bytes(), 0, apart};
          p.step_seconds = step_seconds(p) * slowdown(needed);
          if (!best || p.step_seconds < best->step_seconds) best = p;
        }
      }
}

resident_search search_of(const field_domain& domain, int value_bytes, const device_facts& device) {
  const device_limits limits = limits_of(device);
  bool has_ghosts = false;
  for (int axis = 0; axis < 3; ++axis)
    for (int high = 0; high < 2 && axis >= domain.size().slowest(); ++high) {
      const side_kind kind = domain.side(0, axis, high).kind;
      has_ghosts |= kind != side_kind::fixed && kind != side_kind::periodic;
    }
  return {resident_shape_of_domain(domain),
          work_of(domain.definition(), value_bytes),
          value_bytes,
          value_bytes == 8 ? limits.fma_f64 : limits.fma_f32,
          limits.clock > 0 ? limits.clock : 1.5e9,
          has_ghosts,
          device.units,
          device.registers_per_unit,
          device.shared_per_team,
          limits.memory > 0 ? limits.memory : 1e12,
          limits.launch};
}

}  // namespace

resident_shape resident_shape_of_domain(const field_domain& domain) {
  const stencil_definition& d = domain.definition();
  resident_shape shape;
  shape.fields = d.fields();
  shape.coefficients = d.coefficients();
  shape.stages = static_cast<int>(d.stages().size());
  for (int axis = 0; axis < 3; ++axis)
    shape.goes_around[axis] = domain.is_periodic(kernel_axes[static_cast<std::size_t>(axis)]);
  for (int s = 0; s < shape.stages; ++s) {
    const field_stage& stage = d.stages()[static_cast<std::size_t>(s)];
    shape.set_taps(s, taps_of(d.tape(), stage));
    for (const computed_output& o : stage.computed) shape.writes[s][o.field] = true;
    for (const renamed_output& r : stage.renamed) shape.writes[s][r.field] = true;
  }
  return shape;
}

std::array<int, 3> resident_size_of(const field_domain& domain) {
  std::array<int, 3> n{};
  for (std::size_t axis = 0; axis < 3; ++axis)
    n[axis] = static_cast<int>(domain.size().n[static_cast<std::size_t>(kernel_axes[axis])]);
  return n;
}

std::optional<std::string> refuses_resident(const device_facts& device) {
  if (!device.cooperative_launch) return "the GPU has no launch whose blocks run together";
  return std::nullopt;
}

std::optional<resident_plan> plan_resident(const field_domain& domain, int value_bytes,
                                           const device_facts& device, int depth) {
  const std::array<int, 3> n = resident_size_of(domain);
  const int units = device.units;
  if (domain.size().cells() > std::int64_t{units} * 1024 * 64) return std::nullopt;
  const resident_search search = search_of(domain, value_bytes, device);
  const bool line = domain.size().dims == 1;
  const int most_depth = depth > 0 ? depth : line ? 128 : 16;
  std::optional<resident_plan> best;
  for (int steps = depth > 0 ? depth : 1; steps <= most_depth;
       steps += line ? std::max(1, steps / 4) : 1) {
    for (int z = 1; z <= std::min(units, n[2]); ++z)
      for (int x = 1; x <= std::min(units / z, n[1]); ++x)
        for (int y = std::min(units / z / x, n[0]); y > 0; y = n[2] > 1 && y > 1 ? 1 : y / 2)
          search.consider(n, {y, x, z}, steps, false, best);
    if (!best || depth > 0) continue;
    // Nothing is exchanged; or cells that are computed twice cost more than fewer exchanges gain.
    if (best->count() == 1 || steps > 2 * best->depth + 2) break;
  }
  return best;
}

std::optional<resident_plan> plan_resident_passes(const field_domain& domain, int value_bytes,
                                                  const device_facts& device, int depth) {
  const std::array<int, 3> n = resident_size_of(domain);
  const resident_search search = search_of(domain, value_bytes, device);
  std::optional<resident_plan> best;
  for (int steps = depth > 0 ? depth : 2; steps <= (depth > 0 ? depth : 128);
       steps += std::max(1, steps / 4)) {
    // Tiles of all widths, in whole turns of the multiprocessors.
    const int halo = 2 * steps * search.shape.step_along(1);
    for (int width = 512; width <= 32768; width += width / 4) {
      if (width <= halo) continue;
      const int tiles = parts(n[1], width - halo);
      const int turns = parts(tiles, device.units);
      for (const int some : {tiles, turns * device.units})
        search.consider(n, {1, std::min(some, n[1]), 1}, steps, true, best);
    }
  }
  return best;
}

}  // namespace dwell
