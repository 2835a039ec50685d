// SPDX-License-Identifier: MIT
// Engine skewed: passes of several steps over a field in memory, by the cores of a CPU. Slabs and
// tiles of them are skewed in time, and no cell is computed twice (pass.hpp).
#pragma once
#include <array>
#include <string>

#include "dwell/base/api.hpp"
#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/engines/skewed/axis.hpp"

namespace dwell {

/// There is one kernel of a shape, whatever the size of tiles.
struct skewed_config {
  int lanes;  ///< elements of vectors
};

/// How a pass is divided.
struct skewed_division {
  skewed_axis layers;  ///< rows in two dimensions, planes in three: into slabs, one for a team
  skewed_axis across;  ///< columns in two dimensions, rows in three: into tiles of a slab
};

struct DWELL_API skewed {
  static constexpr const char* name = "skewed";
  using config = skewed_config;

  static engine_shape shape(const config& c);
  static bool serves(const config&, const stencil_problem&, const engine_request&) { return true; }
  static int most_depth(const config&, const stencil_problem&);
  static extents most_of_layer(const config&, const stencil_problem&, int depth);
  static layout_result lay_out(const config&, const tiling_request&, const layout_problem&);
  static subdomain_facts subdomains(const config&, const stencil_plan&, const stencil_problem&);
  static std::string describe(const config&, const stencil_plan&, const stencil_problem&,
                              const std::string& scratch);
  static std::size_t streamed_values(const config&, const stencil_plan&) { return 0; }
  static std::size_t margin(const config&, const stencil_plan&, const stencil_problem&) {
    return 0;
  }
};

/// Division of a plan of this engine, for every pass of a run.
DWELL_API skewed_division skewed_division_of(const stencil_plan& p, const extents& size,
                                             const cell_box& inner, int radius, boundary edge);

}  // namespace dwell
