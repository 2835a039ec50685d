// SPDX-License-Identifier: MIT
// Kernels of stencils that the library does not have: what is compiled by NVRTC for a plan when a
// run first needs it, and how that is launched. A shape enters by its text; all else are the
// templates that nvcc compiles where kernels are compiled ahead.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "dwell/base/precision.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/kernel_making.hpp"

namespace dwell {

/// A shape as text: what defines its struct, and the struct's name. Of a built-in one the text is
/// an include.
struct shape_text {
  std::string definition;
  std::string name;  ///< "dwell::star2d5"
};
/// Text of a built-in shape, whose file and struct have the same name.
inline shape_text built_in_text(const std::string& name) {
  return {"#include \"dwell/solvers/stencil/shapes/" + name + ".hpp\"", "dwell::" + name};
}
/// The text of S, for shapes that have one: a specialisation each.
template <class S>
shape_text text_of();

/// The kernels of a plan, and how they are launched.
struct needed_kernel {
  /// One; of passes of several steps the one for shorter passes, then the one for whole passes.
  std::vector<kernel_source> sources;
  int lanes = 0;            ///< threads of a block
  std::size_t scratch = 0;  ///< bytes of a block, layers of the plan included
  int pass_steps = 1;       ///< steps of a whole pass
  bool owns_tiles = false;  ///< blocks own parts of the field, and exchange their edges
};

/// The shape and the precision of a row: what its kernels' names begin with.
struct shape_and_type {
  shape_text (*text)();
  const char* shape;  ///< "2d5pt"
  precision type;
};

/// By the kinds of kernels_cuda.cuh: a step; of an executor that has its own, loop; the whole run.
/// config: its number among thread_configs.
needed_kernel needed_step(const shape_and_type& of, int config);
needed_kernel needed_own_step(const shape_and_type& of, const char* loop);
needed_kernel needed_steps_in_one_launch(const shape_and_type& of, int config);
/// Kernels of perks_kernels_cuda.cuh. config: of the engine; scratch: bytes.
needed_kernel needed_steps_without_barriers(const shape_and_type& of, int config);
needed_kernel needed_tiles(const shape_and_type& of, const char* engine, int config,
                           std::size_t scratch);
/// Kernels of temporal_kernels_cuda.cuh. pass_steps: of a whole pass.
needed_kernel needed_ring(const shape_and_type& of, int config, bool has_source, int lanes,
                          std::size_t scratch, int pass_steps);
needed_kernel needed_columns(const shape_and_type& of, int config, bool has_source,
                             std::size_t scratch, int pass_steps);

}  // namespace dwell
