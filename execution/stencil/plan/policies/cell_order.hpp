// SPDX-License-Identifier: MIT
// In which order a step of the whole field takes its cells, where nobody asks for one: columns
// whose rows a core's own cache holds until the next rows need them (Prasetya 2022, 4.3), where
// whole rows are too long for that.
#pragma once
#include <string>

#include "dwell/execution/stencil/order/cell_order.hpp"
#include "dwell/execution/stencil/plan/policy.hpp"

namespace dwell::policies {

struct cell_order_choice {
  cell_order cells;
  std::string why;  ///< one line; empty where rows are taken
};

/// For threads of a CPU with so much cache each; 0: not known, which gets rows.
cell_order_choice choose_cell_order(const stencil_problem& problem, std::size_t cache_bytes);

}  // namespace dwell::policies
