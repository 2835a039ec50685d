// SPDX-License-Identifier: MIT
// What a user may try where a solve on a grid has not converged: one line for the report.
#pragma once
#include <string>

#include "dwell/grid/grid_solver.hpp"

namespace dwell::grids {

/// A line of a report whose method, precision, end and stagnation are known. varies: coefficients
/// differ from cell to cell. galerkin: the coarse operators of the end were Galerkin's. divided:
/// among ranks, which have no lines. Empty where the solve converged or was interrupted.
std::string advice_of(const grid_report& r, const grid_options& o, bool varies, bool galerkin,
                      bool divided);

}  // namespace dwell::grids
