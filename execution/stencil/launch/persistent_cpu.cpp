// SPDX-License-Identifier: MIT
// The loop of persistent over the steps of any shape.
#include "dwell/execution/stencil/launch/persistent_cpu.hpp"

#include <concepts>
#include <utility>

namespace dwell {
namespace {

/// In place of a shape, where a time loop calls a step through single_step.
struct any_shape {};

}  // namespace

template <class T>
struct stencil_call<any_shape, T> : stencil_args<T> {
  const cpu::single_step<T>* steps;
};

namespace {

template <std::same_as<any_shape> S, class T, bool Tiles, class Team>
void step_field(Team& team, const stencil_call<S, T>& a, const T* in, T* out) {
  a.steps->step(team, in, out);
}

}  // namespace
}  // namespace dwell

namespace dwell::cpu {

template <class T>
looping_launcher<T>::looping_launcher(int teams, std::unique_ptr<single_step<T>> steps)
    : barrier_launcher<T>(teams, plain_lanes * sizeof(double)), steps_(std::move(steps)) {}

template <class T>
const stencil_args<T>& looping_launcher<T>::take(const stencil_start& run) {
  return steps_->take(run);
}

template <class T>
void looping_launcher<T>::run_all(run_watch& watch) {
  stencil_call<any_shape, T> a;
  static_cast<stencil_args<T>&>(a) = steps_->args();
  a.steps = steps_.get();
  this->template run_teams<plain_lanes>(
      a, watch, [&](plain_team& team) { barrier_steps::run<any_shape, T>(team, a); });
}

template class looping_launcher<double>;
template class looping_launcher<float>;

}  // namespace dwell::cpu
