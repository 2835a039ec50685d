// SPDX-License-Identifier: MIT
// The engine of executors that cache nothing: steps of the whole field, tile after tile. Teams own
// no subdomain; policy "none" chooses the tiles (plan/policies/none.hpp).
#pragma once
#include "dwell/execution/stencil/engine.hpp"
#include "dwell/execution/stencil/step/config.hpp"

namespace dwell {

struct step_engine {
  static constexpr const char* name = "step";
  using config = step_config;

  static engine_shape shape(const config& c) {
    return {c.lanes, c.teams_per_unit, c.across, c.down};
  }
  static bool serves(const config&, const stencil_problem&, const engine_request&) { return false; }
  static int most_depth(const config&, const stencil_problem&) { return 1; }
  static extents most_of_layer(const config&, const stencil_problem&, int) { return extents(1, 0); }
  static layout_result lay_out(const config&, const tiling_request&, const layout_problem&) {
    return layout_obstacle::subdomains;
  }
  static subdomain_facts subdomains(const config&, const stencil_plan&, const stencil_problem& p) {
    return no_subdomains(p);
  }
  static std::string describe(const config&, const stencil_plan&, const stencil_problem&,
                              const std::string&) {
    return {};
  }
  static std::size_t streamed_values(const config&, const stencil_plan&) { return 0; }
  static std::size_t margin(const config&, const stencil_plan&, const stencil_problem&) {
    return 0;
  }
};

/// An engine for steps whose tiles wait for the tiles around them only.
struct dataflow_engine : step_engine {
  static constexpr const char* name = "dataflow_step";

  static engine_shape shape(const config& c) {
    engine_shape s = step_engine::shape(c);
    s.tile_flags = true;
    return s;
  }
};

/// A row of kernels that cache nothing.
template <class Configs>
engine_row step_row(const Configs& configs) {
  engine_row row;
  for (const step_config& c : configs) row.add<step_engine>(c);
  return row;
}

/// The config of a kernel that caches nothing.
inline const step_config& step_config_of(const stencil_engine& engine) {
  if (const auto* step = dynamic_cast<const engine_config<step_engine>*>(&engine)) return step->own;
  return dynamic_cast<const engine_config<dataflow_engine>&>(engine).own;
}

}  // namespace dwell
