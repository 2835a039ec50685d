// SPDX-License-Identifier: MIT
// Completions, orders of cells and warnings that the subcommands of stencils share.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/arguments.hpp"
#include "cli/completions.hpp"
#include "cli/output.hpp"

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/order/cell_order.hpp"
#include "dwell/execution/stencil/plan/policies/table.hpp"
#include "dwell/stencil/solve.hpp"

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

/// Warns of a policy that leaves, asked for by `option`.
inline void warn_of_leaving(const std::string& option, const std::string& policy) {
  if (const char* same = policies::find_stencil_policy(policy).replacement)
    warn(fmt::format("{}: the next minor version removes '{}'; '{}' is the same", option, policy,
                     same));
}

/// How the orders of cells are written: "rows, tiles:WxH[xD], ...".
inline std::string order_forms() {
  std::string list;
  for (const auto& one : cell_order_helps()) list += (list.empty() ? "" : ", ") + one.form;
  return list;
}
/// What a shell may complete.
inline std::vector<std::string> order_words() {
  return {"auto", "rows", "tiles:", "columns:", "zigzag:", "hilbert"};
}
/// Adds --order of a single run; parse_cell_order() takes its value, once the dimensions are known.
inline CLI::Option* add_order(CLI::App& app, std::string& value, const std::string& help) {
  auto* option = app.add_option("--order", value,
                                help + ": auto, " + order_forms() +
                                    ". auto on a CPU is rows, or columns where a core's cache "
                                    "cannot hold the rows that a cell reads")
                     ->type_name("ORDER")
                     ->capture_default_str();
  set_completions(option, {order_words()});
  return option;
}

/// Adds --orders, several with commas between, each at most once; parse_cell_order() takes each.
inline void add_orders(CLI::App& app, std::vector<std::string>& values, const std::string& help) {
  std::string usual;
  for (const auto& value : values) usual += (usual.empty() ? "" : ",") + value;
  auto* option =
      app.add_option_function<std::string>(
             "--orders",
             [&values](const std::string& text) {
               values.clear();
               for (std::size_t begin = 0; begin <= text.size();) {
                 const auto end = std::min(text.find(',', begin), text.size());
                 values.push_back(text.substr(begin, end - begin));
                 begin = end + 1;
                 if (std::count(values.begin(), values.end(), values.back()) > 1)
                   throw input_error("--orders: expected each order once, found '" + text + "'");
               }
             },
             help)
          ->type_name("ORDER,...")
          ->default_str(usual);
  set_completions(option, {order_words(), value_completions::list});
}

}  // namespace dwell::app
