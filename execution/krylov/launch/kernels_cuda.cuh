// SPDX-License-Identifier: MIT
// The kernels of Programs, a whole run or a phase, without the host library: NVRTC compiles them,
// too.
#pragma once
#include <cstddef>
#include <type_traits>

#include "dwell/execution/krylov/alone_of.hpp"
#include "dwell/execution/krylov/launch/team_scratch.hpp"
#include "dwell/execution/krylov/program_args.hpp"
#include "dwell/execution/krylov/vectors/workspace.hpp"
#include "dwell/execution/team/alone_team_cuda.cuh"
#include "dwell/execution/team/column_team_cuda.cuh"
#include "dwell/execution/team/rank_team_cuda.cuh"
#include "dwell/execution/team/team_cuda.cuh"

namespace dwell::cuda {

template <class E, int Config>
struct shape_of {
  static constexpr program_config value = E::cuda_configs[Config];
};

template <class P, class T, class E, int Config>
struct kernel_types {
  static constexpr int lanes = E::cuda_configs[Config].lanes;
  static constexpr int teams_per_unit = E::cuda_configs[Config].teams_per_unit;
  /// Phases that are launched one by one may be those of several ranks.
  static constexpr bool of_ranks = E::launches_phases;
  using whole_team = std::conditional_t<of_ranks, cuda_rank_team<lanes>,
                                        cuda_team<lanes, E::cuda_configs[Config].caches>>;
  template <int Columns>
  using team_of_columns = std::conditional_t<of_ranks, cuda_rank_column_team<lanes, Columns>,
                                             cuda_column_team<lanes, Columns>>;
  static constexpr auto kind_of_team = [] {
    if constexpr (alone_of<E>)
      return std::type_identity<cuda_alone_team<lanes>>();
    else if constexpr (many_columns<P>)
      return std::type_identity<team_of_columns<column_count<P>>>();
    else
      return std::type_identity<whole_team>();
  }();
  using team = typename decltype(kind_of_team)::type;
  static_assert(team::reserved_bytes() == team_scratch_of<P, E>(E::cuda_configs[Config]));
  DWELL_FN static team make_team(const program_args<P, T>& a) {
    if constexpr (of_ranks)
      return team(a.barrier, a.partials, a.rank_sums, a.ranks, a.rank_slots);
    else
      return team(a.barrier, a.partials, a.in_cluster);
  }
  using workspace_type = workspace<P, T, team, shape_of<E, Config>>;
};

/// A whole run in one launch.
template <class P, class T, class E, int Config>
__global__ void __launch_bounds__(kernel_types<P, T, E, Config>::lanes,
                                  kernel_types<P, T, E, Config>::teams_per_unit)
    run_kernel(const __grid_constant__ program_args<P, T> a) {
  using k = kernel_types<P, T, E, Config>;
  if constexpr (can_run<P>(shape_of<E, Config>::value)) {
    typename k::team team(a.barrier, a.partials, a.in_cluster);
    typename k::workspace_type s(team, a);
    E::template run<P, T>(s, a);
  }
}

/// One phase.
template <class P, class T, class E, int Config, int Phase>
__global__ void __launch_bounds__(kernel_types<P, T, E, Config>::lanes,
                                  kernel_types<P, T, E, Config>::teams_per_unit)
    phase_kernel(const __grid_constant__ program_args<P, T> a, int parity, int time) {
  using k = kernel_types<P, T, E, Config>;
  typename k::team team = k::make_team(a);
  typename k::workspace_type s(team, a);
  E::template phase<Phase, P, T>(s, a, parity, time);
}

}  // namespace dwell::cuda
