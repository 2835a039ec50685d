// SPDX-License-Identifier: MIT
// dwell compare: by method.
#include "cli/commands.hpp"
#include "methods.hpp"

namespace dwell::app {

command add_compare(CLI::App& app) {
  app.require_subcommand(1);
  app.footer(examples_of(&method::compare));
  return add_methods(app, &method::compare);
}

}  // namespace dwell::app
