// SPDX-License-Identifier: MIT
// Fields in the host's memory: threads that take rows, and the choice of how.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <type_traits>

#include "dwell/base/error.hpp"
#include "dwell/base/precision.hpp"
#include "dwell/execution/stencil/fields/field_steps.hpp"
#include "dwell/execution/stencil/fields/kernel_choice.hpp"
#include "dwell/solvers/stencil/fields/field_executor.hpp"
#include "dwell/stencil/built_row_kernels.hpp"

namespace dwell {
namespace {

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
  void subtract(T* from, const T* cells, std::size_t n) override {
    for (std::size_t i = 0; i < n; ++i) from[i] -= cells[i];
  }
  field_schedule plan(const field_demand<T>& demand) const override { return choose(demand).how; }
  field_run_end run(const field_schedule& schedule, field_run<T>& r, const field_places& places,
                    const run_control& control) override;

 private:
  cpu_schedule choose(const field_demand<T>& demand) const;
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
cpu_schedule cpu_fields<T>::choose(const field_demand<T>& demand) const {
  auto refusal = refuses_passes(domain_);
  if (!refusal) refusal = refuses_passes_of(domain_.definition(), demand);
  return cpu_schedule_of(domain_, bytes_of(domain_, sizeof(T)), options_, facts_, refusal);
}

template <class T>
field_run_end cpu_fields<T>::run(const field_schedule& schedule, field_run<T>& r,
                                 const field_places& places, const run_control& control) {
  if (!stepper_ || schedule.executor != schedule_.executor ||
      schedule.threads != schedule_.threads || schedule.depth != schedule_.depth) {
    field_pass pass;
    if (schedule.depth > 0) pass = choose({}).pass;
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
