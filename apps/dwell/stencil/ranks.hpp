// SPDX-License-Identifier: MIT
// dwell stencil with --ranks or --distributed: a field that is divided among ranks.
#pragma once
#include <string>
#include <vector>

#include "cli/ranks.hpp"
#include "report/json.hpp"

#include "dwell/formats/grid.hpp"
#include "dwell/stencil/distributed_stencil.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::app {

/// What a rank had of the work.
struct field_line {
  field_share share;
  int threads = 0;
  int gpu = -1;  ///< its number; -1: on a CPU
  double solve_s = 0;
};
struct ranked_field {
  stencil_report report;  ///< report of the whole field; its plan is that of the first rank's part
  std::string transport;
  std::vector<field_line> ranks;
};
/// Does steps on u, which the first rank has, of `size` cells; source, likewise, may be null if it
/// is on all ranks. threads: of each rank on a CPU; 0: its share of those of the machine. Throws
/// what distributed_stencil throws.
template <class T>
ranked_field solve_on_ranks(const rank_choice& choice, communicator* comm,
                            const device_choice& where, int threads, const field_division& division,
                            const extents& size, bool has_source, grid<T>& u,
                            const stencil_options& options, const grid<T>* source);

std::string describe_ranks(const ranked_field& r);
std::string ranks_table(const ranked_field& r);
json ranks_json(const ranked_field& r);  ///< an array

}  // namespace dwell::app
