// SPDX-License-Identifier: MIT
// The model of a step, and the search for its tiles, lanes and steps between exchanges.
#include "dwell/execution/stencil/fields/resident_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

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
  return kept + words * 3 * spread * n.config.across * n.shape.reach_rows() + 32;
}
/// A step's time in parts of what it were, if a lane had so many times the registers that there
/// are: the others' values are in memory.
double slowdown(double registers) { return registers <= 1 ? 1 : 1 + 1.15 * (registers - 1); }
constexpr double most_registers = 1.6;

/// Values of scratch that a lane reads and writes in a step.
int scratch_values(const resident_numbers& n) {
  const resident_config& c = n.config;
  int values = 0;
  for (int s = 0; s < n.shape.stages; ++s)
    for (int a = 0; a < n.shape.arrays(); ++a) {
      const resident_reach& r = n.shape.reaches[s][a];
      const bool field = a < n.shape.fields;
      if (field && !n.shape.is_spread(a)) continue;
      if (!field && !n.in_scratch(a)) continue;
      values += (r.up + r.down) * c.across + (r.left + r.right) * c.rows;
      if (!field) values += n.cells();
      if (!field || !n.shape.writes[s][a]) continue;
      const resident_reach all = n.shape.reach(a);
      values += n.cells() - std::max(0, c.rows - all.up - all.down) *
                                std::max(0, c.across - all.left - all.right);
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

  /// Time for the trip of a value through the last-level cache, flag included.
  static constexpr double round_trip = 1.5e-6;

  /// No plan whose region has so many cells takes less.
  double least_seconds(double cells, int tiles, int depth) const {
    return cells * work.operations / operations / clock + (tiles > 1 ? round_trip / depth : 0);
  }
  /// By measurements on an H200 (docs/results/fields.md).
  double step_seconds(const resident_plan& p) const {
    const resident_numbers n{shape, p.config, value_bytes};
    const double lanes = n.lanes(), cells = lanes * n.cells();
    const double arithmetic = cells * work.operations / operations;
    const double values = scratch_values(n);
    const double scratch = lanes * values * value_bytes / 128;
    constexpr double lane_instructions = 128;  // rate of a multiprocessor, a cycle
    const double issue =
        (cells * (work.operations + 2.0 * shape.fields) + lanes * values) / lane_instructions;
    const double most = std::max({arithmetic, scratch, issue});
    // Few warps wait for their own results; lanes meet twice in a stage, and once more where cells
    // beyond borders are found.
    const double waits = 1 + 3 / (lanes / 32);
    constexpr double meeting = 40, finding = 200;
    const double cycles = waits * (most + 0.25 * (arithmetic + scratch + issue - most)) +
                          shape.stages * (2 * meeting + (has_ghosts ? finding : 0));
    if (p.tiles() == 1) return cycles / clock;
    // Halos go through the last-level cache, by lanes that have any, whole sectors.
    constexpr double bytes_per_cycle = 43;
    const int rows = 2 * p.depth * shape.step_rows(), columns = 2 * p.depth * shape.step_columns();
    const double inside = std::max(0, n.width() - columns - 2 * p.config.across) *
                          static_cast<double>(std::max(0, n.height() - rows - 2 * p.config.rows));
    const double sectors = std::min(p.config.across, 32 / value_bytes) / n.unit();
    const double moved = (n.width() * static_cast<double>(n.height()) - inside) * shape.fields *
                         value_bytes * (1 + sectors) / bytes_per_cycle;
    return cycles / clock + (round_trip + moved / clock) / p.depth;
  }
};

}  // namespace

resident_shape resident_shape_of_domain(const field_domain& domain) {
  const stencil_definition& d = domain.definition();
  resident_shape shape;
  shape.fields = d.fields();
  shape.coefficients = d.coefficients();
  shape.stages = static_cast<int>(d.stages().size());
  shape.goes_around[0] = domain.is_periodic(1);
  shape.goes_around[1] = domain.is_periodic(2);
  for (int s = 0; s < shape.stages; ++s) {
    const field_stage& stage = d.stages()[static_cast<std::size_t>(s)];
    shape.set_taps(s, taps_of(d.tape(), stage));
    for (const computed_output& o : stage.computed) shape.writes[s][o.field] = true;
    for (const renamed_output& r : stage.renamed) shape.writes[s][r.field] = true;
  }
  return shape;
}

