// SPDX-License-Identifier: MIT
// The choices that the subcommands of stencils share; among them those that override how perks lays
// out its tiles.
#pragma once
#include "cli/arguments.hpp"
#include "cli/completions.hpp"

#include "dwell/execution/order/cell_order.hpp"
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

/// Adds --blocking, --depth and --traversal.
inline void add_tiling(CLI::App& app, stencil_options& options) {
  add_choice(app, "--blocking", options.blocking, {"auto", "spatial", "temporal"},
             "perks: every pass over what is not in registers does one step (spatial) or as many "
             "as registers hold levels for, one or several (temporal)");
  add_positive(app, "--depth", options.depth,
               "perks: steps between two exchanges of tiles' edges; temporal: steps of a pass "
               "(default: as planned)")
      ->default_str("");
  add_choice(app, "--traversal", options.traversal, {"auto", "static", "zig-zag", "ring"},
             "perks, one step per pass: the order of rows (in 3-D planes) that are not cached on "
             "the chip; "
             "refused where all are cached");
}

/// How the orders of cells are written: "rows, tiles:WxH[xD], ...".
inline std::string order_forms() {
  std::string list;
  for (const auto& one : cell_order_helps()) list += (list.empty() ? "" : ", ") + one.form;
  return list;
}
/// Adds --order of a single run; parse_cell_order() takes its value, once the dimensions are known.
inline void add_order(CLI::App& app, std::string& value) {
  auto* option =
      app.add_option(
             "--order", value,
             "host-loop, graph, persistent: the order in which a step takes the cells (on a "
             "GPU its tiles), with the same bits: auto, " +
                 order_forms() +
                 ". auto on a CPU is rows, or columns where a core's cache cannot hold the "
                 "rows that a cell reads")
          ->type_name("ORDER")
          ->capture_default_str();
  set_completions(option, {{"auto", "rows", "tiles:", "columns:", "zigzag:", "hilbert"}});
}

/// Adds --orders, several with commas between, each at most once.
inline void add_orders(CLI::App& app, std::vector<std::string>& values) {
  app.add_option("--orders", values,
                 "host-loop, graph, persistent: orders in which a step takes the cells, as 'dwell "
                 "stencil --order' takes them")
      ->delimiter(',')
      ->type_name("ORDER,...")
      ->capture_default_str();
}

}  // namespace dwell::app
