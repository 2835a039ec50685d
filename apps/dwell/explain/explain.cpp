// SPDX-License-Identifier: MIT
// dwell explain: by method.
#include "cli/commands.hpp"
#include "methods.hpp"

namespace dwell::app {

command add_explain(CLI::App& app) {
  app.require_subcommand(1);
  app.footer(examples_of(&method::explain));
  return add_methods(app, &method::explain);
}

}  // namespace dwell::app
