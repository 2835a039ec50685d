// SPDX-License-Identifier: MIT
// dwell grid with --ranks or --distributed: a grid that is divided among ranks.
#pragma once
#include <string>
#include <vector>

#include "cli/ranks.hpp"
#include "report/json.hpp"

#include "dwell/grid/distributed_grid_solver.hpp"

namespace dwell::app {

struct ranked_grid {
  distributed_grid_report report;
  std::string transport;
};

/// Solves with right-hand side f and start u, which the first rank has, as it has the arrays of d.
/// threads: of each rank; 0: its share of those of the machine. Throws what
/// distributed_grid_solver throws.
template <class T>
ranked_grid solve_grid_on_ranks(const rank_choice& choice, communicator* comm, int threads,
                                const grid_description<T>& d, const std::vector<T>& f,
                                std::vector<T>& u, const grid_options& options,
                                const grid_division& division);

/// "2 (threads), at most 504 planes each; 3 levels divided, the others on rank 0".
std::string describe_ranks(const ranked_grid& r);
/// What the slowest exchanges took: one line.
std::string describe_exchanges(const ranked_grid& r);
std::string ranks_table(const ranked_grid& r);
json ranks_json(const ranked_grid& r);  ///< an array

}  // namespace dwell::app
