// SPDX-License-Identifier: MIT
// Engine stream3d: temporal blocking in three dimensions. A team goes up through planes and makes
// several steps in one pass (agent.hpp; EBISU, Zhang et al. 2023).
#pragma once
#include <array>
#include <string>

#include "dwell/base/api.hpp"
#include "dwell/execution/stencil/engine_parts.hpp"
#include "dwell/execution/stencil/engines/streams/agent.hpp"
#include "dwell/execution/stencil/engines/streams/sizes.hpp"

namespace dwell {

struct DWELL_API stream3d {
  static constexpr const char* name = "stream3d";
  using config = stream_config;
  static constexpr subdomain_owner owner = subdomain_owner::team;
  static constexpr bool idle_scratch = false;
  template <class S>
  static constexpr bool faces_only = false;

  template <class S, class T>
  static constexpr auto configs = stream_configs<S, T, 3>();

  template <class S, class T, class Team, config C>
  using agent = temporal_stream<S, T, Team, C.depth>;

  /// The columns and rows of the team, and the rows that its warps publish to each other.
  template <class S, class T>
  static constexpr std::size_t scratch_bytes(const config& c) {
    using tile = stream_tile<S, T>;
    const int numbers = tile::width + perks_warps * tile::down;
    const int values = (stream_planes_ahead + 1) * stream_layer_values<S, T> +
                       stream_fixed_values<S, T>() + stream_edge_values<S, T> * (c.depth - 1);
    return sizeof(T) * static_cast<std::size_t>(values) +
           static_cast<std::size_t>(numbers) * sizeof(int) + perks_lanes * sizeof(lane_fixed_cells);
  }
  template <class S, class T>
  static std::size_t layer_bytes(const config&, const stencil_plan& p) {
    return static_cast<std::size_t>(p.scratch_rows) * stream_layer_values<S, T> * sizeof(T);
  }

  static engine_shape shape(const config& c);
  static bool serves(const config&, const stencil_problem&, const engine_request&);
  static int most_depth(const config&, const stencil_problem&);
  static extents most_of_layer(const config&, const stencil_problem&, int depth);
  static layout_result lay_out(const config&, const tiling_request&, const layout_problem&);
  static subdomain_facts subdomains(const config&, const stencil_plan&, const stencil_problem&);
  static std::string describe(const config&, const stencil_plan&, const stencil_problem&,
                              const std::string& scratch);
  /// Planes that are not cached live in the field.
  static std::size_t streamed_values(const config&, const stencil_plan&) { return 0; }
  static std::size_t margin(const config&, const stencil_plan&, const stencil_problem&) {
    return 0;
  }
};

}  // namespace dwell
