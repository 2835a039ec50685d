// SPDX-License-Identifier: MIT
// How the CPU runs stencils under persistent: the time loop, barrier_steps, in a thread for each
// team, compiled once for all shapes.
#pragma once
#include <memory>
#include <type_traits>

#include "dwell/base/api.hpp"
#include "dwell/execution/stencil/launch/launch_cpu.hpp"
#include "dwell/execution/stencil/loops/persistent.hpp"

namespace dwell::cpu {

template <class T>
class DWELL_API looping_launcher final : public barrier_launcher<T> {
 public:
  looping_launcher(int teams, std::unique_ptr<single_step<T>> steps);

 private:
  const stencil_args<T>& take(const stencil_start& run) override;
  void run_all(run_watch& watch) override;
  const std::unique_ptr<single_step<T>> steps_;
};

template <class S, class T, class E>
std::unique_ptr<stencil_launcher> prepare_looping(const void* args, const device&) {
  static_assert(std::is_same_v<typename E::loop, barrier_steps>);
  const int teams = static_cast<const stencil_args<T>*>(args)->plan.teams;
  return std::make_unique<looping_launcher<T>>(teams, step_of<S, T, E>(teams));
}

template <class S, class T, class E>
stencil_kernel looping_kernel() {
  return plain_kernel<S, T, E>(true, &prepare_looping<S, T, E>);
}

}  // namespace dwell::cpu
