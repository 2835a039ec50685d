// SPDX-License-Identifier: MIT
// Engine block3d: in three dimensions every team owns a block that is fully cached, the first
// planes in registers, the others in scratch (agent.hpp). Teams exchange faces after every step.
#pragma once
#include <array>
#include <string>

#include "dwell/base/api.hpp"
#include "dwell/execution/stencil/engine_parts.hpp"
#include "dwell/execution/stencil/engines/block3d/agent.hpp"
#include "dwell/execution/stencil/engines/block3d/sizes.hpp"
#include "dwell/execution/stencil/engines/layers.hpp"

namespace dwell {

struct block3d_config {
  int register_planes = 0;
};

struct DWELL_API block3d {
  static constexpr const char* name = "block3d";
  using config = block3d_config;
  static constexpr subdomain_owner owner = subdomain_owner::team;
  static constexpr bool idle_scratch = false;
  template <class S>
  static constexpr bool faces_only = is_star<S>;

  template <class S, class T>
  static constexpr auto configs = [] {
    if constexpr (S::dims == 3 && is_linear<S>)
      return std::array{config{radius_of<S> == 1 ? 4 : 3}};
    else
      return std::array<config, 0>{};
  }();

  template <class S, class T, class Team, config C>
  using agent = block3d_agent<S, T, Team, C.register_planes>;

  template <class S, class T>
  static constexpr std::size_t scratch_bytes(const config&) {
    return sizeof(T) * static_cast<std::size_t>(2 * block_published_values<S> +
                                                (block_halos_ahead + 1) * block_halo_values<S>);
  }
  template <class S, class T>
  static std::size_t layer_bytes(const config&, const stencil_plan& p) {
    return static_cast<std::size_t>(p.scratch_rows) * perks_layer_values<S> * sizeof(T);
  }

  static engine_shape shape(const config& c);
  static bool serves(const config&, const stencil_problem&, const engine_request&);
  static int most_depth(const config&, const stencil_problem&) { return 1; }
  static extents most_of_layer(const config&, const stencil_problem&, int depth);
  static layout_result lay_out(const config&, const tiling_request&, const layout_problem&);
  static subdomain_facts subdomains(const config&, const stencil_plan&, const stencil_problem&);
  static std::string describe(const config&, const stencil_plan&, const stencil_problem&,
                              const std::string& scratch);
  static std::size_t streamed_values(const config&, const stencil_plan&) { return 0; }
  static std::size_t margin(const config&, const stencil_plan&, const stencil_problem&);
};

}  // namespace dwell
