// SPDX-License-Identifier: MIT
// Engine ring2d: passes of several steps over a field in device memory, in two dimensions. Warps of
// a team are a chain, rows of cells go from one to the next through rings in scratch (agent.hpp).
#pragma once
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/engines/ring2d/sizes.hpp"
#include "dwell/execution/stencil/engines/ring2d/strips.hpp"

namespace dwell {

struct DWELL_API ring2d {
  static constexpr const char* name = "ring2d";
  using config = ring_config;

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

/// The strips of a field.
DWELL_API overlapping_strips strips_of(const ring_config& c, int radius, const extents& size,
                                       boundary edge);

/// Runs of rows of about equal cost, one for each team.
struct ring_runs {
  std::vector<int> cut;  ///< team t has rows cut[t] to cut[t + 1] - 1 of all strips
  double most = 0;       ///< the largest cost of one, in rows of a strip within the field
};
/// What runs of a field depend on beside its strips.
struct ring_field {
  int ny, radius;
  int depth;  ///< steps of a pass
};
/// For at most so many teams. Nothing if the rows cannot be numbered.
DWELL_API std::optional<ring_runs> runs_of(const ring_config& c, const overlapping_strips& strips,
                                           const ring_field& field, int teams);

/// The runs of a plan's teams, for every pass of a run.
DWELL_API pass_runs divided_pass(const ring_config& c, int radius, const extents& size,
                                 boundary edge, const stencil_plan& p);

}  // namespace dwell
