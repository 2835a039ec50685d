// SPDX-License-Identifier: MIT
// dwell model tensor.
#pragma once
#include <CLI/CLI.hpp>

#include "cli/commands.hpp"

namespace dwell::app {

command add_tensor_model(CLI::App& app);

}  // namespace dwell::app
