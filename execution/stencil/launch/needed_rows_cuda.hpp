// SPDX-License-Identifier: MIT
// The rows of a shape's kernels for GPUs that are compiled when they are needed, in every build:
// what plans know (rows_cuda.hpp and its like), and for each plan the names of its kernels. The
// names are those of the templates that nvcc compiles for a shape that is compiled ahead.
#pragma once
#include <concepts>
#include <type_traits>
#include <vector>

#include "dwell/execution/stencil/launch/needed_kernel.hpp"
#include "dwell/execution/stencil/launch/rows_cuda.hpp"
#include "dwell/execution/stencil/launch/rows_perks_cuda.hpp"
#include "dwell/execution/stencil/launch/rows_temporal_cuda.hpp"

namespace dwell::cuda {

template <class S, class T>
inline constexpr shape_and_type shape_of_kernels = {&text_of<S>, S::name, precision_of<T>};

template <class S, class T, class E>
needed_kernel step_needed(const stencil_plan& how, bool) {
  if constexpr (has_step<E>)
    return needed_own_step(shape_of_kernels<S, T>, E::name);
  else
    return needed_step(shape_of_kernels<S, T>, how.config);
}
template <class S, class T>
needed_kernel looping_needed(const stencil_plan& how, bool) {
  return needed_steps_in_one_launch(shape_of_kernels<S, T>, how.config);
}
template <class S, class T>
needed_kernel caching_needed(const stencil_plan& how, bool) {
  constexpr const shape_and_type& of = shape_of_kernels<S, T>;
  if (const int config = how.config - first_dataflow_kernel<S, T>; config >= 0)
    return needed_steps_without_barriers(of, config);
  if (const int config = how.config - first_step_kernel<S, T>; config >= 0)
    return needed_steps_in_one_launch(of, config);
  return caching_engines::with_index<S, T>(how.config, [&]<class Engine, int K>() {
    constexpr auto C = Engine::template configs<S, T>[K];
    return needed_tiles(
        of, Engine::name, K,
        kernel_scratch_bytes<Engine, S, T>(C) + Engine::template layer_bytes<S, T>(C, how));
  });
}

template <class S, class T, int K>
needed_kernel pass_needed(std::type_identity<ring2d_on<backend::cuda>>, bool has_source) {
  constexpr ring_config C = ring_configs<backend::cuda, S, T>()[K];
  using sizes = ring_sizes<S, T, C>;
  return needed_ring(shape_of_kernels<S, T>, K, has_source, ring_lanes(C), sizes::scratch_bytes,
                     sizes::depth);
}
template <class S, class T, int K>
needed_kernel pass_needed(std::type_identity<column3d_on<backend::cuda>>, bool has_source) {
  constexpr column_config C = column_configs<backend::cuda, S, T>()[K];
  return needed_columns(shape_of_kernels<S, T>, K, has_source, column_sizes<S, T, C>::scratch_bytes,
                        C.steps);
}
template <class S, class T, class Engines>
needed_kernel passing_needed(const stencil_plan& how, bool has_source) {
  return Engines::template with_index<S, T>(how.config, [&]<class Engine, int K>() {
    return pass_needed<S, T, K>(std::type_identity<Engine>{}, has_source);
  });
}
template <class S, class T, class Engines>
pass_runs divide_passes(const void* args) {
  const auto& a = *static_cast<const stencil_args<T>*>(args);
  return Engines::template with<S, T>(
      a.plan.config, [&]<class Engine, auto C>() {
        if constexpr (std::same_as<typename Engine::engine, ring2d>)
          return divided_pass(C, radius_of<S>, a.size, a.edge, a.plan);
        else
          return column_pass_of(C, radius_of<S>, a.size, a.edge, a.pitch, a.plan);
      });
}

/// The rows of executors, as launch_cuda.cuh, perks_cuda.cuh and temporal_cuda.cuh make them of
/// kernels that are compiled ahead.
template <class S, class T, class E>
void add_needed_driven(std::vector<stencil_kernel>& all) {
  all.push_back(driven_row<S, T, E>());
  all.back().needs = &step_needed<S, T, E>;
}
template <class S, class T, class E>
void add_needed_looping(std::vector<stencil_kernel>& all) {
  all.push_back(looping_row<S, T, E>());
  all.back().needs = &looping_needed<S, T>;
}
template <class S, class T, class E>
void add_needed_caching(std::vector<stencil_kernel>& all) {
  all.push_back(caching_row<S, T, E>());
  all.back().needs = &caching_needed<S, T>;
}
/// Nothing for shapes that have no such kernels.
template <class S, class T, class E, class Engines>
void add_needed_passing(std::vector<stencil_kernel>& all) {
  if constexpr (Engines::template count < S, T >> 0) {
    add_passing_row<S, T, E, Engines>(all);
    all.back().needs = &passing_needed<S, T, Engines>;
    all.back().divide = &divide_passes<S, T, Engines>;
  }
}

}  // namespace dwell::cuda
