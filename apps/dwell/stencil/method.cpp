// SPDX-License-Identifier: MIT
// Iterative stencils, as the table of methods has them.
#include "methods.hpp"
#include "stencil/commands.hpp"

namespace dwell::app {

method stencil_method() {
  return {"stencil",
          {"Do steps of an iterative stencil on a regular grid",
           {{"dwell stencil 2d5pt --size 64x64", "do steps of a stencil on a grid"}},
           add_stencil},
          {"Iterative stencils",
           {{"dwell compare stencil 2d5pt --size 2048x2048", "measure all executors on a stencil"}},
           add_compare_stencil},
          {"An iterative stencil, executor perks",
           {{"dwell explain stencil 2d5pt --size 64x64", "what is cached on the chip, and why"},
            {"dwell explain stencil 2d5pt --size 1320x1200 --device-facts h200",
             "on a device that is not here"}},
           add_explain_stencil}};
}

}  // namespace dwell::app
