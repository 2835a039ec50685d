// SPDX-License-Identifier: MIT
// Engine reference_block3d: in three dimensions every team owns a block, some planes of which may
// be in registers, some in scratch, and the rest stream: PERKS as published (Zhang 2023, chapter
// 4). It takes any field, source and boundary (agent.hpp).
#pragma once
#include <array>
#include <bit>
#include <string>

#include "dwell/base/api.hpp"
#include "dwell/execution/stencil/engine_parts.hpp"
#include "dwell/execution/stencil/engines/layers.hpp"
#include "dwell/execution/stencil/engines/reference_block3d/agent.hpp"
#include "dwell/execution/stencil/engines/reference_block3d/plane.hpp"

namespace dwell {

struct reference_block3d_config {
  int register_planes = 0;
};

struct DWELL_API reference_block3d {
  static constexpr const char* name = "reference_block3d";
  using config = reference_block3d_config;
  static constexpr subdomain_owner owner = subdomain_owner::team;
  static constexpr bool idle_scratch = false;
  template <class S>
  static constexpr bool faces_only = is_star<S>;

  template <class S, class T>
  static constexpr auto configs = [] {
    if constexpr (S::dims == 3) {
      constexpr int r = radius_of<S>, planes = sizeof(T) == 4 ? 8 : r == 1 ? 5 : 4;
      return std::array{config{planes}, config{0}};
    } else {
      return std::array<config, 0>{};
    }
  }();

  template <class S, class T, class Team, config C>
  using agent = reference_block3d_agent<S, T, Team, C.register_planes>;

  template <class S, class T>
  static constexpr std::size_t scratch_bytes(const config&) {
    return sizeof(T) * static_cast<std::size_t>(perks_plane_slots<S>) * perks_plane<S>::values;
  }
  template <class S, class T>
  static std::size_t layer_bytes(const config&, const stencil_plan& p) {
    return partly_cached_bytes<S, T>(p);
  }

  static engine_shape shape(const config& c);
  static bool serves(const config&, const stencil_problem&, const engine_request&);
  static int most_depth(const config&, const stencil_problem&) { return 1; }
  static extents most_of_layer(const config&, const stencil_problem&, int depth);
  static layout_result lay_out(const config&, const tiling_request&, const layout_problem&);
  static subdomain_facts subdomains(const config&, const stencil_plan&, const stencil_problem&);
  static std::string describe(const config&, const stencil_plan&, const stencil_problem&,
                              const std::string& scratch);
  static std::size_t streamed_values(const config&, const stencil_plan&);
  static std::size_t margin(const config&, const stencil_plan&, const stencil_problem&) {
    return 0;
  }
};

}  // namespace dwell
