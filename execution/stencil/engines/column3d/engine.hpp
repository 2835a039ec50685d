// SPDX-License-Identifier: MIT
// Engine column3d: passes of several steps over a field in device memory, in three dimensions. A
// team goes along z with a tile of planes, whose sums stay in registers (agent.hpp).
#pragma once
#include <optional>
#include <string>

#include "dwell/base/api.hpp"
#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/engines/column3d/sizes.hpp"
#include "dwell/execution/stencil/engines/column3d/tiles.hpp"

namespace dwell {

struct DWELL_API column3d {
  static constexpr const char* name = "column3d";
  using config = column_config;

  static engine_shape shape(const config& c);
  static bool serves(const config&, const stencil_problem&, const engine_request&);
  static int most_depth(const config&, const stencil_problem&);
  static extents most_of_layer(const config&, const stencil_problem&, int depth);
  static layout_result lay_out(const config&, const tiling_request&, const layout_problem&);
  static subdomain_facts subdomains(const config&, const stencil_plan&, const stencil_problem&);
  static std::string describe(const config&, const stencil_plan&, const stencil_problem&,
                              const std::string& scratch);
  static std::size_t streamed_values(const config&, const stencil_plan&) { return 0; }
  static std::size_t margin(const config&, const stencil_plan&, const stencil_problem&);
};

/// Runs of planes of about equal cost for at most so many teams, of a pass of `depth` steps;
/// nothing if the planes of all tiles cannot be numbered. `most`: the largest cost, in planes of a
/// tile.
DWELL_API std::optional<pass_runs> column_runs(const overlapping_tiles& tiles, int nz, int halo,
                                               int teams, double& most);

/// The runs of a plan's teams, for every pass of a run.
DWELL_API pass_runs column_pass_of(const column_config& c, int radius, const extents& size,
                                   boundary edge, int pitch, const stencil_plan& p);

}  // namespace dwell
