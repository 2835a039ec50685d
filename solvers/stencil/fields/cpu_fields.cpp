// SPDX-License-Identifier: MIT
// Fields in the host's memory: threads that take rows, and the choice of how.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <string_view>
#include <type_traits>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/number_text.hpp"
#include "dwell/base/precision.hpp"
#include "dwell/execution/device/threads/threads_worth.hpp"
#include "dwell/execution/stencil/fields/field_steps.hpp"
#include "dwell/execution/stencil/fields/kernel_choice.hpp"
#include "dwell/solvers/stencil/fields/field_executor.hpp"
#include "dwell/stencil/built_row_kernels.hpp"

namespace dwell {
namespace {

constexpr std::array<std::string_view, 4> cpu_executors{"auto", "naive", "persistent", "temporal"};
/// Bytes of a core's cache where its size is not known.
constexpr std::size_t usual_core_cache = std::size_t{1} << 20;

template <class T>
chosen_kernel<T> kernel_of(const built_row_kernels* built, const stencil_definition& definition,
                           const field_options& options) {
  if (!built) return choose_kernel<T>(definition, options.kernel);
  if (options.kernel != "auto")
    throw input_error(fmt::format(
        "kernel: a definition that is compiled with the program has its own, found '{}'",
        options.kernel));
  const auto& stages = precision_of<T> == precision::f64 ? built->f64 : built->f32;
  return {std::make_unique<compiled_rows<T>>(stages), "built-in", "compiled with the program", 0};
}

template <class T>
class cpu_fields final : public field_executor<T> {
 public:
  cpu_fields(const built_row_kernels* built, const device_facts& facts, const field_domain& domain,
             const field_options& options)
      : facts_(facts),
        options_(options),
        domain_(domain),
        kernel_(kernel_of<T>(built, domain.definition(), options)),
        memory_(domain, facts.units),
        rows_(domain, *kernel_.rows, memory_.pitch()) {}

  field_memory<T>& memory() override { return memory_; }
  field_kernel_facts kernel() const override {
    return {kernel_.name, kernel_.reason, kernel_.compile_seconds};
  }
  bool fixed_cells_differ(const field_places& places) override;
  bool finite(const field_places& places) override;
  field_schedule plan(const field_demand<T>& demand) const override { return choose(demand).first; }
  field_run_end run(const field_schedule& schedule, field_run<T>& r, const field_places& places,
                    const run_control& control) override;

 private:
  std::pair<field_schedule, field_pass> choose(const field_demand<T>& demand) const;
  field_pass pass_of(int threads, int depth) const;
  std::size_t core_cache() const {
    return facts_.core_cache > 0 ? facts_.core_cache : usual_core_cache;
  }
  bool cells_differ(const T* a, const T* b) const;

