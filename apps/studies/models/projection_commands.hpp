// SPDX-License-Identifier: MIT
// dwell model perks, ebisu and roofline.
#pragma once
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"

namespace dwell::app {

command add_perks_model(CLI::App& app);
command add_ebisu_model(CLI::App& app);
command add_roofline_model(CLI::App& app);

}  // namespace dwell::app
