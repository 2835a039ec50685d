// SPDX-License-Identifier: MIT
// Systems on grids, as the table of methods has them.
#include "grid/commands.hpp"
#include "methods.hpp"

namespace dwell::app {

method grid_method() {
  return {"grid",
          {"Solve -div(k grad u) + s u = f on a grid, without a matrix",
           {{"dwell grid 1000x1000 --k k.npy --boundary \"y: neumann\" -o u.npy",
             "a pressure or a potential, k per cell"}},
           add_grid},
          {"", {}, nullptr},
          {"A system on a grid: the levels of multigrid, and where each one lives",
           {{"dwell explain grid 1000x1000", "levels, and bytes that a cycle moves"}},
           add_explain_grid}};
}

}  // namespace dwell::app