std::optional<std::string> refuses_resident(const field_domain& domain,
                                            const device_facts& device) {
  if (domain.size().dims != 2)
    return fmt::format("fields stay on the chip in two dimensions, the fields have {}",
                       domain.size().dims);
  if (!device.cooperative_launch) return "the GPU has no launch whose blocks run together";
  return std::nullopt;
}

std::optional<resident_plan> plan_resident(const field_domain& domain, int value_bytes,
                                           const device_facts& device, int depth) {
  const device_limits limits = limits_of(device);
  const resident_search search{resident_shape_of_domain(domain),
                               work_of(domain.definition(), value_bytes),
                               value_bytes,
                               value_bytes == 8 ? limits.fma_f64 : limits.fma_f32,
                               limits.clock > 0 ? limits.clock : 1.5e9,
                               [&] {
                                 for (const int axis : {1, 2})
                                   for (int high = 0; high < 2; ++high) {
                                     const side_kind kind = domain.side(0, axis, high).kind;
                                     if (kind != side_kind::fixed && kind != side_kind::periodic)
                                       return true;
                                   }
                                 return false;
                               }()};
  const resident_shape& shape = search.shape;
  const int pointwise = shape.pointwise_coefficients();
  int spread = 0;
  for (int a = 0; a < shape.arrays(); ++a) spread += shape.is_spread(a);
  const auto [planes, ny, nx] = domain.size().n;
  static_cast<void>(planes);
  const std::int64_t most_cells = std::int64_t{device.units} * 1024 * 64;
  if (nx > most_cells / ny) return std::nullopt;
  const int height = static_cast<int>(ny), width = static_cast<int>(nx);
  constexpr std::array lane_counts{128, 256, 384, 512, 640, 768, 1024};
  constexpr int most_depth = 16;
  const auto parts = [](int n, int of) { return (n + of - 1) / of; };
  std::optional<resident_plan> best;
  const auto consider = [&](int tiles_x, int tiles_y, int steps) {
    const int rows = parts(height, tiles_y) + 2 * steps * shape.step_rows();
    const int columns = parts(width, tiles_x) + 2 * steps * shape.step_columns();
    // What no lanes change, before they are tried.
    const double cells = static_cast<double>(rows) * columns;
    if (cells * shape.fields * (value_bytes / 4) > static_cast<double>(device.registers_per_unit) ||
        cells * spread * value_bytes > static_cast<double>(device.shared_per_team))
      return;
    if (best && search.least_seconds(cells, tiles_x * tiles_y, steps) > best->step_seconds) return;
    for (const int lanes : lane_counts)
      for (int across = 1; across <= 8; ++across) {
        resident_config c{0, 0, across, 0, 0};
        const int unit = resident_numbers{shape, c, value_bytes}.unit();
        const int halo = parts(steps * shape.step_columns(), unit) * unit;
        c.lanes_x = parts(parts(parts(width, unit), tiles_x) * unit + 2 * halo, across);
        if (c.lanes_x > lanes) continue;
        c.rows = std::max(parts(rows, lanes / c.lanes_x), shape.reach_rows());
        c.lanes_y = parts(rows, c.rows);
        const int registers =
            std::min(255, static_cast<int>(device.registers_per_unit) / lanes / 8 * 8);
        for (c.held = pointwise; c.held >= 0; c.held -= std::max(pointwise, 1)) {
          const resident_numbers n{shape, c, value_bytes};
          const double needed = static_cast<double>(registers_of(n, search.work)) / registers;
          if (!n.valid() || n.lanes() > lanes || needed > most_registers ||
              n.scratch_bytes() > device.shared_per_team ||
              !n.fits(height, width, tiles_y, tiles_x, steps))
            continue;
          resident_plan p{c, tiles_x, tiles_y, steps, n.scratch_bytes(), 0};
          p.step_seconds = search.step_seconds(p) * slowdown(needed);
          if (!best || p.step_seconds < best->step_seconds) best = p;
        }
      }
  };
  for (int steps = depth > 0 ? depth : 1; steps <= (depth > 0 ? depth : most_depth); ++steps) {
    for (int tiles_x = 1; tiles_x <= device.units && tiles_x <= width; ++tiles_x)
      for (int tiles_y = std::min(device.units / tiles_x, height); tiles_y > 0; tiles_y /= 2)
        consider(tiles_x, tiles_y, steps);
    if (best && best->tiles() == 1 && depth == 0) break;  // nothing is exchanged
  }
  return best;
}

}  // namespace dwell
