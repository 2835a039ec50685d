// SPDX-License-Identifier: MIT
// The time loops of stencils on a CPU, for all shapes.
#include "dwell/execution/stencil/launch/launch_cpu.hpp"

#include <cstring>

namespace dwell::cpu {

template <class T>
void single_step<T>::run(int team, int from, int, int) const {
  const stencil_args<T>& a = args();
  if (has_ended(a)) return;
  with_grid_team<plain_lanes>(a, team, a.plan.teams, nullptr, scratch_,
                              [&](plain_team& t) { step(t, a.field[from], a.field[from ^ 1]); });
}

template <class T>
std::optional<stencil_state> launcher<T>::start(const stencil_start& run,
                                                const run_control& control) {
  if (!run.flags.empty()) std::memset(run.flags.data(), 0, run.flags.size());
  const stencil_args<T>& a = take(run);
  run_watch watch(control, a.watch);
  const double begin = seconds_now();
  run_all(watch);
  end_.seconds += seconds_now() - begin;
  watch.finish();
  return end_.state = *a.state;
}

template <class T>
stencil_queue<T>::stencil_queue(int teams, std::unique_ptr<field_steps<T>> steps)
    : teams_(teams),
      steps_(std::move(steps)),
      scratch_(teams, plain_lanes * sizeof(double)),
      pool_(teams) {}

template <class T>
const stencil_args<T>& stencil_queue<T>::take(const stencil_start& run) {
  a_ = &steps_->take(run);
  copy_ = 0;
  return *a_;
}

template <class T>
void stencil_queue<T>::step(int steps) {
  for (int phase = 0; phase < steps_->phases(); ++phase)
    pool_.launch([&](int team) { steps_->run(team, copy_, steps, phase); });
  copy_ = steps_->copy_after(copy_, steps);
}

template <class T>
void stencil_queue<T>::compare(int steps) {
  pool_.launch([&](int member) {
    with_grid_team<plain_lanes>(*a_, member, teams_, nullptr, scratch_, [&](plain_team& team) {
      launch_compare<T>(team, *a_, steps, copy_);
    });
  });
}

template <class T>
void stencil_queue<T>::poll(int steps) {
  with_grid_team<plain_lanes>(*a_, 0, 1, nullptr, scratch_,
                              [&](plain_team& team) { launch_poll<T>(team, *a_, steps, copy_); });
  watch_->poll();
}

template class single_step<double>;
template class single_step<float>;
template class launcher<double>;
template class launcher<float>;
template class stencil_queue<double>;
template class stencil_queue<float>;

}  // namespace dwell::cpu
