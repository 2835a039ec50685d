// SPDX-License-Identifier: MIT
// Options that were given and have no effect on a run, since they are of another method or another
// preconditioner. Each gets a warning.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

#include "dwell/solvers/linear/api/without_effect.hpp"

namespace dwell::app {

/// A line for each option of the command that none of these runs heeds.
std::vector<std::string> without_effect(const CLI::App& command, const std::vector<heeded>& runs);

}  // namespace dwell::app
