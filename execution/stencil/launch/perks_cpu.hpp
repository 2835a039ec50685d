// SPDX-License-Identifier: MIT
// How the CPU runs perks: the protocol of the GPU, for tests. A thread plays all lanes of a team.
#pragma once
#include "dwell/execution/stencil/engines/perks_engines.hpp"
#include "dwell/execution/stencil/launch/launch_cpu.hpp"
#include "dwell/execution/stencil/loops/perks.hpp"

namespace dwell::cpu {

template <class S, class T, class E>
class caching_launcher : public barrier_launcher<T> {
 public:
  explicit caching_launcher(const stencil_plan& how)
      : barrier_launcher<T>(how.teams, scratch_bytes(how)) {}

 private:
  static std::size_t scratch_bytes(const stencil_plan& how) {
    return caching_engines::with<S, T>(
        how.config, [&]<class Engine, auto C>() {
          return kernel_scratch_bytes<Engine, S, T>(C) + Engine::template layer_bytes<S, T>(C, how);
        });
  }
  const stencil_args<T>& take(const stencil_start& run) override {
    return a_ = call_of<S, T>(run.args, run.weights);
  }
  void run_all(run_watch& watch) override {
    caching_engines::with<S, T>(
        a_.plan.config, [&]<class Engine, auto C>() {
          this->template run_teams<perks_lanes>(
              a_, watch, [&](auto& team) { E::template run<S, T, Engine, C>(team, a_); });
        });
  }
  stencil_call<S, T> a_;
};

template <class S, class T, class E>
std::unique_ptr<stencil_launcher> prepare_caching(const void* args, const device&) {
  return std::make_unique<caching_launcher<S, T, E>>(
      static_cast<const stencil_args<T>*>(args)->plan);
}

template <class S, class T>
const engine_row& caching_kernels() {
  static const engine_row* const row = lasting(caching_row<S, T>());
  return *row;
}

template <class S, class T>
engine_facts assume_caching(const device_facts& facts, int config) {
  return {caching_kernels<S, T>().all()[static_cast<std::size_t>(config)], 0, 0, facts.units,
          caching_scratch_bytes<S, T>(config)};
}
template <class S, class T>
engine_facts probe_caching(const device& where, int config) {
  return assume_caching<S, T>(where.facts(), config);
}

template <class S, class T, class E>
stencil_kernel caching_kernel() {
  return {shape_facts<S>(),
          E::name,
          precision_of<T>,
          backend::cpu,
          true,
          caching_kernels<S, T>().all(),
          &assume_caching<S, T>,
          &probe_caching<S, T>,
          &prepare_caching<S, T, E>};
}

}  // namespace dwell::cpu
