// SPDX-License-Identifier: MIT
// The schedule of a run in words and numbers, without the run.
#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/fields/columns_plan.hpp"
#include "dwell/execution/stencil/fields/device_kernels.hpp"
#include "dwell/execution/stencil/fields/field_memory.hpp"
#include "dwell/execution/stencil/partition/strips.hpp"
#include "dwell/solvers/stencil/fields/field_schedule.hpp"
#include "dwell/solvers/stencil/fields/hoisting_choice.hpp"
#include "dwell/stencil/explain_fields.hpp"

namespace dwell {
namespace {

field_stage_use use_of(const cell_tape& tape, const field_stage& stage, std::size_t value) {
  field_stage_use use;
  const int arrays = static_cast<int>(tape.fields.size() + tape.coefficients.size());
  for (int array = 0; array < arrays; ++array) {
    std::vector<std::array<int, 3>> cells;
    for (const int i : stage.nodes) {
      const cell_node& n = tape.nodes[static_cast<std::size_t>(i)];
      if (n.op == cell_op::tap && n.index == array &&
          std::ranges::find(cells, n.offset) == cells.end())
        cells.push_back(n.offset);
    }
    if (!cells.empty()) use.read.push_back({array, static_cast<int>(cells.size())});
  }
  for (const computed_output& o : stage.computed) use.computed.push_back(o.field);
  for (const renamed_output& r : stage.renamed) use.renamed.push_back({r.field, r.from});
  use.cell_bytes = cell_bytes_of(stage, value);
  return use;
}

fields_plan cpu_plan(const field_domain& domain, const field_bytes& bytes,
                     const field_options& options, const device_facts& device) {
  const auto [how, pass] = cpu_schedule_of(domain, bytes, options, device, refuses_passes(domain));
  fields_plan plan{how.executor, how.reason, how.threads};
  if (how.depth == 0) return plan;
  plan.depth = how.depth;
  plan.slabs = pass.layers.parts;
  plan.tiles = pass.across.parts;
  plan.tile_cells =
      domain.size().dims == 1 ? pass.front : (pass.across.end + plan.tiles - 1) / plan.tiles;
  plan.working_set = static_cast<std::size_t>(pass.working_set);
  return plan;
}

/// What a multiprocessor and its lanes have of a tile.
void put_tiles(const field_domain& domain, std::size_t value, const resident_plan& p,
               fields_plan& plan) {
  plan.depth = p.depth;
  plan.working_set = p.scratch;
  const resident_numbers n{resident_shape_of_domain(domain), p.config, static_cast<int>(value)};
  plan.registers = static_cast<int>(value) / 4 * (n.shape.fields + p.config.held) * n.cells();
}

/// Plan of single steps or passes where steps have nothing that ends these (gpu_fields.cpp).
fields_plan gpu_plan(const field_domain& domain, std::size_t value, const field_bytes& bytes,
                     const field_options& options, const device_facts& device) {
  const gpu_chain chain = gpu_chain_of(domain, value, options, device);
  const gpu_resident resident = gpu_resident_of(domain, value, options, device);
  const field_schedule how = gpu_schedule_of(domain, bytes, chain, resident, options, device);
  fields_plan plan{how.executor, how.reason, how.threads};
  plan.step_seconds = how.step_seconds;
  if (how.executor == executors::perks.name) {
    const resident_plan& p = *resident.plan;
    put_tiles(domain, value, p, plan);
    const auto& n = domain.size().n;
    const auto most = [&](std::size_t axis, int tiles) { return (n[axis] + tiles - 1) / tiles; };
    const auto [y, x, z] = p.tiles;
    plan.slabs = domain.size().dims == 1 ? x : domain.size().dims == 2 ? y : z;
    plan.tiles = p.count() / plan.slabs;
    plan.slab_cells = most(static_cast<std::size_t>(domain.size().slowest()), plan.slabs);
    plan.tile_cells = domain.size().dims == 1   ? 1
                      : domain.size().dims == 2 ? most(2, x)
                                                : most(1, y) * most(2, x);
    return plan;
  }
  if (how.depth == 0) return plan;
  if (chain.tiles) {
    put_tiles(domain, value, *chain.tiles, plan);
    plan.slabs = device.units;
    plan.tiles = chain.tiles->count();
    plan.tile_cells = (domain.size().n[2] + plan.tiles - 1) / plan.tiles;
    return plan;
  }
  if (chain.columns) {
    const columns_numbers n{columns_of(domain), *chain.columns, static_cast<int>(value)};
    const columns_division d = divide_columns(domain, n, device.units);
    plan.depth = how.depth;
    plan.slabs = d.teams;
    plan.tiles = d.tiles;
    plan.tile_cells = n.own_x() * n.own_y();
    plan.working_set = n.scratch_bytes();
    plan.registers = columns_registers(n);
    return plan;
  }
  const chain_numbers n{chain_of(domain), *chain.config, static_cast<int>(value)};
  const overlapping_strips strips{n.width(), n.halo(), static_cast<int>(domain.size().n[2]),
                                  domain.is_periodic(2)};
  plan.depth = how.depth;
  plan.slabs = device.units;
  plan.tiles = strips.count();
  plan.tile_cells = n.own();
  plan.working_set = n.scratch_bytes();
  plan.registers = static_cast<int>(value) / 4 * n.kept().all() * n.config.across;
  return plan;
}

}  // namespace

fields_explanation explain(const stencil_definition& definition,
                           const std::vector<std::int64_t>& size, std::string_view precision_name,
                           const device_facts& device, const field_options& options) {
  if (precision_name != "f64" && precision_name != "f32")
    throw input_error(fmt::format("precision: expected f64 or f32, found '{}'", precision_name));
  const std::size_t value = precision_name == "f64" ? sizeof(double) : sizeof(float);
  const field_size axes = checked_field_size(definition.dims(), size);
  const hoisting_choice choice = choose_hoisting(definition, axes, value, options, device, false);
  const stencil_definition& steps = choice.steps(definition);
  const field_domain domain(steps, axes, options.boundaries);
  const field_bytes bytes = bytes_of(domain, value);
  fields_explanation e{definition, steps, device, std::string(precision_name), size};
  e.cells = domain.size().cells();
  e.changing_cells = domain.changing_cells();
  for (const field_stage& stage : steps.stages()) {
    e.stages.push_back(use_of(steps.tape(), stage, value));
    e.cell_bytes += e.stages.back().cell_bytes;
  }
  e.bytes_per_step = bytes.step;
  e.arrays = arrays_of(steps);
  e.memory = bytes.memory;
  if (choice.made) {
    e.hoisted = {choice.made->count(), definition.flops(), 0, choice.given_seconds};
    for (const field_stage& stage : definition.stages())
      e.hoisted.cell_bytes += cell_bytes_of(stage, value);
    const int kept = choice.made->kept();
    e.arrays += kept;
    e.memory += static_cast<std::size_t>(kept) * value * static_cast<std::size_t>(e.cells);
  }
  if (device.on == backend::cpu) {
    e.plan = cpu_plan(domain, bytes, options, device);
    return e;
  }
  e.plan = gpu_plan(domain, value, bytes, options, device);
  const device_limits limits = limits_of(device);
  const double fma = value == sizeof(double) ? limits.fma_f64 : limits.fma_f32;
  e.roof.memory = static_cast<double>(bytes.step) / limits.memory;
  // Operations are not contracted: each takes the place of a fused multiply-add.
  e.roof.arithmetic = static_cast<double>(e.changing_cells) *
                      work_of(steps, static_cast<int>(value)).operations /
                      (fma * device.units * limits.clock);
  return e;
}

}  // namespace dwell
