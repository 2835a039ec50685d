// SPDX-License-Identifier: MIT
// The order of a plan where lanes are threads: a table of the tiles, so that a kernel finds which
// tile is n-th by a load, whatever the order.
#pragma once
#include <vector>

#include "dwell/execution/stencil/plan/plan.hpp"

namespace dwell {

/// The number of the tile that is taken as n-th. Columns, tiles and blocks of the order are those
/// of the cells in whole tiles of the plan. Empty where tiles are taken as they are numbered.
std::vector<unsigned> tile_order(const stencil_plan& how, int dims);

}  // namespace dwell
