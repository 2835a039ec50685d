// SPDX-License-Identifier: MIT
// What a field_runner holds.
#pragma once
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/execution/device/work_queue.hpp"
#include "dwell/solvers/stencil/fields/field_executor.hpp"
#include "dwell/solvers/stencil/fields/field_reductions.hpp"
#include "dwell/solvers/stencil/fields/hoisted_values.hpp"
#include "dwell/solvers/stencil/fields/hoisting_choice.hpp"
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

  const stencil_definition& definition() const { return given_; }
  void set_field(int i, std::span<const T> cells);
  void set_field(int i, device_span<const T> cells);
  void set_coefficient(int i, std::span<const T> cells);
  void set_coefficient(int i, device_span<const T> cells);
  void set_parameter(int i, std::span<const double> values, bool table);
  void set_sources(int field, std::span<const std::int64_t> cells, std::span<const T> series);
  int set_receivers(int field, std::span<const std::int64_t> cells);
  void clear_points() { points_ = {{}, {}, points_.revision + 1}; }
  std::span<const T> record(int number) const;
  void set_reductions(std::vector<field_reduction> list, int every);
  const std::vector<field_reduction_row>& reductions() const { return reductions_.rows(); }
  /// look: called after every `every` steps; false ends the run.
  field_outcome run(int steps, int every = 0, const progress_function<field_progress>& look = {});
  void field(int i, std::span<T> cells) const;
  void field(int i, device_span<T> cells) const;
  field_report report() const;

 private:
  /// Each the array of a place in the definition; they throw input_error if there is none, or it
  /// has another number of cells than the caller's.
  T* require_field(int i, std::size_t cells) const;
  void require_coefficient(int i, std::size_t cells) const;
  /// Cells of a coefficient, in the memory of the host or of the device.
  template <class Cells>
  void give_coefficient(int i, Cells cells);
  void copy_in(std::span<const T> cells, T* array);
  void copy_in(device_span<const T> cells, T* array);
  /// Who gave no stream cannot know when a copy is done.
  void finish_copy() const {
    if (!has_stream_) queue_.finish();
  }
  void require_steps(int steps) const;
  field_run<T> prepared(int steps);
  /// Steps without a look at the fields.
  field_run_end run_piece(int steps, const run_control& control);
  field_demand<T> demand(bool fixed_cells_differ) const;
  field_memory<T>& memory() const { return executor_->memory(); }

  bool has_stream_;  ///< given by the caller
  work_queue queue_;
  device_facts facts_;
  field_options options_;
  stencil_definition given_;
  hoisting_choice hoisting_;
  field_domain domain_;  ///< what steps compute, and its sides
  std::unique_ptr<field_executor<T>> executor_;
  std::optional<hoisted_values<T>> values_;  ///< that are computed once
  field_points<T> points_;
  field_reductions<T> reductions_;
  field_places places_;
  std::vector<parameter_values> parameters_;
  std::int64_t steps_done_ = 0;
  /// Whether fixed cells differ; nothing until that was looked at since a field was set. Steps do
  /// not change it.
  std::optional<bool> fixed_cells_differ_;
  field_schedule schedule_;
  field_outcome last_;
};

}  // namespace dwell
