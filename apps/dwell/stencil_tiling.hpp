// SPDX-License-Identifier: MIT
// The options with which a user overrides how perks lays out its tiles, for all commands alike.
#pragma once
#include "arguments.hpp"

#include "dwell/solvers/stencil/stencil.hpp"

namespace dwell::app {

/// Adds --blocking, --depth and --traversal.
inline void add_tiling(CLI::App& app, stencil_options& options) {
  add_choice(app, "--blocking", options.blocking, {"auto", "spatial", "temporal"},
             "perks: every pass over what is not in registers does one step (spatial) or as many "
             "as registers hold levels for, one or several (temporal)");
  add_positive(app, "--depth", options.depth,
               "perks: steps between two exchanges of tiles' edges (default: as planned)")
      ->default_str("");
  add_choice(
      app, "--traversal", options.traversal, {"auto", "static", "zig-zag", "ring"},
      "perks, one step per pass: the order of rows (in 3-D planes) that are not kept on the chip; "
      "refused where all are kept");
}

}  // namespace dwell::app
