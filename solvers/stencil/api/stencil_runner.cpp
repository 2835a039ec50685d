// SPDX-License-Identifier: MIT
// Calls of a runner, passed to its session. What needs the table of this build's stencils is in
// built.cpp.
#include "dwell/stencil/stencil_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "dwell/base/error.hpp"
#include "dwell/solvers/stencil/api/check.hpp"
#include "dwell/solvers/stencil/api/session.hpp"

namespace dwell {

template <class T>
stencil_runner<T>::stencil_runner(std::span<const stencil_kernel> table, const device& where,
                                  const extents& size, const stencil_options& options,
                                  bool has_source)
    : session_(std::make_unique<stencil_session<T>>(table, where, size, options, has_source)) {}
template <class T>
stencil_runner<T>::stencil_runner(stencil_runner&&) noexcept = default;
template <class T>
stencil_runner<T>& stencil_runner<T>::operator=(stencil_runner&&) noexcept = default;
template <class T>
stencil_runner<T>::~stencil_runner() = default;

template <class T>
const extents& stencil_runner<T>::size() const {
  return session_->size();
}

template <class T>
void stencil_runner<T>::set_field(grid_view<const T> u) {
  check_values("field", u, size());
  session_->set_field(u.cells());
}

template <class T>
void stencil_runner<T>::set_source(grid_view<const T> f) {
  require_source();
  check_values("source", f, size());
  session_->set_source(f.cells());
}

template <class T>
void stencil_runner<T>::set_field(device_span<const T> u) {
  check_on_device("field", u, size(), session_->where());
  session_->set_field(u);
}

template <class T>
void stencil_runner<T>::set_source(device_span<const T> f) {
  require_source();
  check_on_device("source", f, size(), session_->where());
  session_->set_source(f);
}

template <class T>
void stencil_runner<T>::require_source() const {
  if (!session_->has_source())
    throw input_error("source: expected a runner that was made with has_source");
}

template <class T>
void stencil_runner<T>::set_weights(std::span<const double> weights) {
  session_->set_weights(weights);
}

template <class T>
void stencil_runner<T>::field(grid_view<T> u) {
  check_size("field", u.size, size());
  check_on_host("field", u.data);
  session_->get_field(u.cells());
}

template <class T>
void stencil_runner<T>::field(device_span<T> u) {
  check_on_device<T>("field", u, size(), session_->where());
  session_->get_field(u);
}

template <class T>
void stencil_runner<T>::box(const grid_offset& first, grid_view<T> some) {
  check_box({first, some.size}, size());
  check_on_host("box", some.data);
  session_->get_box({first, some.size}, some.cells());
}

template <class T>
void stencil_runner<T>::set_box(const grid_offset& first, grid_view<const T> some) {
  check_box({first, some.size}, size());
  check_on_host("box", some.data);
  session_->set_box({first, some.size}, some.cells());
}

template <class T>
typename stencil_runner<T>::cells_in_place stencil_runner<T>::field_in_place() {
  if (session_->where().on() != backend::cuda)
    throw input_error("field_in_place: expected a runner on a CUDA device, found one on a CPU");
  return {session_->field_in_place(), session_->pitch(), static_cast<std::size_t>(size().y)};
}

template <class T>
grid<T> stencil_runner<T>::field() {
  grid<T> u(size());
  field(u);
  return u;
}

template <class T>
stencil_outcome stencil_runner<T>::run_goal(const stencil_goal& goal) {
  session_->wait();  // what was started before is not part of this run
  session_->start(goal);
  return session_->wait();
}

template <class T>
stencil_outcome stencil_runner<T>::run(int steps) {
  return run_goal({.steps = steps});
}

template <class T>
stencil_outcome stencil_runner<T>::run() {
  return run_goal(goal_of(session_->options()));
}

template <class T>
stencil_outcome stencil_runner<T>::run_until(double tolerance, int max_steps, int check_every) {
  return run_goal({.steps = max_steps, .until = tolerance, .check_every = check_every});
}

template <class T>
stencil_outcome stencil_runner<T>::run_pieces(int steps, int every,
                                              const std::function<bool(const moment&)>& go_on) {
  check_goal({.steps = steps});
  if (every < 1) throw input_error(fmt::format("every: expected at least 1, found {}", every));
  stencil_outcome all = run_goal({});
  for (int done = 0; done < steps && all.stopped == stencil_stop::steps_done;) {
    if (session_->is_interrupted()) {
      all.stopped = stencil_stop::interrupted;
      break;
    }
    const stencil_outcome piece = run_goal({.steps = std::min(every, steps - done), .first = done});
    done += static_cast<int>(piece.steps);
    all.steps = done;
    all.stopped = piece.stopped;
    all.solve_s += piece.solve_s;
    if (piece.stopped == stencil_stop::steps_done && !go_on(moment(*this, done)) && done < steps)
      all.stopped = stencil_stop::interrupted;
  }
  session_->set_outcome(all);
  return all;
}

template <class T>
void stencil_runner<T>::run_async(int steps) {
  check_goal({.steps = steps});
  if (session_->is_interrupted()) return session_->note_interrupt();
  session_->start({.steps = steps});
}

template <class T>
stencil_outcome stencil_runner<T>::wait() {
  return session_->wait();
}

template <class T>
const stencil_report& stencil_runner<T>::report() const {
  return session_->report();
}

template class stencil_runner<double>;
template class stencil_runner<float>;

}  // namespace dwell
