// SPDX-License-Identifier: MIT
// The executor of a run on a GPU, and why: by projected times of passes and of single steps.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "dwell/base/error.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/fields/columns_plan.hpp"
#include "dwell/execution/stencil/fields/device_kernels.hpp"
#include "dwell/execution/stencil/partition/strips.hpp"
#include "dwell/solvers/stencil/fields/field_schedule.hpp"

namespace dwell {
namespace {

constexpr std::array<std::string_view, 7> gpu_executors{"auto",
                                                        executors::naive.name,
                                                        executors::host_loop.name,
                                                        executors::graph.name,
                                                        executors::persistent.name,
                                                        executors::perks.name,
                                                        executors::temporal.name};

/// Counts along the axes that there are, slowest first.
std::string box_text(int dims, int z, int y, int x) {
  if (dims == 1) return fmt::format("{}", x);
  return dims == 2 ? fmt::format("{}x{}", y, x) : fmt::format("{}x{}x{}", z, y, x);
}
std::string lanes_text(int dims, const resident_config& c) {
  return fmt::format("{} lanes of {} cells", box_text(dims, c.lanes_z, c.lanes_y, c.lanes_x),
                     box_text(dims, c.deep, c.rows, c.across));
}

/// Rows that teams compute for others come on top of their own.
double pass_step_seconds(const field_domain& domain, const chain_numbers& n,
                         const device_facts& device) {
  const device_limits limits = limits_of(device);
  const overlapping_strips strips{n.width(), n.halo(), static_cast<int>(domain.size().n[2]),
                                  domain.is_periodic(2)};
  const double rows =
      static_cast<double>(strips.count()) * static_cast<double>(domain.size().n[1]) / device.units;
  const double lost = 2.0 * n.depth() * n.shape.step_rows();
  const double clock = limits.clock > 0 ? limits.clock : 1.5e9;
  const double pass =
      (std::max(rows, 1.0) + lost) * n.width() * n.depth() *
      chain_cycles(n, work_of(domain.definition(), n.value_bytes), room_of(device, n.value_bytes)) /
      clock;
  return (pass + limits.launch) / n.depth();
}

/// Passes along z of one step are slower than single steps by measurement
/// (docs/results/temporal-h100.md: six times of a box of 125 points), and not projected so.
bool has_one_step_along_z(const gpu_chain& chain) {
  return chain.columns && chain.columns->steps == 1;
}

/// end: of a stage, a launch or a barrier.
double single_step_seconds(const field_domain& domain, const field_bytes& bytes, int value,
                           const device_facts& device, double device_limits::*end) {
  constexpr double reached = 0.85;  ///< part of the rates that plain kernels reach
  const device_limits limits = limits_of(device);
  const bool cached = static_cast<double>(bytes.memory) < limits.l2_cached;
  const field_work work = work_of(domain.definition(), value);
  const double clock = limits.clock > 0 ? limits.clock : 1.5e9;
  const double cells_a_cycle = static_cast<double>(domain.size().cells()) / (device.units * clock);
  const double moving =
      static_cast<double>(bytes.step) / (reached * (cached ? limits.l2 : limits.memory));
  const double computing = cells_a_cycle * work.operations / room_of(device, value).operations;
  double seconds = static_cast<double>(domain.definition().stages().size()) * limits.*end +
                   std::max(moving, computing);
  if (domain.size().dims == 3)
    // Cycles of a cell beside that, by eight measurements on an H200 (docs/results/fields.md):
    // lanes read neighbours of other planes again.
    seconds += cells_a_cycle * std::max(0.0, 0.034 * work.nodes - 0.55);
  return seconds;
}

}  // namespace

gpu_chain gpu_chain_of(const field_domain& domain, std::size_t value, const field_options& options,
                       const device_facts& device) {
  check_field_options(options, gpu_executors);
  gpu_chain chain;
  if (const auto why = refuses_chain(domain, device.compute_capability)) {
    chain.why_not = *why;
    return chain;
  }
  const int bytes = static_cast<int>(value);
  const field_work work = work_of(domain.definition(), bytes);
  if (domain.size().dims == 1) {
    const int depth = options.executor == executors::temporal.name ? options.depth : 0;
    chain.tiles = plan_resident_passes(domain, bytes, device, depth);
    if (chain.tiles) chain.step_seconds = chain.tiles->step_seconds;
  } else if (domain.size().dims == 3) {
    const columns_shape shape = columns_of(domain);
    chain.columns = plan_columns(shape, work, bytes, {}, options.depth);
    if (chain.columns)
      chain.step_seconds = columns_seconds(domain, {shape, *chain.columns, bytes}, device);
  } else {
    const chain_shape shape = chain_of(domain);
    chain.config = plan_chain(shape, work, bytes, room_of(device, bytes), options.depth);
    if (chain.config)
      chain.step_seconds = pass_step_seconds(domain, {shape, *chain.config, bytes}, device);
  }
  if (chain.there()) return chain;
  if (options.depth > 0)
    chain.why_not =
        fmt::format("no pass of {} steps fits a GPU's registers and scratch", options.depth);
  else
    chain.why_not = "no pass of several steps fits a GPU's registers and scratch";
  return chain;
}

gpu_resident gpu_resident_of(const field_domain& domain, std::size_t value,
                             const field_options& options, const device_facts& device) {
  check_field_options(options, gpu_executors);
  gpu_resident resident;
  if (const auto why = refuses_resident(device)) {
    resident.why_not = *why;
    return resident;
  }
  const int depth = options.executor == executors::perks.name ? options.depth : 0;
  resident.plan = plan_resident(domain, static_cast<int>(value), device, depth);
  if (!resident.plan)
    resident.why_not = fmt::format(
        "the fields do not fit the registers and the shared memory of {} multiprocessors{}",
        device.units, depth > 0 ? fmt::format(", with halos of {} steps", depth) : std::string());
  return resident;
}

field_schedule gpu_schedule_of(const field_domain& domain, const field_bytes& bytes,
                               const gpu_chain& chain, const gpu_resident& resident,
                               const field_options& options, const device_facts& device,
                               const gpu_steps& steps) {
  const std::string& wanted = options.executor;
  std::optional<std::string> refusal = steps.refusal, from_chip = steps.chip_refusal;
  if (!chain.there()) refusal = chain.why_not;
  if (!resident.plan) from_chip = resident.why_not;
  const auto in_passes = [&](const std::string& why) {
    if (chain.tiles) {
      const resident_plan& p = *chain.tiles;
      return field_schedule{
          std::string(executors::temporal.name),
          fmt::format("{}; passes of {} steps by {}, {}", why, p.depth,
                      p.count() == 1 ? "one tile" : fmt::format("{} tiles", p.count()),
                      lanes_text(domain.size().dims, p.config)),
          device.units, p.depth, p.step_seconds};
    }
    if (chain.columns) {
      const columns_numbers n{columns_of(domain), *chain.columns, 0};
      return field_schedule{
          std::string(executors::temporal.name),
          fmt::format("{}; passes of {} steps along z by tiles of {}x{} cells, {} lanes of {}", why,
                      chain.columns->steps, n.height(), n.width(), n.lanes(), chain.columns->rows),
          device.units, chain.columns->steps, chain.step_seconds};
    }
    const chain_config& c = *chain.config;
    const int depth =
        options.depth > 0 && wanted == executors::temporal.name ? options.depth : c.warps * c.steps;
    return field_schedule{
        std::string(executors::temporal.name),
        fmt::format("{}; passes of {} steps by strips of {} cells, {} warps of {} steps", why,
                    depth, 32 * c.across, depth / c.steps, c.steps),
        device.units, depth, chain.step_seconds};
  };
  const auto on_chip = [&](const std::string& why) {
    const resident_plan& p = *resident.plan;
    return field_schedule{
        std::string(executors::perks.name),
        fmt::format("{}; {} tiles on the chip, {}{}", why,
                    box_text(domain.size().dims, p.tiles[2], p.tiles[0], p.tiles[1]),
                    lanes_text(domain.size().dims, p.config),
                    p.count() > 1
                        ? fmt::format(", halos of {} step{}", p.depth, p.depth == 1 ? "" : "s")
                        : std::string()),
        p.count(), p.depth, p.step_seconds};
  };
  const double step =
      single_step_seconds(domain, bytes, bytes.value, device, &device_limits::launch);
  if (wanted == executors::temporal.name) {
    if (refusal) throw input_error("executor temporal: " + *refusal);
    return in_passes("as asked for");
  }
  if (wanted == executors::perks.name) {
    if (from_chip) throw input_error("executor perks: " + *from_chip);
    return on_chip("as asked for");
  }
  if (wanted == executors::naive.name) return {wanted, "as asked for", device.units, 0, 0};
  if (wanted == executors::host_loop.name) return {wanted, "as asked for", device.units, 0, step};
  if (wanted == executors::graph.name || wanted == executors::persistent.name) {
    if (!steps.alike)
      throw input_error(fmt::format(
          "executor {}: steps of this run are not alike (parameters with a value for each step, "
          "sources, receivers, or fixed cells that differ)",
          wanted));
    const double seconds =
        wanted == executors::graph.name
            ? step
            : single_step_seconds(domain, bytes, bytes.value, device, &device_limits::barrier);
    return {wanted, "as asked for", device.units, 0, seconds};
  }
  if (!refusal) refusal = steps.auto_refusal;
  if (!refusal && has_one_step_along_z(chain)) refusal = "no pass of several steps fits";
  const std::string single(steps.alike ? executors::graph.name : executors::host_loop.name);
  if (refusal && from_chip) return {single, "single steps: " + *refusal, device.units, 0, step};
  std::string times = "projected ";
  if (!from_chip)
    times += fmt::format("{:.3g} us a step on the chip, ", 1e6 * resident.plan->step_seconds);
  if (!refusal) times += fmt::format("{:.3g} us in passes, ", 1e6 * chain.step_seconds);
  times += fmt::format("{:.3g} us alone", 1e6 * step);
  const double passes = refusal ? step : chain.step_seconds;
  if (!from_chip && resident.plan->step_seconds < std::min(step, passes)) return on_chip(times);
  if (passes < step) return in_passes(times);
  return {single, times, device.units, 0, step};
}

std::optional<double> gpu_step_seconds(const field_domain& domain, std::size_t value,
                                       const field_options& options, const device_facts& device) {
  const std::string& wanted = options.executor;
  const bool any = wanted == "auto";
  std::optional<double> least;
  const auto consider = [&](double seconds) {
    least = least ? std::min(*least, seconds) : seconds;
  };
  if (any || wanted == executors::temporal.name)
    if (const gpu_chain chain = gpu_chain_of(domain, value, options, device);
        chain.there() && !(any && has_one_step_along_z(chain)))
      consider(chain.step_seconds);
  if (any || wanted == executors::perks.name)
    if (const gpu_resident resident = gpu_resident_of(domain, value, options, device);
        resident.plan)
      consider(resident.plan->step_seconds);
  const field_bytes bytes = bytes_of(domain, value);
  const auto consider_single = [&](double device_limits::*end) {
    consider(single_step_seconds(domain, bytes, bytes.value, device, end));
  };
  if (any || wanted == executors::graph.name || wanted == executors::host_loop.name)
    consider_single(&device_limits::launch);
  if (wanted == executors::persistent.name) consider_single(&device_limits::barrier);
  return least;
}

}  // namespace dwell
