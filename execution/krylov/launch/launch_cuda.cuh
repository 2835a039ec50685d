// SPDX-License-Identifier: MIT
// How a GPU runs Programs. Included by generated files only.
#pragma once
#include <algorithm>
#include <memory>
#include <optional>
#include <type_traits>

#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_cuda.cuh"
#include "dwell/execution/device/queue_cuda.cuh"
#include "dwell/execution/device/watch_cuda.hpp"
#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/launch/kernels_cuda.cuh"

namespace dwell::cuda {

/// Scratch of one team.
template <class P, class T, class E, int Config>
std::size_t scratch_of(const program_args<P, T>& a) {
  return kernel_types<P, T, E, Config>::team::reserved_bytes() +
         cached_bytes<T>(a.cache, a.tiles.narrow != nullptr);
}

/// Decides on the device whether a graph's body runs once more.
template <class P>
__global__ void continue_kernel(const typename P::scalars* state,
                                cudaGraphConditionalHandle handle) {
  cudaGraphSetConditional(handle, state->stop == 0);
}

/// The queue of executors that launch phase by phase.
template <class P, class T, class E, int Config>
class queue : public host_queue<typename P::scalars> {
 public:
  queue(const program_args<P, T>& a, int teams, cudaStream_t stream)
      : host_queue<typename P::scalars>(a.state, stream),
        a_(a),
        teams_(teams),
        scratch_(scratch_of<P, T, E, Config>(a)) {
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (allow_scratch(phase_kernel<P, T, E, Config, K>, scratch_), ...);
      (loaded(phase_kernel<P, T, E, Config, K>), ...);
    }
    (std::make_integer_sequence<int, P::phases>{});
  }

  template <int Phase>
  void launch(const program_args<P, T>& a, int parity, int time) {
    using k = kernel_types<P, T, E, Config>;
    phase_kernel<P, T, E, Config, Phase>
        <<<teams_, k::lanes, scratch_, this->target()>>>(a, parity, time);
    DWELL_CUDA(cudaGetLastError());
    constexpr output left = output_of<P, Phase>;
    if (a_.behind && time + 1 == times_of<P, Phase>(a_))
      a_.behind->phase_launched(has_sums(left), has_elements(left), this->target());
  }

  /// Launches a graph, made at the first call: body() again and again until the scalars say stop.
  template <class Body>
  void repeat_while_running(Body&& body) {
    const bool repeats = !a_.behind;  // messages cannot be in a conditional node
    if (!this->has_graph())
      this->make_graph(repeats, [&] {
        body();
        if (!repeats) return;
        continue_kernel<P><<<1, 1, 0, this->target()>>>(a_.state, this->again());
        DWELL_CUDA(cudaGetLastError());
      });
    this->begin();
    repeats ? this->launch_graph() : relaunch_while_running();
  }

 private:
  /// The host looks at the outcome of a round while the next one runs. All ranks find the same, and
  /// launch as many.
  void relaunch_while_running() {
    for (int round = 0;; ++round) {
      this->launch_graph();
      this->record_outcome(round % 2);
      if (round > 0 && this->outcome((round + 1) % 2).stop != 0) return;
    }
  }

  const program_args<P, T>& a_;
  int teams_;
  std::size_t scratch_;
};

/// A run in one launch.
template <class P, class T, class E, int Config>
class whole_launch {
 public:
  whole_launch(const program_args<P, T>& a, int teams, cudaStream_t stream)
      : a_(a), teams_(teams), stream_(stream), scratch_(scratch_of<P, T, E, Config>(a)) {
    allow_scratch(run_kernel<P, T, E, Config>, scratch_);
    loaded(run_kernel<P, T, E, Config>);
  }
  void launch() {
    if constexpr (alone_of<E>)
      launch_apart(run_kernel<P, T, E, Config>, teams_, kernel_types<P, T, E, Config>::lanes,
                   scratch_, stream_, a_);
    else
      launch_together(run_kernel<P, T, E, Config>, teams_, kernel_types<P, T, E, Config>::lanes,
                      scratch_, stream_, a_.in_cluster, a_);
  }

 private:
  const program_args<P, T>& a_;
  int teams_;
  cudaStream_t stream_;
  std::size_t scratch_;
};

/// Runs in the device's stream.
template <class P, class T, class E, int Config>
class launch final : public program_launch {
 public:
  launch(const program_args<P, T>& a, const device& where, int teams)
      : a_(a), clock_(where), launches_(a, teams, clock_.stream()) {}

  void start(const run_control& control) override {
    clock_.use_device();
    watch_.emplace(control, a_.watch, clock_.stream());
    watch_->poll();  // an interrupt may be there already
    if constexpr (E::launches_phases) {
      launches_.run_with(*watch_, clock_);
      if constexpr (!E::records) clock_.begin();
      E::template drive<P, T>(launches_, a_);
    } else {
      clock_.begin();
      launches_.launch();
    }
    clock_.end();
  }
  double finish() override {
    clock_.use_device();
    watch_->wait_for(clock_.ended());
    watch_->finish();
    watch_.reset();
    return clock_.seconds();
  }

 private:
  using launches =
      std::conditional_t<E::launches_phases, queue<P, T, E, Config>, whole_launch<P, T, E, Config>>;
  const program_args<P, T>& a_;
  run_clock clock_;
  launches launches_;
  std::optional<watcher> watch_;
};

template <class P, class T, class E, int Config>
config_facts probe_config(const device& where) {
  using k = kernel_types<P, T, E, Config>;
  config_facts worst{E::cuda_configs[Config], 0, 0, 1 << 30, k::team::reserved_bytes()};
  const auto ask = [&](auto kernel) {
    const kernel_limits l = limits_of_kernel(kernel, k::lanes, worst.scratch_bytes, where);
    worst.registers = std::max(worst.registers, l.registers);
    worst.spill_bytes = std::max(worst.spill_bytes, l.spill_bytes);
    worst.max_teams = std::min(worst.max_teams, l.max_teams);
  };
  if constexpr (E::launches_phases) {
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (ask(phase_kernel<P, T, E, Config, K>), ...);
    }
    (std::make_integer_sequence<int, P::phases>{});
  } else {
    ask(run_kernel<P, T, E, Config>);
  }
  return worst;
}

template <class P, class T, class E>
std::unique_ptr<program_launch> prepare(const void* args, const device& where, const plan& how) {
  const auto& a = *static_cast<const program_args<P, T>*>(args);
  return with_config<std::size(E::cuda_configs)>(
      how.config, [&]<int R>() -> std::unique_ptr<program_launch> {
        return std::make_unique<launch<P, T, E, R>>(a, where, how.teams);
      });
}

template <class P, class T, class E>
config_facts probe(const device& where, int config) {
  return with_config<std::size(E::cuda_configs)>(
      config, [&]<int R>() { return probe_config<P, T, E, R>(where); });
}

template <class P, class T, class E>
config_facts assume(const device_facts& facts, int config) {
  return with_config<std::size(E::cuda_configs)>(config, [&]<int R>() -> config_facts {
    constexpr auto& shape = E::cuda_configs[R];
    return {shape, 0, 0, shape.teams_per_unit * facts.units,
            kernel_types<P, T, E, R>::team::reserved_bytes()};
  });
}

template <class P, class T, class E>
program_kernel kernel_of() {
  constexpr bool cooperative = !E::launches_phases && !alone_of<E>;
  return {P::name,         E::name,         precision_of<T>,  backend::cuda,     cooperative,
          E::cuda_configs, &probe<P, T, E>, &assume<P, T, E>, &prepare<P, T, E>, alone_of<E>};
}

}  // namespace dwell::cuda
