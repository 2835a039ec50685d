// SPDX-License-Identifier: MIT
// Executors that launch plain steps from the host, of kernels that are compiled when a run is
// prepared.
#pragma once
#include <memory>

#include "dwell/execution/device/loaded_kernel_cuda.hpp"
#include "dwell/execution/stencil/launch/compiled_steps.hpp"
#include "dwell/execution/stencil/launch/launch_cuda.cuh"

namespace dwell::cuda {

/// Text: a struct whose text() is the shape_text of S.
template <class S, class T, class E, class Text>
std::unique_ptr<stencil_launcher> prepare_compiled_steps(const void* args, const device& where) {
  const auto& a = *static_cast<const stencil_args<T>*>(args);
  const kernel_source source = has_step<E>
                                   ? naive_step_source(Text::text(), precision_of<T>)
                                   : step_source(Text::text(), precision_of<T>, a.plan.config);
  auto kernel = std::make_shared<const loaded_kernel>(compile_kernel(source, target_of(where)));
  return std::make_unique<launcher<S, T, driven_loop<S, T, E>>>(
      where, a, single_steps<S, T>(std::move(kernel)));
}
/// What its launch bounds promise: a plan asks no kernel before there is one.
template <class S, class T, class E>
engine_facts assume_compiled_step(const device& where, int config) {
  return assume_step<S, T, E>(where.facts(), config);
}

/// The row of executor E, as driven_kernel<S, T, E>().
template <class S, class T, class E, class Text>
stencil_kernel compiled_steps_kernel() {
  stencil_kernel row = driven_row<S, T, E>();
  row.probe = &assume_compiled_step<S, T, E>;
  row.prepare = &prepare_compiled_steps<S, T, E, Text>;
  return row;
}

}  // namespace dwell::cuda