  const device_facts& facts_;
  const field_options& options_;
  const field_domain& domain_;
  chosen_kernel<T> kernel_;
  field_memory<T> memory_;
  field_rows<T> rows_;
  field_schedule schedule_;
  std::unique_ptr<field_stepper<T>> stepper_;
};

template <class T>
bool cpu_fields<T>::cells_differ(const T* a, const T* b) const {
  using word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  const auto& n = domain_.size().n;
  const auto [first, last] = domain_.changing(2);
  for (std::int64_t row = 0; row < domain_.size().rows(); ++row) {
    const auto any = [&](std::int64_t from, std::int64_t to) {
      for (std::int64_t x = row * memory_.pitch() + from; x < row * memory_.pitch() + to; ++x)
        if (std::bit_cast<word>(a[x]) != std::bit_cast<word>(b[x])) return true;
      return false;
    };
    const bool inner = first < last && !domain_.is_fixed(row / n[1], row % n[1], first);
    if (inner ? any(0, first) || any(last, n[2]) : any(0, n[2])) return true;
  }
  return false;
}

template <class T>
bool cpu_fields<T>::fixed_cells_differ(const field_places& places) {
  if (!domain_.has_fixed_cells()) return false;
  for (const field_stage& stage : domain_.definition().stages())
    for (const renamed_output& r : stage.renamed)
      if (cells_differ(memory_.field(places, r.field), memory_.field(places, r.from))) return true;
  return false;
}

template <class T>
bool cpu_fields<T>::finite(const field_places& places) {
  bool all = true;
  for (int f = 0; f < domain_.definition().fields(); ++f)
    for (std::int64_t row = 0; row < domain_.size().rows(); ++row) {
      const T* cells = memory_.field(places, f) + row * memory_.pitch();
      for (std::int64_t x = 0; x < domain_.size().n[2]; ++x) all = all & std::isfinite(cells[x]);
    }
  return all;
}

template <class T>
field_pass cpu_fields<T>::pass_of(int threads, int depth) const {
  return plan_pass(domain_, threads, depth,
                   std::int64_t{memory_.arrays()} * std::int64_t{sizeof(T)},
                   static_cast<std::int64_t>(core_cache() / 2));
}

template <class T>
std::pair<field_schedule, field_pass> cpu_fields<T>::choose(const field_demand<T>& demand) const {
  check_field_options(options_, cpu_executors);
  const std::string& wanted = options_.executor;
  if (wanted == "naive") return {{wanted, "as asked for", 1, 0}, {}};
  const bool flat = domain_.size().dims == 1;
  const auto worth =
      threads_worth(static_cast<double>(bytes_per_step(domain_, sizeof(T))),
                    flat ? domain_.size().n[2] : domain_.size().rows(), "step", facts_);
  auto refusal = refuses_passes(domain_);
  if (!refusal) refusal = refuses_passes_of(domain_.definition(), demand);
  const auto in_passes = [&](const field_pass& p) -> std::pair<field_schedule, field_pass> {
    return {{"temporal",
             fmt::format("{}; passes of {} step{} in {} tile{}", worth.why, p.depth,
                         p.depth == 1 ? "" : "s", p.across.parts, p.across.parts == 1 ? "" : "s"),
             worth.threads, p.depth},
            p};
  };
  if (wanted == "temporal") {
    if (refusal) throw input_error("executor temporal: " + *refusal);
    const field_pass p = pass_of(worth.threads, options_.depth);
    if (p.depth == 0)
      throw input_error("executor temporal: the field is too small for passes of several steps");
    return in_passes(p);
  }
  field_schedule steps{"persistent", worth.why, worth.threads, 0};
  if (wanted == "persistent") return {steps, {}};
  const bool large = memory_.bytes() > facts_.l2;
  if (refusal && large) steps.reason += "; no passes of several steps: " + *refusal;
  if (!large)
    steps.reason += fmt::format("; {} are not more than the last-level cache has",
                                byte_text(static_cast<double>(memory_.bytes())));
  if (refusal || !large) return {steps, {}};
  const field_pass p = pass_of(worth.threads, options_.depth);
  if (p.depth == 0) return {steps, {}};
  return in_passes(p);
}

template <class T>
field_run_end cpu_fields<T>::run(const field_schedule& schedule, field_run<T>& r,
                                 const field_places& places, const run_control& control) {
  if (!stepper_ || schedule.executor != schedule_.executor ||
      schedule.threads != schedule_.threads || schedule.depth != schedule_.depth) {
    const field_pass pass =
        schedule.depth > 0 ? pass_of(schedule.threads, options_.depth) : field_pass{};
    stepper_ = std::make_unique<field_stepper<T>>(rows_, schedule.threads, pass);
    schedule_ = schedule;
  }
  return stepper_->run(r, places, control);
}

}  // namespace

template <class T>
std::unique_ptr<field_executor<T>> fields_on_cpu(const built_row_kernels* built,
                                                 const device_facts& facts,
                                                 const field_domain& domain,
                                                 const field_options& options) {
  return std::make_unique<cpu_fields<T>>(built, facts, domain, options);
}
template std::unique_ptr<field_executor<double>> fields_on_cpu(const built_row_kernels*,
                                                               const device_facts&,
                                                               const field_domain&,
                                                               const field_options&);
template std::unique_ptr<field_executor<float>> fields_on_cpu(const built_row_kernels*,
                                                              const device_facts&,
                                                              const field_domain&,
                                                              const field_options&);

}  // namespace dwell
