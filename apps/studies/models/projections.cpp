// SPDX-License-Identifier: MIT
// The equations are those of this folder; here they are put into tables.
#include "studies/models/projections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "report/columns.hpp"
#include "report/units.hpp"
#include "studies/models/desired_blocking.hpp"
#include "studies/models/littles_law.hpp"
#include "studies/models/roofline.hpp"

#include "dwell/device/limits.hpp"

namespace dwell::app {

namespace {

const char* word_of(model::bottleneck b) {
  return b == model::bottleneck::memory   ? "memory"
         : b == model::bottleneck::shared ? "shared memory"
                                          : "arithmetic";
}

template <class Row>
columns<Row> device_columns_of(bool flops) {
  columns<Row> all = {
      {"device", "device", unit::word, [](const Row& r) { return r.on.name; }},
      {"memory_bytes_per_s", "", unit::giga, [](const Row& r) { return r.on.memory; }},
      {"shared_bytes_per_s", "", unit::giga,
       [](const Row& r) { return number_or_null(r.on.shared); }}};
  if (flops)
    all.push_back(
        {"flops_per_s", "", unit::giga, [](const Row& r) { return number_or_null(r.on.flops); }});
  return all;
}

columns<perks_row> perks_columns() {
  using row = perks_row;
  auto all = device_columns_of<row>(false);
  append(
      all,
      columns<row>{
          {"memory_s", "T_gm ms", unit::milli, [](const row& r) { return r.time.memory_seconds; }},
          {"shared_s", "T_sm ms", unit::milli, [](const row& r) { return r.time.shared_seconds; }},
          {"binds", "binds", unit::word,
           [](const row& r) { return r.time.bound_by_shared() ? "shared memory" : "memory"; }},
          {"uncached_cells_per_s", "uncached", unit::giga, [](const row& r) { return r.uncached; }},
          {"peak_cells_per_s", "P", unit::giga, [](const row& r) { return r.peak; }},
          {"efficiency", "E", unit::percent, [](const row& r) { return r.efficiency; }},
          {"projected_cells_per_s", "P E", unit::giga,
           [](const row& r) { return r.peak * r.efficiency; }}});
  return all;
}

columns<ebisu_row> ebisu_columns() {
  using row = ebisu_row;
  auto all = device_columns_of<row>(true);
  append(
      all,
      columns<row>{
          {"tiling", "tiling", unit::word, [](const row& r) { return name_of(r.tiles_are); }},
          {"tiles", "", unit::count, [](const row& r) { return r.tiles; }},
          {"depth", "depth", unit::count, [](const row& r) { return r.depth; }},
          {"memory_s", "", unit::us, [](const row& r) { return r.time.memory; }},
          {"shared_s", "", unit::us, [](const row& r) { return r.time.shared; }},
          {"arithmetic_s", "", unit::us, [](const row& r) { return r.time.arithmetic; }},
          {"binds", "binds", unit::word, [](const row& r) { return word_of(r.time.binds()); }},
          {"attainable_cells_per_s", "P", unit::giga, [](const row& r) { return r.attainable; }},
          {"valid", "V", unit::percent, [](const row& r) { return r.valid; }},
          {"practical_cells_per_s", "PP", unit::giga, [](const row& r) { return r.practical; }},
          {"desired_depth", "desired depth", unit::number,
           [](const row& r) { return std::isfinite(r.desired) ? json(r.desired) : json(nullptr); }},
          {"best", "best", unit::yes, [](const row& r) { return r.best; }}});
  return all;
}

columns<roofline_row> roofline_columns() {
  using row = roofline_row;
  auto all = device_columns_of<row>(true);
  append(all,
         columns<row>{
             {"balance_flops_per_byte", "balance", unit::number,
              [](const row& r) { return r.balance; }},
             {"steps", "steps", unit::count, [](const row& r) { return r.steps; }},
             {"removed_percent", "removed %", unit::count, [](const row& r) { return r.removed; }},
             {"intensity_flops_per_byte", "flop/byte", unit::number,
              [](const row& r) { return r.intensity; }},
             {"roof_flops_per_s", "Gflop/s", unit::giga, [](const row& r) { return r.roof; }},
             {"cells_per_s", "GCells/s", unit::giga, [](const row& r) { return r.cells; }},
             {"binds", "binds", unit::word,
              [](const row& r) { return r.compute_bound ? "arithmetic" : "memory"; }}});
  return all;
}

/// What a device has on its chip, beside its balance.
columns<rates_of_device> chip_columns() {
  using row = rates_of_device;
  const auto known = [](const row& r) { return r.register_bytes > 0; };
  return {{"device", "device", unit::word, [](const row& r) { return r.name; }},
          {"measured", "rates", unit::word,
           [known](const row& r) { return known(r) ? json(r.measured) : json(nullptr); },
           [known](const row& r) {
             return !known(r) ? "given" : r.measured ? "measured" : "data sheet";
           }},
          {"memory_bytes_per_s", "", unit::giga, [](const row& r) { return r.memory; }},
          {"flops_per_s", "", unit::giga, [](const row& r) { return r.flops; }},
          {"balance_flops_per_byte", "balance", unit::number,
           [](const row& r) { return model::machine_balance(r.flops, r.memory); }},
          {"register_bytes", "registers", unit::bytes,
           [](const row& r) { return number_or_null(r.register_bytes); }},
          {"shared_bytes", "shared memory", unit::bytes,
           [](const row& r) { return number_or_null(r.shared_bytes); }},
          {"l2_bytes", "L2", unit::bytes, [](const row& r) { return number_or_null(r.l2_bytes); }}};
}

}  // namespace

const char* name_of(tiling t) { return t == tiling::device ? "device" : "overlapped"; }

std::vector<rates_of_device> known_rates(const std::vector<std::string>& names,
                                         const std::string& precision) {
  std::vector<rates_of_device> all;
  for (const std::string name : known_devices()) {
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    const device_facts facts = facts_of(name);
    const device_limits l = limits_of(facts);
    const double fmas = precision == "f64" ? l.fma_f64 : l.fma_f32;
    const auto units = static_cast<double>(facts.units);
    all.push_back({facts.name, l.memory, l.shared, 2 * fmas * l.units * l.clock,
                   4.0 * units * static_cast<double>(facts.registers_per_unit),
                   units * static_cast<double>(facts.shared_per_unit),
                   static_cast<double>(facts.l2), facts.units, l.measured});
  }
  return all;
}

perks_table project(const perks_request& request) {
  perks_table out{request, {}};
  auto uncached = request.asked;
  uncached.cached_cells = uncached.cached_in_shared = uncached.halo = 0;
  for (const auto& on : request.devices) {
    perks_row row;
    row.on = on;
    row.time = model::project_perks(request.asked, on.memory, on.shared);
    row.peak = model::perks_peak(request.asked, row.time);
    row.uncached =
        model::perks_peak(uncached, model::project_perks(uncached, on.memory, on.shared));
    if (request.concurrency > 0)
      row.efficiency = model::efficiency(request.parallelism, request.concurrency);
    out.rows.push_back(row);
  }
  return out;
}

ebisu_row project(const ebisu_request& q, const rates_of_device& on, tiling how, int depth) {
  const bool device_tiles = how == tiling::device;
  ebisu_row row;
  row.on = on;
  row.tiles_are = how;
  row.tiles = !device_tiles ? 1 : q.tiles > 0 ? q.tiles : on.units;
  row.depth = depth;
  // Halos of device tiles are loaded from the neighbours (equation 5.15), in three dimensions;
  // in two their tiles are as wide as the field.
  const double area = q.tile_x * q.tile_y, cells = area * row.tiles;
  const double halo =
      device_tiles && q.dims == 3 ? 2 * (q.tile_x + q.tile_y) * depth * q.radius : 0;
  row.time = model::project_ebisu(q.cell, {(area + halo) * row.tiles, cells, cells}, depth,
                                  {on.memory, on.shared, on.flops});
  row.attainable = model::attainable(cells, depth, row.time);
  row.valid = device_tiles  ? model::valid_part_of_time(row.time.seconds(), q.barrier, q.barriers)
              : q.dims == 2 ? model::valid_part(q.tile_x, depth, q.radius)
                            : model::valid_part(q.tile_x, q.tile_y, depth, q.radius);
  row.practical = model::practical(row.attainable, row.valid);
  const model::blocking_pressure pressure = {q.cell.memory, q.cell.shared, on.shared / on.memory,
                                             static_cast<double>(q.radius)};
  row.desired = device_tiles && q.dims == 3 ? model::desired_depth(pressure, q.tile_x, q.tile_y)
                                            : model::desired_depth(pressure);
  return row;
}

ebisu_table project(const ebisu_request& q) {
  ebisu_table out{q, {}};
  for (const auto& on : q.devices) {
    const std::size_t first = out.rows.size();
    for (const tiling how : q.tilings)
      for (const int depth : q.depths) out.rows.push_back(project(q, on, how, depth));
    std::ranges::max_element(out.rows.begin() + static_cast<std::ptrdiff_t>(first), out.rows.end(),
                             {}, &ebisu_row::practical)
        ->best = true;
  }
  return out;
}

roofline_table project(const roofline_request& q) {
  roofline_table out{q, {}};
  for (const auto& on : q.devices)
    for (const int steps : q.steps)
      for (const int removed : q.removed) {
        roofline_row row;
        row.on = on;
        row.steps = steps;
        row.removed = removed;
        row.balance = model::machine_balance(on.flops, on.memory);
        row.intensity = model::combined_intensity(q.flops, q.bytes, steps, removed / 100.0);
        row.roof = model::roofline(on.flops, on.memory, row.intensity);
        row.cells = row.roof / q.flops;
        row.compute_bound = model::is_compute_bound(row.intensity, row.balance);
        out.rows.push_back(row);
      }
  return out;
}

std::string to_text(const perks_table& t) {
  const auto& c = t.of.asked;
  return fmt::format(
             "PERKS: {} of {} cells of {} stay on the chip, {} of them in shared memory, {}\n\n",
             format_count(static_cast<std::int64_t>(c.cached_cells)),
             format_count(static_cast<std::int64_t>(c.cells)), t.of.precision,
             format_count(static_cast<std::int64_t>(c.cached_in_shared)),
             format_plural(static_cast<std::int64_t>(c.steps), "step")) +
         table_of(perks_columns(), t.rows).text() +
         "\nT_gm, T_sm: time at device memory and at shared memory for all steps (Zhang 2023, 4.3 "
         "and\n"
         "4.5). uncached, P: GCells/s with nothing cached and as asked for (4.7). E: part of it "
         "that\n"
         "what is under way reaches (4.8).\n";
}
std::string to_csv(const perks_table& t) { return csv_of(perks_columns(), t.rows); }
json to_json(const perks_table& t) {
  const auto& c = t.of.asked;
  json out = document("model perks");
  out["precision"] = t.of.precision;
  out["cells"] = c.cells;
  out["cached_cells"] = c.cached_cells;
  out["cached_in_shared_cells"] = c.cached_in_shared;
  out["halo_cells"] = c.halo;
  out["kernel_shared_cells"] = c.kernel_shared;
  out["steps"] = c.steps;
  out["parallelism"] = number_or_null(t.of.parallelism);
  out["concurrency"] = number_or_null(t.of.concurrency);
  out["rows"] = array_of(perks_columns(), t.rows);
  return out;
}

std::string to_text(const ebisu_table& t) {
  const auto& q = t.of;
  std::string tiles = fmt::format("tiles of {}x{}", q.tile_x, q.tile_y);
  if (std::ranges::find(q.tilings, tiling::device) != q.tilings.end())
    tiles += fmt::format(
        "; of the device: {}, {} of {:.3g} us a pass",
        q.tiles > 0 ? format_count(static_cast<std::int64_t>(q.tiles)) : "one a multiprocessor",
        format_plural(q.barriers, "barrier"), q.barrier * 1e6);
  return fmt::format("{}, {}: a_gm {}, a_sm {}, a_cmp {}; {}\n\n", q.stencil, q.precision,
                     q.cell.memory, q.cell.shared, q.cell.flops, tiles) +
         table_of(ebisu_columns(), t.rows).text() +
         "\nP: GCells/s as if what binds were all (Zhang 2023, 5.7). V: the part of the cells "
         "(5.8, 5.9)\n"
         "or of the time (5.11) that counts. PP = P V. desired depth: steps from which on device\n"
         "memory does not bind (5.13 to 5.15). best: the most PP of the device's rows (5.7.3).\n";
}
std::string to_csv(const ebisu_table& t) { return csv_of(ebisu_columns(), t.rows); }
json to_json(const ebisu_table& t) {
  const auto& q = t.of;
  json out = document("model ebisu");
  out["stencil"] = {{"name", q.stencil}, {"dims", q.dims}, {"radius", q.radius}};
  out["precision"] = q.precision;
  out["accesses"] = {{"memory", q.cell.memory}, {"shared", q.cell.shared}, {"flops", q.cell.flops}};
  out["tile_x"] = q.tile_x;
  out["tile_y"] = q.tile_y;
  const bool device_tiles = std::ranges::find(q.tilings, tiling::device) != q.tilings.end();
  out["barrier_s"] = number_or_null(device_tiles ? q.barrier : 0);
  out["barriers"] = device_tiles ? json(q.barriers) : json(nullptr);
  out["rows"] = array_of(ebisu_columns(), t.rows);
  return out;
}

std::string to_text(const roofline_table& t) {
  return fmt::format("{}, {}: {} flop and {} bytes a cell and step\n\n", t.of.stencil,
                     t.of.precision, t.of.flops, t.of.bytes) +
         table_of(roofline_columns(), t.rows).text() + "\n" +
         table_of(chip_columns(), t.of.devices).text() +
         "\nbalance: flop per byte of device memory (Zhang 2023, 2.1). flop/byte: of so many steps "
         "that\n"
         "are combined, with so much of the traffic between two of them removed (figures 3.6, "
         "4.1).\n";
}
std::string to_csv(const roofline_table& t) { return csv_of(roofline_columns(), t.rows); }
json to_json(const roofline_table& t) {
  json out = document("model roofline");
  out["stencil"] = {{"name", t.of.stencil}};
  out["precision"] = t.of.precision;
  out["flops_per_cell"] = t.of.flops;
  out["bytes_per_cell"] = t.of.bytes;
  out["devices"] = array_of(chip_columns(), t.of.devices);
  out["rows"] = array_of(roofline_columns(), t.rows);
  return out;
}

}  // namespace dwell::app
