// SPDX-License-Identifier: MIT
// The choices that the subcommands of stencils share; among them those that override how perks lays
// out its tiles.
#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"

#include "dwell/solvers/stencil/stencil.hpp"

namespace dwell::app {

/// The argument STENCIL is completed by the names of this build.
inline void set_stencil_completions(const CLI::Option* option) {
  std::vector<std::string> names;
  for (const auto& s : stencil_shapes()) names.push_back(s.name);
  set_completions(option, {names});
}

/// --initial likewise, by its kinds.
inline CLI::Option* set_initial_completions(CLI::Option* option) {
  set_completions(option, {{"hot-spot", "checker", "random:", "zeros"}});
  return option;
}

/// Adds --boundary; parse_boundary() takes its value.
inline void add_boundary(CLI::App& app, std::string& value, const std::string& help) {
  add_choice(app, "--boundary", value, {"fixed", "periodic", "reflect"}, help);
}

/// Adds --blocking, --depth, --engine and --traversal.
inline void add_tiling(CLI::App& app, stencil_options& options) {
  add_choice(app, "--blocking", options.blocking, {"auto", "spatial", "temporal"},
             "perks: every pass over what is not in registers does one step (spatial) or as many "
             "as registers hold levels for, one or several (temporal)");
  add_positive(app, "--depth", options.depth,
               "perks: steps between two exchanges of tiles' edges; temporal: steps of a pass "
               "(default: as planned)")
      ->default_str("");
  std::vector<std::string> engines = stencil_engines();
  engines.insert(engines.begin(), "auto");
  add_choice(
      app, "--engine", options.engine, engines,
      fmt::format("How an executor lays the field over the chip: {}", fmt::join(engines, ", ")))
      ->type_name("NAME");
  add_choice(app, "--traversal", options.traversal, {"auto", "static", "zig-zag", "ring"},
             "perks, one step per pass: the order of rows (in 3-D planes) that are not cached on "
             "the chip; "
             "refused where all are cached");
}

}  // namespace dwell::app
