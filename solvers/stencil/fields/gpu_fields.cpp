// SPDX-License-Identifier: MIT
// Fields in a GPU's memory, and their steps there.
#include <fmt/format.h>

#include <algorithm>

#include "dwell/base/error.hpp"
#include "dwell/base/number_text.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/fields/device_kernels.hpp"
#include "dwell/execution/stencil/fields/device_steps.hpp"
#include "dwell/solvers/stencil/fields/field_executor.hpp"

namespace dwell {
namespace {

template <class T>
class gpu_fields final : public field_executor<T> {
 public:
  gpu_fields(const device& where, const field_domain& domain, const field_options& options)
      : facts_(where.facts()),
        options_(options),
        domain_(domain),
        bytes_(bytes_of(domain, sizeof(T))),
        chain_(gpu_chain_of(domain, sizeof(T), options, facts_)),
        resident_(gpu_resident_of(domain, sizeof(T), options, facts_)),
        memory_(domain, where, chain_.there() || resident_.plan ? domain.definition().fields() : 0),
        steps_(cuda_backend<device_step_functions<T>>().make(where, domain, memory_)) {
    if (options.kernel != "auto" && options.kernel != "compiled")
      throw input_error(
          fmt::format("kernel: a GPU has compiled ones alone, found '{}'", options.kernel));
    // Passes and tiles are compiled when it is known what their steps have besides the stencil.
    device_step_plan single = steps_of(plan({}));
    single.pass.reset();
    single.columns.reset();
    single.resident.reset();
    single.together = 0;
    steps_->prepare(single);
  }

  field_memory<T>& memory() override { return memory_; }
  field_kernel_facts kernel() const override {
    const compile_cost cost = steps_->cost();
    std::string reason =
        fmt::format("by {} for compute capability {}.{}", cost.compiler,
                    facts_.compute_capability / 10, facts_.compute_capability % 10);
    if (cost.spilled_bytes > 0)
      reason += fmt::format("; a lane keeps {} in memory",
                            byte_text(static_cast<double>(cost.spilled_bytes)));
    return {"compiled", reason, cost.seconds};
  }
  bool fixed_cells_differ(const field_places& places) override {
    return steps_->fixed_cells_differ(places);
  }
  bool finite(const field_places& places) override { return steps_->finite(places); }
  void subtract(T* from, const T* cells, std::size_t n) override {
    steps_->subtract(from, cells, n);
  }
  field_schedule plan(const field_demand<T>& demand) const override {
    const bool has_points = demand.points && !demand.points->empty();
    gpu_steps steps;
    steps.refusal = refuses_passes_here(demand);
    if (demand.fixed_cells_differ) steps.chip_refusal = differing_fixed_cells;
    // One source costs a fourth of a pass (docs/results/fields.md).
    if (chain_.columns && (has_points || demand.parameters_change))
      steps.auto_refusal =
          "passes in three dimensions with sources, receivers or a value for each step of a "
          "parameter are taken when they are asked for";
    steps.alike = !has_points && !demand.parameters_change && !demand.fixed_cells_differ;
    return gpu_schedule_of(domain_, bytes_, chain_, resident_, options_, facts_, steps);
  }
  field_run_end run(const field_schedule& schedule, field_run<T>& r, const field_places& places,
                    const run_control& control) override {
    device_step_plan plan = steps_of(schedule);
    if (plan.pass || plan.columns || plan.resident)
      plan.demands = {r.parameters_change, !r.points.empty()};
    return steps_->run(plan, r, places, control);
  }

 private:
  /// A pass adds sources to values, in whatever array they will be; but it has none of a field that
  /// is another one's values of the step before.
  std::optional<std::string> refuses_passes_here(const field_demand<T>& demand) const {
    if (demand.fixed_cells_differ) return differing_fixed_cells;
    if (!demand.points || !(chain_.config || chain_.columns)) return std::nullopt;
    const auto is_renamed = [&](int field) {
      return chain_.columns ? columns_of(domain_).is_renamed(field)
                            : chain_of(domain_).is_renamed(field);
    };
    for (const source_list<T>& list : demand.points->sources)
      if (is_renamed(list.field))
        return fmt::format(
            "field '{}' has sources, and passes have it as old values of another field",
            domain_.definition().tape().fields[static_cast<std::size_t>(list.field)]);
    return std::nullopt;
  }
  device_step_plan steps_of(const field_schedule& s) const {
    device_step_plan plan;
    plan.naive = s.executor == executors::naive.name;
    plan.graph = s.executor == executors::graph.name;
    // Some milliseconds, after which a run can end.
    if (s.executor == executors::persistent.name)
      plan.together = static_cast<int>(std::clamp(2e-3 / s.step_seconds, 1.0, 4096.0));
    if (s.executor == executors::temporal.name) {
      plan.pass = chain_.config;
      plan.columns = chain_.columns;
      plan.resident = chain_.tiles;
      plan.depth = s.depth;
    }
    if (s.executor == executors::perks.name) plan.resident = resident_.plan;
    return plan;
  }

  const device_facts facts_;
  const field_options& options_;
  const field_domain& domain_;
  const field_bytes bytes_;
  const gpu_chain chain_;
  const gpu_resident resident_;
  field_memory<T> memory_;
  std::unique_ptr<device_steps<T>> steps_;
};

}  // namespace

template <class T>
std::unique_ptr<field_executor<T>> fields_on_gpu(const device& where, const field_domain& domain,
                                                 const field_options& options) {
  return std::make_unique<gpu_fields<T>>(where, domain, options);
}
template std::unique_ptr<field_executor<double>> fields_on_gpu(const device&, const field_domain&,
                                                               const field_options&);
template std::unique_ptr<field_executor<float>> fields_on_gpu(const device&, const field_domain&,
                                                              const field_options&);

}  // namespace dwell
