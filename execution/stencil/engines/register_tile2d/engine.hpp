// SPDX-License-Identifier: MIT
// Engine register_tile2d: in two dimensions every team owns a tile for the whole run, and a warp of
// it a strip of the tile's rows: the first in registers, others in scratch, the rest stream
// (agent.hpp). Tiles compute a halo of several steps and exchange after them (overlapped tiling;
// PERKS, Zhang et al. 2023, keeps the tile).
#pragma once
#include <array>
#include <string>

#include "dwell/base/api.hpp"
#include "dwell/execution/stencil/engine_parts.hpp"
#include "dwell/execution/stencil/engines/layers.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/agent.hpp"
#include "dwell/execution/stencil/engines/register_tile2d/sizes.hpp"

namespace dwell {

struct register_tile2d_config {
  int register_rows = 0;
  bool rest = true;  ///< there may be rows that are not in registers

  /// Rows in registers leave no room for one.
  constexpr bool source() const { return register_rows == 0; }
};

struct DWELL_API register_tile2d {
  static constexpr const char* name = "register_tile2d";
  using config = register_tile2d_config;
  static constexpr subdomain_owner owner = subdomain_owner::team;
  static constexpr bool idle_scratch = false;
  template <class S>
  static constexpr bool faces_only = false;

  /// Rows in registers, as many as do not spill. A tile that lies in registers has a kernel to
  /// itself, which reaches the arithmetic's limit.
  template <class S, class T>
  static constexpr auto configs = [] {
    if constexpr (S::dims != 2) {
      return std::array<config, 0>{};
    } else {
      constexpr int r = radius_of<S>, rows = register_tile_rows<S, T>();
      // The loops over other rows need registers of their own.
      constexpr int fewer = !is_linear<S> ? 4
                            : !is_star<S> ? 2 * r
                            : r == 1      ? 1
                            : r == 2      ? 4
                            : r <= 4      ? 2
                                          : 4;
      constexpr int least = (r + 1) / 2 * 2;
      constexpr config whole{rows, false}, none{},
          some{rows - fewer > least ? rows - fewer : least, true};
      // The window of a large box leaves no registers for rows that stay.
      if constexpr (is_linear<S> && !is_star<S> && r > 2)
        return std::array{whole, none};
      else if constexpr (is_linear<S> && is_star<S> &&
                         r == 1)  // a tile of fewer rows is done sooner
        return std::array{whole, config{rows - 2, false}, some, none};
      else
        return std::array{whole, some, none};
    }
  }();

  template <class S, class T, class Team, config C>
  using agent = register_tile2d_agent<S, T, Team, C.register_rows, C.rest>;

  /// Rows of a border, the edges that warps publish, and where the tile lies.
  template <class S, class T>
  static constexpr std::size_t scratch_bytes(const config& c) {
    constexpr std::size_t width = 32 * perks_across<S>;
    const auto rows = perks_warps * static_cast<std::size_t>(c.register_rows);
    std::size_t values = static_cast<std::size_t>(perks_edge_values<S>) * perks_edge_sets<S, T>;
    if (c.register_rows > 0) values += 2 * radius_of<S> * (width + rows);
    if (!c.rest) values += width * rows;
    return sizeof(T) * values + (width + 8) * sizeof(int) + rows * sizeof(std::ptrdiff_t) +
           (c.rest ? 0 : perks_lanes * 2 * sizeof(std::uint32_t));
  }
  /// Layers, and the cells of cached ones that keep their values.
  template <class S, class T>
  static std::size_t layer_bytes(const config&, const stencil_plan& p) {
    const auto fixed = static_cast<std::size_t>(p.scratch_rows) * perks_warps * 2 * radius_of<S>;
    return partly_cached_bytes<S, T>(p) + fixed * sizeof(T);
  }

  static engine_shape shape(const config& c);
  static bool serves(const config&, const stencil_problem&, const engine_request&);
  static int most_depth(const config&, const stencil_problem&);
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
