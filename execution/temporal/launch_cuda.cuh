// SPDX-License-Identifier: MIT
// How a GPU runs temporal: a launch for each pass, one block per multiprocessor.
#pragma once
#include "dwell/execution/stencil/launch/launch_cuda.cuh"
#include "dwell/execution/team/ring_team_cuda.cuh"
#include "dwell/execution/temporal/ring2d/agent.hpp"
#include "dwell/execution/temporal/rows_cuda.hpp"
#include "dwell/execution/temporal/stencil.hpp"

namespace dwell::cuda {

template <class S, class T, int K>
inline constexpr ring_config ring_config_of = ring_configs<backend::cuda, S, T>()[K];
template <class S, class T, int K>
using ring_sizes_of = ring_sizes<S, T, ring_config_of<S, T, K>>;
template <class S, class T, int K>
using ring_team_of = cuda_ring_team<ring_sizes_of<S, T, K>>;

/// Config K of engine ring2d. Code for a GPU that has not what the team needs has a mark instead:
/// so the host knows (compiled_for_rings).
template <class S, class T, int K, bool Source>
__global__ void __launch_bounds__(ring_team_of<S, T, K>::threads, 1)
    pass_kernel(const __grid_constant__ stencil_call<S, T> a,
                const __grid_constant__ ring_pass pass) {
  if constexpr (has_ring_teams) {
    if (has_ended(a)) return;
    ring_team_of<S, T, K> team;
    ring_pass_of_team<S, T, ring_config_of<S, T, K>, Source>(team, a, pass);
  } else {
    __shared__ volatile int mark[1];
    mark[0] = 1;
    __trap();
  }
}
template <class Kernel>
bool compiled_for_rings(Kernel kernel) {
  return loaded(kernel).sharedSizeBytes == 0;
}

template <class S, class T>
using pass_kernel_type = void (*)(stencil_call<S, T>, ring_pass);

/// The passes of a plan: a launch each.
template <class S, class T>
class launched_passes {
 public:
  explicit launched_passes(const stencil_args<T>& a) {
    temporal_engines<backend::cuda>::with_index<S, T>(a.plan.config, [&]<class Engine, int K>() {
      kernel_ = a.source ? pass_kernel<S, T, K, true> : pass_kernel<S, T, K, false>;
      threads_ = ring_team_of<S, T, K>::threads;
      scratch_ = ring_sizes_of<S, T, K>::scratch_bytes;
      pass_ = divided_pass(ring_config_of<S, T, K>, radius_of<S>, a.size, a.edge, a.plan);
    });
    allow_scratch(kernel_, scratch_);
    loaded(kernel_);
  }
  /// So many steps from field[from] to the other copy.
  void launch(cudaStream_t on, const stencil_call<S, T>& a, int from, int steps) const {
    ring_pass pass = pass_;
    pass.from = from;
    pass.steps = steps;
    kernel_<<<a.plan.teams, threads_, scratch_, on>>>(a, pass);
  }

 private:
  pass_kernel_type<S, T> kernel_ = nullptr;
  int threads_ = 0;
  std::size_t scratch_ = 0;
  ring_pass pass_;
};

template <class S, class T, class E>
std::unique_ptr<stencil_launcher> prepare_passes(const void* args, const device& where) {
  const auto& a = *static_cast<const stencil_args<T>*>(args);
  DWELL_CUDA(cudaSetDevice(where.ordinal()));
  return std::make_unique<launcher<S, T, driven_way<S, T, E, launched_passes<S, T>>>>(
      where, a, launched_passes<S, T>(a));
}

template <class S, class T>
engine_facts probe_passes(const device& where, int config) {
  const stencil_engine& engine =
      *temporal_kernels<backend::cuda, S, T>().all()[static_cast<std::size_t>(config)];
  return temporal_engines<backend::cuda>::with_index<S, T>(config, [&]<class Engine, int K>() {
    engine_facts f =
        facts_of(pass_kernel<S, T, K, false>, engine, ring_sizes_of<S, T, K>::scratch_bytes, where);
    if (!compiled_for_rings(pass_kernel<S, T, K, false>)) f.max_teams = 0;
    return f;
  });
}

template <class S, class T, class E>
void add_passing_kernel(std::vector<stencil_kernel>& all) {
  if constexpr (has_temporal_engines<backend::cuda, S, T>) {
    add_passing_row<S, T, E>(all);
    all.back().probe = &probe_passes<S, T>;
    all.back().prepare = &prepare_passes<S, T, E>;
  }
}

}  // namespace dwell::cuda
