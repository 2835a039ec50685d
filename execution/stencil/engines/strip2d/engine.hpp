// SPDX-License-Identifier: MIT
// Engine strip2d: in two dimensions every warp owns a subdomain that is fully cached, the first
// rows in registers, the others in scratch, the last few in the field (agent.hpp). No halo is
// computed; warps exchange their edges after every step.
#pragma once
#include <array>
#include <string>

#include "dwell/base/api.hpp"
#include "dwell/execution/stencil/engine_parts.hpp"
#include "dwell/execution/stencil/engines/layers.hpp"
#include "dwell/execution/stencil/engines/strip2d/agent.hpp"
#include "dwell/execution/stencil/engines/strip2d/sizes.hpp"

namespace dwell {

struct strip2d_config {
  int register_rows = 0;
  int field_rows = 0;  ///< the last rows of a subdomain, which live in the field
};

struct DWELL_API strip2d {
  static constexpr const char* name = "strip2d";
  using config = strip2d_config;
  static constexpr subdomain_owner owner = subdomain_owner::warp_of_rows;
  static constexpr bool idle_scratch = true;  ///< polls use scratch that is idle between steps
  template <class S>
  static constexpr bool faces_only = false;

  /// Linear stencils; the window of a large box leaves no registers.
  template <class S, class T>
  static constexpr auto configs = [] {
    if constexpr (S::dims == 2 && is_linear<S> && (is_star<S> || radius_of<S> <= 2))
      return std::array{config{strip_register_rows<S>(), strip_field_rows<S>}};
    else
      return std::array<config, 0>{};
  }();

  template <class S, class T, class Team, config C>
  using agent = strip2d_agent<S, T, Team, C.register_rows>;

  template <class S, class T>
  static constexpr std::size_t scratch_bytes(const config&) {
    return sizeof(T) * static_cast<std::size_t>(perks_warps * strip_halo_values<S, T>);
  }
  template <class S, class T>
  static std::size_t layer_bytes(const config&, const stencil_plan& p) {
    return static_cast<std::size_t>(p.scratch_rows) * perks_layer_values<S> * sizeof(T);
  }

  static engine_shape shape(const config& c);
  static bool serves(const config&, const stencil_problem&, const engine_request&);
  static int most_depth(const config&, const stencil_problem&) { return 1; }
  static extents most_of_layer(const config&, const stencil_problem&, int) {
    return extents(1, 0);  // rows are the limit
  }
  static layout_result lay_out(const config&, const tiling_request&, const layout_problem&);
  static subdomain_facts subdomains(const config&, const stencil_plan&, const stencil_problem&);
  static std::string describe(const config&, const stencil_plan&, const stencil_problem&,
                              const std::string& scratch);
  static std::size_t streamed_values(const config&, const stencil_plan&) { return 0; }
  static std::size_t margin(const config&, const stencil_plan&, const stencil_problem&);
};

}  // namespace dwell
