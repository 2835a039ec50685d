// SPDX-License-Identifier: MIT
// Copies and runs of a field that is set up. session_setup.cpp sets it up.
#include "dwell/solvers/stencil/api/session.hpp"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <utility>

#include "dwell/base/error.hpp"
#include "dwell/base/lap_timer.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/solvers/stencil/api/decide.hpp"
#include "dwell/solvers/stencil/api/stencil_table.hpp"

namespace dwell {
namespace {

/// Steps between two polls: `most`, or a few less if check_every then is a multiple of them, which
/// a graph repeats.
int steps_to_poll(const stencil_goal& goal, int most) {
  if (!goal.until) return most;
  const int longest = std::min(goal.check_every, most);
  for (int d = longest; d > longest / 4; --d)
    if (goal.check_every % d == 0) return d;
  return longest;
}

/// Steps between polls: few enough to be interrupted within about a tenth of a second, many enough
/// to cost nothing. On a CPU arithmetic takes the time, and teams that cache tiles play their lanes
/// one after the other.
int steps_between_polls(std::size_t cells, int flops, backend on, bool caches) {
  constexpr double most = 64;
  constexpr double gpu_cells = 8.6e9;                  // what an H200 does in 40 ms
  constexpr double cpu_flops = 3.4e8, in_turn = 16.0;  // what two cores do in 100 ms
  const double work = on != backend::cpu ? static_cast<double>(cells) / gpu_cells
                                         : static_cast<double>(cells) * std::max(flops, 10) *
                                               (caches ? in_turn : 1.0) / cpu_flops;
  return static_cast<int>(std::clamp(1 / work, 1.0, most));
}

/// The change has been tested once at least when so many steps are done.
bool tested(const stencil_goal& goal, int done) {
  return goal.until && done > 0 && (done >= goal.check_every || done == goal.steps);
}

stencil_stop reason_of(stencil_status stop, bool until) {
  switch (stop) {
    case stencil_status::converged:
      return stencil_stop::converged;
    case stencil_status::not_finite:
      return stencil_stop::not_finite;
    case stencil_status::interrupted:
      return stencil_stop::interrupted;
    default:
      return until ? stencil_stop::step_limit : stencil_stop::steps_done;
  }
}

}  // namespace

template <class T>
stencil_session<T>::stencil_session(std::span<const stencil_kernel> table, const device& where,
                                    const extents& size, const stencil_options& options,
                                    bool has_source, grid_view<const T> field,
                                    grid_view<const T> source)
    : options_(options), has_source_(has_source), where_(where), on_(where.on()) {
  if (on_ == backend::cuda) report_.setup.context_s = start_cuda(where.ordinal());
  {
    const lap_timer timer(report_.setup.check_s);
    check_extents(size);
    shape_ = find_stencil_shape(table, options.shape);
    problem_ = problem_of(shape_, size, sizeof(T), options.edge, has_source);
    check_options<T>(options, shape_);
    set_weights(options.weights);
  }
  set_up(table, field, source);
  control_.interrupt = options_.interrupt;
  control_.progress_interval = options_.progress_interval;
  if (options_.progress)
    control_.progress = [this](int step, double change) {
      return options_.progress({goal_.first + step,
                                tested(goal_, step) ? std::optional(change) : std::nullopt,
                                seconds_on_host() - began_});
    };
  report_.setup_s = report_.setup.total();
}

template <class T>
template <class F>
void stencil_session<T>::uploading(F&& f) {
  {
    const lap_timer timer(report_.setup.upload_s);
    f();
  }
  report_.setup_s = report_.setup.total();
}

template <class T>
void stencil_session<T>::set_field(std::span<const T> values) {
  finish();
  uploading([&] { run_->set_field(values); });
  has_field_ = true;
}
template <class T>
void stencil_session<T>::set_field(device_span<const T> values) {
  if (running_) finish();
  uploading([&] {
    run_->set_field_there(values.data);
    finish_copy();
  });
  has_field_ = true;
}

template <class T>
void stencil_session<T>::set_source(std::span<const T> values) {
  finish();
  uploading([&] { run_->set_source(values); });
  source_is_set_ = true;
}
template <class T>
void stencil_session<T>::set_source(device_span<const T> values) {
  uploading([&] {
    run_->set_source_there(values.data);
    finish_copy();
  });
  source_is_set_ = true;
}

template <class T>
void stencil_session<T>::get_field(std::span<T> values) {
  require_field();
  finish();
  run_->get_field(values);
}
template <class T>
void stencil_session<T>::set_box(const grid_box& box, std::span<const T> values) {
  require_field();
  finish();
  run_->set_box(box, values);
}
template <class T>
void stencil_session<T>::get_box(const grid_box& box, std::span<T> values) {
  require_field();
  finish();
  run_->get_box(box, values);
}
template <class T>
T* stencil_session<T>::field_in_place() {
  require_field();
  if (running_) finish();
  return run_->field_in_place();
}
template <class T>
void stencil_session<T>::get_field(device_span<T> values) {
  require_field();
  if (running_) finish();
  run_->get_field_there(values.data);
  finish_copy();
}

/// Somebody who gave no stream cannot know when a copy is done.
template <class T>
void stencil_session<T>::finish_copy() {
  if (!where_.stream()) run_->finish();
}

template <class T>
void stencil_session<T>::set_weights(std::span<const double> weights) {
  check_weights<T>(weights, shape_);
  if (weights.empty()) weights = shape_.weights;
  weights_.assign(weights.begin(), weights.end());
}

template <class T>
void stencil_session<T>::require_field() const {
  if (!has_field_)
    throw input_error("field: expected set_field() before, and again after a run that has failed");
}

template <class T>
void stencil_session<T>::set_steps(const stencil_goal& goal) {
  stencil_args<T>& a = run_->args();
  a.steps = goal.steps;
  a.until = goal.until.has_value();
  a.tolerance = goal.until.value_or(0);
  a.check_every = goal.check_every;
  a.mark_every = steps_between_polls(problem_.size.cells(), problem_.flops, on_, caches_);
  // Where tiles stay on the chip, a poll costs two grid barriers and steps are short. A CPU plays
  // their lanes one after the other; a poll then ends a pass at least.
  const int seldom = on_ == backend::cpu ? std::max(a.mark_every, depth_) : 16 * a.mark_every;
  a.poll_every = steps_to_poll(goal, caches_ ? seldom : a.mark_every);
  // Passes of several steps are whole between polls.
  if (!caches_ && depth_ > 1 && !goal.until) a.poll_every = (a.poll_every / depth_ + 1) * depth_;
}

/// What throws in there leaves no field.
template <class T>
template <class F>
void stencil_session<T>::guarded(F&& f) {
  try {
    f();
  } catch (...) {
    has_field_ = running_ = started_ = false;
    since_ = {};
    throw;
  }
}

template <class T>
void stencil_session<T>::take(const stencil_state& end) {
  since_.steps += end.done;
  since_.stopped = reason_of(end.stop, goal_.until.has_value());
  since_.change = tested(goal_, end.done) ? std::optional(end.change) : std::nullopt;
}

template <class T>
void stencil_session<T>::start(const stencil_goal& goal) {
  check_goal(goal);
  require_field();
  if (has_source_ && !source_is_set_) throw input_error("source: expected set_source() before");
  if (running_) finish();
  goal_ = goal;
  if (goal.steps == 0) return take({});
  set_steps(goal);
  if (goal.first == 0) began_ = seconds_on_host();
  started_ = true;
  guarded([&] {
    const auto known = run_->start(weights_, control_);
    running_ = !known;
    if (known) take(*known);
  });
}

template <class T>
void stencil_session<T>::note_interrupt() {
  since_.stopped = stencil_stop::interrupted;
  since_.change.reset();
}

template <class T>
void stencil_session<T>::finish() {
  if (!started_) return;
  guarded([&] {
    const stencil_end end = run_->wait(control_);
    started_ = false;
    if (std::exchange(running_, false)) take(end.state);
    since_.solve_s += end.seconds;
  });
}

template <class T>
stencil_outcome stencil_session<T>::wait() {
  finish();
  set_outcome(since_);
  return std::exchange(since_, {});
}

template <class T>
void stencil_session<T>::set_outcome(const stencil_outcome& end) {
  report_.steps = static_cast<int>(std::min<std::int64_t>(end.steps, INT_MAX));
  report_.stopped = end.stopped;
  report_.change = end.change;
  report_.solve_s = end.solve_s;
  const auto steps = static_cast<double>(end.steps);
  report_.per_step_us = steps > 0 ? end.solve_s * 1e6 / steps : 0;
  report_.cells_per_second =
      end.solve_s > 0 ? static_cast<double>(report_.changing_cells) * steps / end.solve_s : 0;
}

template class stencil_session<double>;
template class stencil_session<float>;

}  // namespace dwell
