// SPDX-License-Identifier: MIT
// The kernels of stencils that exist: every shape of solvers/stencil/shapes/ (one struct per file,
// named as the file) meets these loops, each in f64 and f32. cmake/stencil_kernels.cmake reads the
// rows. A loop NAME_stencil is the struct of execution/stencil/loops/NAME.hpp.
#pragma once

namespace dwell {

struct stencil_loop_row {
  const char* loop;  ///< a struct
  /// Which function of launch/ makes its kernel. driven: it queues launches from the host; looping:
  /// it holds the time loop; caching: it also caches the field on the chip; passing: a launch takes
  /// several steps.
  const char* kind;
  const char* backends;
};

// clang-format off

/// In the order of lists in errors and help. On CPUs caching ones are compiled with DWELL_CPU_CACHING, for
/// the shapes of DWELL_CPU_CACHING_SHAPES.
inline constexpr stencil_loop_row stencil_loops[] = {
    {"naive_stencil",      "driven",  "cpu cuda"},
    {"host_loop_stencil",  "driven",  "cpu cuda"},
    {"graph_stencil",      "driven",  "cuda"},
    {"persistent_stencil", "looping", "cpu cuda"},
    {"perks_stencil",      "caching", "cpu cuda"},
    {"temporal_stencil",   "passing", "cpu cuda"},
};

// clang-format on

}  // namespace dwell
