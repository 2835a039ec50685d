// SPDX-License-Identifier: MIT
// Names of kernels, and the choice of a config.
#include "dwell/execution/stencil/fields/device_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "dwell/device/limits.hpp"
#include "dwell/execution/stencil/fields/columns_plan.hpp"
#include "dwell/execution/stencil/fields/device_text.hpp"
#include "dwell/execution/stencil/fields/field_memory.hpp"
#include "dwell/execution/stencil/fields/operation_costs.hpp"

namespace dwell {
namespace {

constexpr const char* kernels = "#include \"dwell/execution/stencil/fields/kernels_cuda.cuh\"\n";
template <class T>
constexpr const char* value_name = sizeof(T) == 8 ? "double" : "float";

/// Cells of a tile, with its halos: rows x cells of a row, behind planes if there are several.
std::string box_text(const resident_config& c) {
  const std::string plane = fmt::format("{}x{}", c.lanes_y * c.rows, c.lanes_x * c.across);
  return c.lanes_z * c.deep > 1 ? fmt::format("{}x{}", c.lanes_z * c.deep, plane) : plane;
}

/// What a kernel's template is given for demands, and what a message says of them.
struct demand_texts {
  std::string with, about;
};
demand_texts texts_of(const pass_demands& demands) {
  demand_texts t;
  if (demands.parameters_change) t.about += ", tables of parameters";
  if (demands.points) t.about += ", sources and receivers";
  if (!t.about.empty()) t.with = fmt::format(", {}, {}", demands.parameters_change, demands.points);
  return t;
}

bool is_mirrored_along(const field_domain& domain, int axis) {
  const stencil_definition& d = domain.definition();
  for (int array = 0; array < d.fields() + d.coefficients(); ++array)
    for (int high = 0; high < 2; ++high) {
      const side_kind kind = domain.side(array, axis, high).kind;
      if (kind != side_kind::fixed && kind != side_kind::periodic) return true;
    }
  return false;
}

}  // namespace

chain_shape chain_of(const field_domain& domain) {
  const stencil_definition& d = domain.definition();
  chain_shape shape;
  shape.fields = d.fields();
  shape.coefficients = d.coefficients();
  shape.stages = static_cast<int>(d.stages().size());
  shape.radius = d.radius();
  shape.is_mirrored_along_y = is_mirrored_along(domain, 1);
  for (const renamed_output& r : d.stages()[0].renamed) shape.copy_of[r.field] = r.from;
  for (int s = 0; s < shape.stages; ++s)
    shape.set_taps(s, taps_of(d.tape(), d.stages()[static_cast<std::size_t>(s)]));
  return shape;
}

columns_shape columns_of(const field_domain& domain) {
  const stencil_definition& d = domain.definition();
  columns_shape shape;
  shape.fields = d.fields();
  shape.coefficients = d.coefficients();
  shape.stages = static_cast<int>(d.stages().size());
  for (const renamed_output& r : d.stages()[0].renamed) shape.copy_of[r.field] = r.from;
  const bool reads_along_z = std::ranges::any_of(
      d.tape().nodes, [](const cell_node& n) { return n.op == cell_op::tap && n.offset[0] != 0; });
  for (int high = 0; high < 2; ++high) {
    const side_kind kind = domain.side(0, 0, high).kind;
    shape.is_mirrored_along_z |=
        reads_along_z && kind != side_kind::fixed && kind != side_kind::periodic;
  }
  for (int s = 0; s < shape.stages; ++s)
    shape.set_taps(s, taps_of(d.tape(), d.stages()[static_cast<std::size_t>(s)]));
  return shape;
}

std::optional<std::string> refuses_chain(const field_domain& domain, int compute_capability) {
  if (domain.size().dims == 1) return std::nullopt;
  const auto& n = domain.size().n;
  constexpr std::int64_t line = gpu_line / sizeof(float), most = std::int64_t{1} << 31;
  if (domain.size().dims == 3 && n[1] * (n[2] + line) >= most)
    return fmt::format("passes along z take planes of less than 2^31 cells, the fields have {}x{}",
                       n[1], n[2]);
  // Registers that warps hand over, and configs that were found for them (ring_team_cuda.cuh).
  if (compute_capability != 90)
    return fmt::format("passes of several steps need compute capability 9.0, the GPU has {}.{}",
                       compute_capability / 10, compute_capability % 10);
  const auto stages = static_cast<int>(domain.definition().stages().size());
  if (stages > chain_shape::most_stages)
    return fmt::format("passes take steps of at most {} stages, the step has {}",
                       chain_shape::most_stages, stages);
  return std::nullopt;
}

chain_room room_of(const device_facts& device, int value_bytes) {
  const device_limits limits = limits_of(device);
  return {device.shared_per_team, value_bytes == 8 ? limits.fma_f64 : limits.fma_f32};
}

double chain_cycles(const chain_numbers& n, const field_work& work, const chain_room& room) {
  const double exchange = 0.03 + (n.value_bytes == 8 ? 0.15 : 0.06) / n.config.steps;
  // Where the operations of a turn are more than this, its code is more than caches hold.
  constexpr int cached_operations = 1400;
  const int code = n.kept().turn() * n.config.steps * n.config.across * work.counted;
  const double fetch = code > cached_operations ? 1.15 : 1;
  const double warps = n.config.warps == 8 ? 1 : 1.6;
  return (exchange + work.operations / room.operations) * fetch * warps;
}

std::optional<chain_config> plan_chain(const chain_shape& shape, const field_work& work,
                                       int value_bytes, const chain_room& room, int depth) {
  // Values that a lane keeps in registers, found by trying: more of them spill.
  const int most_kept = value_bytes == 8 ? 74 : 140;
  // What a compiler has to go through, for some ten seconds of it.
  constexpr int most_code = 6500;
  const auto code_of = [&](const chain_numbers& n) {
    const kept_counts kept = n.kept();
    return kept.turn() * n.config.across * (n.config.steps * work.nodes + 10 * kept.carried()) *
           (shape.is_mirrored_along_y ? 2 : 1);
  };
  std::optional<chain_config> best;
  double best_score = 0;
  const auto fits = [&](const chain_config& c) {
    const chain_numbers n{shape, c, value_bytes};
    return n.valid() && n.scratch_bytes() <= room.scratch;
  };
  for (const int warps : {8, 4})
    for (int steps = 1; steps <= 4; ++steps)
      for (int across = 3; across <= 21; across += 2) {
        // A pass may have fewer warps than its kernel.
        if (depth > 0 && (depth % steps != 0 || depth / steps > warps)) continue;
        // With fewer rows between warps these wait for each other.
        chain_config c{warps, steps, across, 3, 1, 2};
        if (shape.shares_coefficients())
          c.shared = chain_numbers{shape, c, value_bytes}.least_shared() + 10;
        const chain_numbers n{shape, c, value_bytes};
        if (!fits(c) || n.kept().all() * across > most_kept || code_of(n) > most_code) continue;
        const double score = static_cast<double>(n.own()) / n.width() / chain_cycles(n, work, room);
        if (score <= best_score) continue;
        best_score = score;
        const auto grown = [&](int chain_config::*member, int most) {
          while (c.*member < most) {
            ++(c.*member);
            if (fits(c)) continue;
            --(c.*member);
            break;
          }
        };
        if (c.shared > 0) grown(&chain_config::shared, c.shared + 14);
        grown(&chain_config::slots, 5);
        best = c;
      }
  return best;
}

field_work work_of(const stencil_definition& d, int value_bytes) {
  field_work work;
  for (const field_stage& stage : d.stages())
    for (const int i : stage.nodes) {
      const cell_op op = d.tape().nodes[static_cast<std::size_t>(i)].op;
      const double cost = operation_cost(op, value_bytes);
      ++work.nodes;
      work.counted += cost > 0;
      work.operations += cost;
    }
  return work;
}

template <class T>
field_kernel_sources<T>::field_kernel_sources(const field_domain& domain)
    : text_(device_stencil_text(domain) + kernels), name_(domain.definition().name()) {}

template <class T>
kernel_source field_kernel_sources<T>::of(const std::string& kernel,
                                          const std::string& about) const {
  return {text_, "dwell::cuda::" + kernel,
          fmt::format("stencil {}, {}, {}", name_, value_name<T>, about)};
}
template <class T>
kernel_source field_kernel_sources<T>::stage(int number) const {
  return of(fmt::format("fields_stage_kernel<dwell::own_stencil, {}, {}>", value_name<T>, number),
            fmt::format("stage {}", number + 1));
}
template <class T>
kernel_source field_kernel_sources<T>::naive_stage(int number) const {
  return of(fmt::format("fields_naive_kernel<dwell::own_stencil, {}, {}>", value_name<T>, number),
            fmt::format("stage {}, cell by cell", number + 1));
}
template <class T>
kernel_source field_kernel_sources<T>::steps() const {
  return of(fmt::format("fields_steps_kernel<dwell::own_stencil, {}>", value_name<T>),
            "single steps in one launch");
}
template <class T>
kernel_source field_kernel_sources<T>::pass(const chain_config& c,
                                            const pass_demands& demands) const {
  const auto [with, about] = texts_of(demands);
  return of(
      fmt::format("fields_pass_kernel<dwell::own_stencil, {}, dwell::cuda::chain<{}, {}, {}, {}, "
                  "{}, {}, {}>{}>",
                  value_name<T>, c.warps, c.steps, c.across, c.slots, c.rows, c.ahead, c.shared,
                  with),
      fmt::format("passes of {} steps{}", c.warps * c.steps, about));
}
template <class T>
kernel_source field_kernel_sources<T>::pass(const columns_config& c,
                                            const pass_demands& demands) const {
  const auto [with, about] = texts_of(demands);
  return of(
      fmt::format("fields_columns_kernel<dwell::own_stencil, {}, dwell::cuda::columns<{}, {}, "
                  "{}, {}>{}>",
                  value_name<T>, c.across, c.groups, c.rows, c.steps, with),
      fmt::format("passes of {} steps{}", c.steps, about));
}
template <class T>
kernel_source field_kernel_sources<T>::resident(const resident_config& c,
                                                const pass_demands& demands) const {
  const auto [with, about] = texts_of(demands);
  return of(fmt::format("fields_resident_kernel<dwell::own_stencil, {}, dwell::cuda::resident<{}, "
                        "{}, {}, {}, {}, {}, {}>{}>",
                        value_name<T>, c.lanes_x, c.lanes_y, c.across, c.rows, c.held, c.lanes_z,
                        c.deep, with),
            fmt::format("tiles of {} cells on the chip{}", box_text(c), about));
}
template <class T>
kernel_source field_kernel_sources<T>::keep() const {
  return of(fmt::format("fields_keep_kernel<dwell::own_stencil, {}>", value_name<T>),
            "fixed cells kept");
}
template <class T>
kernel_source field_kernel_sources<T>::differ() const {
  return of(fmt::format("fields_differ_kernel<dwell::own_stencil, {}>", value_name<T>),
            "fixed cells compared");
}
template <class T>
kernel_source field_kernel_sources<T>::add() {
  return {kernels, fmt::format("dwell::cuda::fields_add_kernel<{}>", value_name<T>), "sources"};
}
template <class T>
kernel_source field_kernel_sources<T>::record() {
  return {kernels, fmt::format("dwell::cuda::fields_record_kernel<{}>", value_name<T>),
          "receivers"};
}
template <class T>
kernel_source field_kernel_sources<T>::finite() {
  return {kernels, fmt::format("dwell::cuda::fields_finite_kernel<{}>", value_name<T>),
          "values that are not finite"};
}

template <class T>
kernel_source field_kernel_sources<T>::subtract() {
  return {kernels, fmt::format("dwell::cuda::fields_subtract_kernel<{}>", value_name<T>),
          "changes of fields"};
}

std::vector<kernel_source> field_sources(const field_domain& domain, precision type,
                                         int compute_capability, const pass_demands& demands,
                                         bool changes) {
  device_facts device;
  device.on = backend::cuda;
  device.compute_capability = compute_capability;
  // Compute capability 9.0: CUDA programming guide, technical specifications.
  device.shared_per_team = 227 << 10;
  const int bytes = type == precision::f64 ? 8 : 4;
  std::optional<chain_config> config;
  std::optional<columns_config> columns;
  if (!refuses_chain(domain, compute_capability)) {
    if (domain.size().dims == 3)
      columns = plan_columns(columns_of(domain), work_of(domain.definition(), bytes), bytes, {});
    else if (domain.size().dims == 2)
      config = plan_chain(chain_of(domain), work_of(domain.definition(), bytes), bytes,
                          room_of(device, bytes));
  }
  const auto all = [&](const auto& sources) {
    std::vector<kernel_source> list;
    const auto stages = domain.definition().stages();
    for (std::size_t s = 0; s < stages.size(); ++s)
      if (!stages[s].computed.empty()) list.push_back(sources.stage(static_cast<int>(s)));
    if (config) list.push_back(sources.pass(*config, demands));
    if (columns) list.push_back(sources.pass(*columns, demands));
    if (demands.points) {
      list.push_back(sources.add());
      list.push_back(sources.record());
    }
    if (changes) list.push_back(sources.subtract());
    if (domain.has_fixed_cells() &&
        std::ranges::any_of(stages, [](const field_stage& s) { return !s.renamed.empty(); }))
      list.push_back(sources.differ());
    list.push_back(sources.finite());
    return list;
  };
  return type == precision::f64 ? all(field_kernel_sources<double>(domain))
                                : all(field_kernel_sources<float>(domain));
}

template class field_kernel_sources<double>;
template class field_kernel_sources<float>;

}  // namespace dwell
