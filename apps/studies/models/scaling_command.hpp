// SPDX-License-Identifier: MIT
// dwell model scaling.
#pragma once
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"

namespace dwell::app {

command add_scaling(CLI::App& app);

}  // namespace dwell::app
