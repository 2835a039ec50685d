// SPDX-License-Identifier: MIT
// The kernels of passes of several steps.
#pragma once
#include "dwell/execution/stencil/engines/column3d/agent.hpp"
#include "dwell/execution/stencil/engines/ring2d/agent.hpp"
#include "dwell/execution/stencil/step/launches.hpp"
#include "dwell/execution/team/grid_team_cuda.cuh"
#include "dwell/execution/team/ring_team_cuda.cuh"

namespace dwell::cuda {

template <class S, class T, int K>
inline constexpr ring_config ring_config_of = ring_configs<backend::cuda, S, T>()[K];
template <class S, class T, int K>
using ring_sizes_of = ring_sizes<S, T, ring_config_of<S, T, K>>;
template <class S, class T, int K>
using ring_team_of = cuda_ring_team<ring_sizes_of<S, T, K>>;

/// In the place of a body.
DWELL_FN void leave_mark() {
  __shared__ volatile int mark[1];
  mark[0] = 1;
  __trap();
}
/// One of the two kinds of teams is compiled for a GPU, and the kernel of the other has a mark
/// instead: so the host knows (has_body).
template <class S, class T, int K, bool Source>
__global__ void __launch_bounds__(ring_team_of<S, T, K>::threads, ring_config_of<S, T, K>.teams)
    ring_kernel(const __grid_constant__ stencil_call<S, T> a,
                const __grid_constant__ pass_runs pass) {
  if constexpr (ring_config_of<S, T, K>.bulk == has_bulk_rings) {
    if (has_ended(a)) return;
    ring_team_of<S, T, K> team;
    ring_pass_of_team<S, T, ring_config_of<S, T, K>, Source>(team, a, pass);
  } else {
    leave_mark();
  }
}
template <class S, class T, int K>
inline constexpr column_config column_config_of = column_configs<backend::cuda, S, T>()[K];

template <class S, class T, int K, bool Rare>
__global__ void __launch_bounds__(perks_lanes, 1)
    column_kernel(const __grid_constant__ stencil_call<S, T> a,
                  const __grid_constant__ pass_runs pass) {
  if (has_ended(a)) return;
  using team_type = cuda_grid_team<perks_lanes>;
  team_type team(nullptr);
  column_pass<S, T, team_type, column_config_of<S, T, K>, Rare>(team, a, pass).run();
}

}  // namespace dwell::cuda
