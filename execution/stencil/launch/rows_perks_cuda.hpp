// SPDX-License-Identifier: MIT
// The kernels of perks on GPUs as values, without CUDA (execution/stencil/launch/rows_cuda.hpp):
// the engines that cache, and behind them steps of the whole field in one launch.
#pragma once
#include <cstddef>

#include "dwell/execution/stencil/engines/perks_engines.hpp"
#include "dwell/execution/stencil/launch/rows_cuda.hpp"

namespace dwell::cuda {

/// The kernels that cache; then those for steps of the whole field, with a barrier after each and
/// without.
template <class S, class T>
const engine_row& caching_kernels() {
  static const engine_row* const row = lasting([] {
    engine_row all = caching_row<S, T>();
    for (const step_config& c : looping_configs<S, T>) all.add<step_engine>(c);
    for (step_config c : looping_configs<S, T>) {
      c.dataflow = true;
      all.add<dataflow_engine>(c);
    }
    return all;
  }());
  return *row;
}
template <class S, class T>
inline constexpr int first_step_kernel = caching_engines::count<S, T>;
template <class S, class T>
inline constexpr int first_dataflow_kernel = first_step_kernel<S, T> +
                                             static_cast<int>(looping_configs<S, T>.size());

/// Scratch of a kernel: what the team takes for itself is known with the device only.
template <class S, class T>
engine_facts assume_caching(const device_facts& facts, int config) {
  const stencil_engine& engine = *caching_kernels<S, T>().all()[static_cast<std::size_t>(config)];
  if (config >= first_step_kernel<S, T>) return assumed(engine, 0, facts);
  return assumed(engine, caching_scratch_bytes<S, T>(config), facts);
}

template <class S, class T, class E>
stencil_kernel caching_row() {
  return {.shape = shape_facts<S>(),
          .executor = E::name,
          .type = precision_of<T>,
          .on = backend::cuda,
          .cooperative = true,
          .engines = caching_kernels<S, T>().all(),
          .assume = &assume_caching<S, T>};
}

}  // namespace dwell::cuda
