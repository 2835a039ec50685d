// SPDX-License-Identifier: MIT
// Fields in a GPU's memory, and their steps there.
#include <fmt/format.h>

#include "dwell/base/error.hpp"
#include "dwell/base/number_text.hpp"
#include "dwell/execution/device/executors.hpp"
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
        memory_(domain, where, chain_.config || resident_.plan ? domain.definition().fields() : 0),
        steps_(cuda_backend<device_step_functions<T>>().make(where, domain, memory_)) {
    if (options.kernel != "auto" && options.kernel != "compiled")
      throw input_error(
          fmt::format("kernel: a GPU has compiled ones alone, found '{}'", options.kernel));
    steps_->prepare(steps_of(plan({})));
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
  field_schedule plan(const field_demand<T>& demand) const override {
    const bool has_points = demand.points && !demand.points->empty();
    gpu_steps steps;
    if (has_points)
      steps.refusal = "sources and receivers are looked at after each step";
    else if (demand.parameters_change)
      steps.refusal = "a parameter has a value for each step";
    else
      steps.refusal = refuses_passes_of(domain_.definition(), demand);
    steps.alike = !has_points && !demand.parameters_change && !demand.fixed_cells_differ;
    return gpu_schedule_of(domain_, bytes_, chain_, resident_, options_, facts_, steps);
  }
  field_run_end run(const field_schedule& schedule, field_run<T>& r, const field_places& places,
                    const run_control& control) override {
    return steps_->run(steps_of(schedule), r, places, control);
  }

 private:
  device_step_plan steps_of(const field_schedule& s) const {
    device_step_plan plan;
    plan.graph = s.executor == executors::graph.name;
    if (s.executor == executors::temporal.name) {
      plan.pass = chain_.config;
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
