// SPDX-License-Identifier: MIT
// The text of the plain step of a stencil, for kernels that are compiled at run time. An executor
// that has them launches steps from the host.
#pragma once
#include <string>

#include "dwell/base/precision.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"

namespace dwell {

/// A shape as text: what defines its struct, and the struct's name. Of a built-in one the text is
/// an include.
struct shape_text {
  std::string definition;
  std::string name;  ///< "dwell::star2d5"
};

/// The source of the step of all executors but naive; config: its number among thread_configs.
inline kernel_source step_source(const shape_text& shape, precision type, int config) {
  return {
      "#include \"dwell/execution/stencil/launch/kernels_cuda.cuh\"\n" + shape.definition + '\n',
      "dwell::cuda::step_kernel<" + shape.name + ", " +
          (type == precision::f64 ? "double, " : "float, ") + std::to_string(config) + '>'};
}
/// The source of the step of executor naive.
inline kernel_source naive_step_source(const shape_text& shape, precision type) {
  return {
      "#include \"dwell/execution/stencil/launch/kernels_cuda.cuh\"\n"
      "#include \"dwell/execution/stencil/loops/naive.hpp\"\n" +
          shape.definition + '\n',
      "dwell::cuda::own_step_kernel<" + shape.name + ", " +
          (type == precision::f64 ? "double" : "float") + ", dwell::naive_stencil>"};
}

}  // namespace dwell
