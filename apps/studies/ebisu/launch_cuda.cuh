// SPDX-License-Identifier: MIT
// How a GPU runs the passes of engine multi_queue. Teams of device tiles wait for each other, so
// they are launched together.
#pragma once
#include <type_traits>

#include "studies/ebisu/agent.hpp"
#include "studies/ebisu/bulk_copies_cuda.cuh"
#include "studies/ebisu/engine.hpp"

#include "dwell/execution/stencil/launch/temporal_cuda.cuh"
#include "dwell/execution/team/grid_team_cuda.cuh"

namespace dwell::cuda {

template <class S, class T, int Variant, int K>
inline constexpr queue_config queue_config_of = queue_configs<S, T, Variant, true>()[K];

template <class S, class T, int Variant, int K>
__global__ void __launch_bounds__(perks_lanes, 1)
    queue_kernel(const __grid_constant__ stencil_call<S, T> a,
                 const __grid_constant__ pass_runs pass) {
  constexpr queue_config c = queue_config_of<S, T, Variant, K>;
  constexpr bool bulk = queue_variants[Variant].fetch == layer_prefetch::bulk;
  if constexpr (bulk && !has_bulk_copies) {
    leave_mark();
  } else {
    if (has_ended(a)) return;
    using team_type = cuda_grid_team<perks_lanes>;
    using copies =
        std::conditional_t<bulk, cuda_bulk_copies<queue_sizes<S, T, c>::barriers>, no_bulk_copies>;
    team_type team(nullptr);
    queue_pass<S, T, team_type, copies, c>(team, a, pass).run();
  }
}

template <class S, class T, int Variant, int K>
struct pass_kernel_of<S, T, multi_queue_on<backend::cuda, Variant>, K> {
  static constexpr int threads = perks_lanes;
  static constexpr std::size_t scratch_bytes =
      cuda_grid_team<perks_lanes>::reserved_bytes() +
      queue_sizes<S, T, queue_config_of<S, T, Variant, K>>::scratch_bytes;
  static constexpr int steps = queue_config_of<S, T, Variant, K>.steps;
  static constexpr bool together = queue_variants[Variant].device;

  static pass_kernel_type<S, T> kernel(bool, bool) { return queue_kernel<S, T, Variant, K>; }
  static pass_runs runs(const stencil_args<T>& a) {
    return queue_runs(queue_config_of<S, T, Variant, K>, radius_of<S>, a.size, a.edge, a.pitch,
                      a.plan);
  }
  static bool is_there() { return has_body(kernel(false, true)); }
};

}  // namespace dwell::cuda
