// SPDX-License-Identifier: MIT
// Fields in a GPU's memory, and the choice of how their steps are taken.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/number_text.hpp"
#include "dwell/device/limits.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/execution/stencil/fields/device_kernels.hpp"
#include "dwell/execution/stencil/fields/device_steps.hpp"
#include "dwell/execution/stencil/partition/strips.hpp"
#include "dwell/solvers/stencil/fields/field_executor.hpp"

namespace dwell {
namespace {

constexpr std::array<std::string_view, 4> gpu_executors{
    "auto", executors::host_loop.name, executors::graph.name, executors::temporal.name};

/// A pass that fits, and seconds of one of its steps.
struct chosen_chain {
  chain_config config;
  double step_seconds;
};

template <class T>
class gpu_fields final : public field_executor<T> {
 public:
  gpu_fields(const device& where, const field_domain& domain, const field_options& options)
      : facts_(where.facts()),
        limits_(limits_of(facts_)),
        options_(options),
        domain_(domain),
        chain_(chain_or_refusal()),
        memory_(domain, where, chain_ ? domain.definition().fields() : 0),
        steps_(cuda_backend<device_step_functions<T>>().make(where, domain, memory_)) {
    if (options.kernel != "auto" && options.kernel != "compiled")
      throw input_error(
          fmt::format("kernel: a GPU has compiled ones alone, found '{}'", options.kernel));
    const field_schedule first = plan({});
    steps_->prepare(steps_of(first));
  }

  field_memory<T>& memory() override { return memory_; }
  field_kernel_facts kernel() const override {
    const compile_cost cost = steps_->cost();
    std::string reason =
        fmt::format("by {} for compute capability {}.{}", cost.compiler,
                    facts_.compute_capability / 10, facts_.compute_capability % 10);
    if (cost.spilled_bytes > 0)
      reason += fmt::format("; a lane of a pass keeps {} in memory",
                            byte_text(static_cast<double>(cost.spilled_bytes)));
    return {"compiled", reason, cost.seconds};
  }
  bool fixed_cells_differ(const field_places& places) override {
    return steps_->fixed_cells_differ(places);
  }
  bool finite(const field_places& places) override { return steps_->finite(places); }
  field_schedule plan(const field_demand<T>& demand) const override;
  field_run_end run(const field_schedule& schedule, field_run<T>& r, const field_places& places,
                    const run_control& control) override {
    return steps_->run(steps_of(schedule), r, places, control);
  }

 private:
  std::optional<chosen_chain> chain_or_refusal();
  double pass_step_seconds(const chain_config& c) const;
  double single_step_seconds() const;
  device_step_plan steps_of(const field_schedule& s) const {
    device_step_plan plan;
    plan.graph = s.executor != executors::host_loop.name;
    if (s.executor == executors::temporal.name) {
      plan.pass = chain_->config;
      plan.depth = s.depth;
    }
    return plan;
  }

  const device_facts facts_;
  const device_limits limits_;
  const field_options& options_;
  const field_domain& domain_;
  std::string no_chain_;  ///< why
  std::optional<chosen_chain> chain_;
  field_memory<T> memory_;
  std::unique_ptr<device_steps<T>> steps_;
};

template <class T>
std::optional<chosen_chain> gpu_fields<T>::chain_or_refusal() {
  check_field_options(options_, gpu_executors);
  if (const auto why = refuses_chain(domain_, facts_.compute_capability)) {
    no_chain_ = *why;
    return std::nullopt;
  }
  const chain_shape shape = chain_of(domain_);
  const auto config = plan_chain(shape, work_of(domain_.definition()), sizeof(T),
                                 facts_.shared_per_team, options_.depth);
  if (!config) {
    no_chain_ =
        options_.depth > 0
            ? fmt::format("no pass of {} steps fits a GPU's registers and scratch", options_.depth)
            : "no pass of several steps fits a GPU's registers and scratch";
    return std::nullopt;
  }
  return chosen_chain{*config, pass_step_seconds(*config)};
}

template <class T>
double gpu_fields<T>::pass_step_seconds(const chain_config& c) const {
  const chain_numbers n{chain_of(domain_), c, sizeof(T)};
  const double cell = chain_cycles(n, work_of(domain_.definition()));
  const overlapping_strips strips{n.width(), n.halo(), static_cast<int>(domain_.size().n[2]),
                                  domain_.is_periodic(2)};
  const double rows =
      static_cast<double>(strips.count()) * static_cast<double>(domain_.size().n[1]) / facts_.units;
  const double lost = 2.0 * n.depth() * n.shape.step_rows();
  const double clock = limits_.clock > 0 ? limits_.clock : 1.5e9;
  const double pass = (std::max(rows, 1.0) + lost) * n.width() * n.depth() * cell / clock;
  return (pass + limits_.launch) / n.depth();
}

template <class T>
double gpu_fields<T>::single_step_seconds() const {
  constexpr double reached = 0.85;  ///< part of the rates that plain kernels reach
  const bool cached = static_cast<double>(memory_.bytes()) < limits_.l2_cached;
  return static_cast<double>(domain_.definition().stages().size()) * limits_.launch +
         static_cast<double>(bytes_per_step(domain_, sizeof(T))) /
             (reached * (cached ? limits_.l2 : limits_.memory));
}

template <class T>
field_schedule gpu_fields<T>::plan(const field_demand<T>& demand) const {
  const std::string& wanted = options_.executor;
  std::optional<std::string> refusal;
  if (!chain_)
    refusal = no_chain_;
  else if (demand.points && !demand.points->empty())
    refusal = "sources and receivers are looked at after each step";
  else if (demand.parameters_change)
    refusal = "a parameter has a value for each step";
  else
    refusal = refuses_passes_of(domain_.definition(), demand);
  const auto in_passes = [&](const std::string& why) {
    const chain_config& c = chain_->config;
    const int depth = options_.depth > 0 ? options_.depth : c.warps * c.steps;
    return field_schedule{
        std::string(executors::temporal.name),
        fmt::format("{}; passes of {} steps by strips of {} cells, {} warps of {} steps", why,
                    depth, 32 * c.across, depth / c.steps, c.steps),
        facts_.units, depth};
  };
  if (wanted == executors::temporal.name) {
    if (refusal) throw input_error("executor temporal: " + *refusal);
    return in_passes("as asked for");
  }
  if (wanted == executors::host_loop.name) return {wanted, "as asked for", facts_.units, 0};
  // Launches of a graph are those of the run that was recorded.
  const bool alike = !demand.parameters_change && !demand.fixed_cells_differ &&
                     (!demand.points || demand.points->empty());
  if (wanted == executors::graph.name) {
    if (!alike)
      throw input_error(
          "executor graph: steps of this run are not alike (parameters with a value for each step, "
          "sources, receivers, or fixed cells that differ)");
    return {wanted, "as asked for", facts_.units, 0};
  }
  const field_schedule single{
      std::string(alike ? executors::graph.name : executors::host_loop.name),
      refusal ? "single steps: " + *refusal : "", facts_.units, 0};
  if (refusal) return single;
  const double step = single_step_seconds();
  const std::string times = fmt::format("projected {:.3g} us a step in passes, {:.3g} us alone",
                                        1e6 * chain_->step_seconds, 1e6 * step);
  if (chain_->step_seconds < step) return in_passes(times);
  return {single.executor, times, facts_.units, 0};
}

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
