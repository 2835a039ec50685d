// SPDX-License-Identifier: MIT
// Tries plans of a Stencil: does a few steps on a copy of a field and says how long one took. The
// run itself starts afresh afterwards: nothing that is tried here is cached.
#pragma once
#include <algorithm>
#include <atomic>
#include <optional>
#include <span>

#include "dwell/execution/stencil/launch/run.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// What a trial does steps on; all of it must stay valid.
template <class T>
struct stencil_trial_start {
  grid_view<const T> field;
  grid_view<const T> source;  ///< without data: none
  boundary edge = boundary::fixed;
  std::span<const double> weights;
  bool reverse_lanes = false;
  const std::atomic<bool>* interrupt = nullptr;  ///< or null
  double* compile_seconds = nullptr;             ///< gets what compiling took besides; or null
};

template <class T>
class stencil_trial {
 public:
  stencil_trial(const device& where, const stencil_kernel& v, const stencil_trial_start<T>& start)
      : where_(where), variant_(v), start_(start) {}

  /// Seconds per step, the less of two runs: of two exchanges at least and of about a millisecond
  /// if the projection is right. Nothing once interrupted.
  std::optional<double> operator()(const stencil_choice& choice) const {
    if (start_.interrupt && *start_.interrupt) return std::nullopt;
    const bool has_source = start_.source.data != nullptr;
    stencil_run<T> run(where_, variant_, choice.plan, start_.field.size, start_.edge, has_source);
    if (start_.compile_seconds) *start_.compile_seconds += run.making().seconds;
    run.set_field(start_.field.cells());
    if (has_source) run.set_source(start_.source.cells());
    stencil_args<T>& a = run.args();
    const double projected = choice.projected.seconds;
    const int wanted = projected > 0 ? static_cast<int>(std::min(1e-3 / projected, 1000.0)) : 0;
    a.steps = std::max(2 * choice.plan.depth, wanted);
    a.poll_every = a.steps;
    a.mark_every = a.steps;
    a.reverse_lanes = start_.reverse_lanes;
    run_control control;
    control.interrupt = start_.interrupt;
    const double first = run.run(start_.weights, control).seconds;
    return std::min(first, run.run(start_.weights, control).seconds) / a.steps;
  }

 private:
  device where_;
  const stencil_kernel& variant_;
  stencil_trial_start<T> start_;
};

}  // namespace dwell
