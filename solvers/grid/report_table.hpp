// SPDX-License-Identifier: MIT
// The fields of the report of a solve on a grid, one row each. Private to the project.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "dwell/base/report_table.hpp"
#include "dwell/grid/grid_solver.hpp"

namespace dwell {

/// All of them, in the order of the documents for programs.
std::span<const report_field<grid_report>> grid_report_table();

/// "1000x1000, 500x500": unknowns along the axes of each level.
std::string levels_text(const std::vector<grid_level>& levels);

}  // namespace dwell
