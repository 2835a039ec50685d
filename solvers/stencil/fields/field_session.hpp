// SPDX-License-Identifier: MIT
// What a field_runner holds.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/execution/stencil/fields/field_steps.hpp"
#include "dwell/execution/stencil/fields/kernel_choice.hpp"
#include "dwell/solvers/stencil/fields/field_reductions.hpp"
#include "dwell/solvers/stencil/fields/field_schedule.hpp"
#include "dwell/stencil/built_row_kernels.hpp"
#include "dwell/stencil/field_runner.hpp"

namespace dwell {

/// A parameter: a value, or one for each step from `first_step` of the runner on.
struct parameter_values {
  std::vector<double> values{0.0};
  bool table = false;
  std::int64_t first_step = 0;
};

template <class T>
class field_session {
 public:
  field_session(const built_row_kernels* built, const device& where,
                const stencil_definition& definition, const std::vector<std::int64_t>& size,
                const field_options& options);

  const stencil_definition& definition() const { return domain_.definition(); }
  void set_field(int i, std::span<const T> cells);
  void set_coefficient(int i, std::span<const T> cells);
  void set_parameter(int i, std::span<const double> values, bool table);
  void set_sources(int field, std::span<const std::int64_t> cells, std::span<const T> series);
  int set_receivers(int field, std::span<const std::int64_t> cells);
  void clear_points() { points_ = {}; }
  std::span<const T> record(int number) const;
  void set_reductions(std::vector<field_reduction> list, int every);
  const std::vector<field_reduction_row>& reductions() const { return reductions_.rows(); }
  field_outcome run(int steps);
  void field(int i, std::span<T> cells) const;
  field_report report() const;

 private:
  /// How a run goes. It depends on the fields: on whether fixed cells of renamed ones are the same.
  field_schedule decide(bool fixed_cells_differ) const {
    return schedule_of(domain_, bytes_, options_, facts_, refuses_temporal(fixed_cells_differ));
  }
  std::optional<std::string> refuses_temporal(bool fixed_cells_differ) const;
  bool fixed_cells_differ() const;
  int require_field(int i, std::size_t cells) const;
  void require_steps(int steps) const;
  field_run<T> prepared(int steps);
  /// Steps without a look at the fields.
  field_run_end run_piece(int steps, const run_control& control);

  device where_;
  device_facts facts_;
  field_options options_;
  field_domain domain_;
  field_bytes bytes_;
  chosen_kernel<T> kernel_;
  field_memory<T> memory_;
  field_rows<T> rows_;
  field_points<T> points_;
  field_reductions<T> reductions_;
  field_places places_;
  std::vector<parameter_values> parameters_;
  std::int64_t steps_done_ = 0;
  field_schedule schedule_;
  std::unique_ptr<field_stepper<T>> stepper_;
  field_outcome last_;
};

}  // namespace dwell
