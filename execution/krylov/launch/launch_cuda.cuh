// SPDX-License-Identifier: MIT
// The kernels of Programs that nvcc compiles, as rows of the table. Included by generated files,
// and by programs that have Programs of their own.
#pragma once
#include <memory>
#include <utility>

#include "dwell/execution/krylov/launch/kernel_table.hpp"
#include "dwell/execution/krylov/launch/kernels_cuda.cuh"
#include "dwell/execution/krylov/launch/planned_rows.hpp"
#include "dwell/execution/krylov/launch/program_launch_cuda.hpp"

namespace dwell::cuda {

/// The executor whose kernels E launches: another one's, or its own.
template <class E>
struct launches_of {
  using type = E;
};
template <class E>
requires requires { typename E::launched; }
struct launches_of<E> {
  using type = typename E::launched;
};

template <class P, class T, class E, int Config>
program_handles handles_of() {
  using loops = typename launches_of<E>::type;
  constexpr program_config shape = E::cuda_configs[Config];
  program_handles all{{}, shape.lanes, team_scratch_of<P, E>(shape)};
  if constexpr (E::launches_phases) {
    [&]<int... K>(std::integer_sequence<int, K...>) {
      (all.kernels.push_back(reinterpret_cast<const void*>(&phase_kernel<P, T, loops, Config, K>)),
       ...);
    }
    (std::make_integer_sequence<int, P::phases>{});
  } else {
    all.kernels.push_back(reinterpret_cast<const void*>(&run_kernel<P, T, loops, Config>));
  }
  return all;
}
template <class P, class T, class E>
program_handles handles_of(int config) {
  return with_config<std::size(E::cuda_configs)>(config,
                                                 [&]<int R>() { return handles_of<P, T, E, R>(); });
}

template <class P, class T, class E>
std::unique_ptr<program_launch> prepare(const void* args, const device& where, const plan& how) {
  constexpr launch_kind kind = kind_of_launch(
      E::launches_phases,
      [] {
        if constexpr (requires { E::records; })
          return E::records;
        else
          return false;
      }(),
      alone_of<E>);
  return make_launch(where, how.teams, kind, handles_of<P, T, E>(how.config),
                     &launched_program_of<P, T>, args);
}

template <class P, class T, class E>
config_facts probe(const device& where, int config) {
  return facts_of_kernels(handles_of<P, T, E>(config), assume<P, E>(where.facts(), config), where);
}

template <class P, class T, class E>
program_kernel kernel_of() {
  program_kernel row = planned_row<P, T, E>({});
  row.probe = &probe<P, T, E>;
  row.prepare = &prepare<P, T, E>;
  return row;
}

}  // namespace dwell::cuda
