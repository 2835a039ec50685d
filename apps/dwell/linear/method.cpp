// SPDX-License-Identifier: MIT
// Linear systems, as the table of methods has them: by any method, and by conjugate gradients.
#include "linear/commands.hpp"
#include "methods.hpp"

namespace dwell::app {

method solve_method() {
  return {"solve",
          {"Solve A x = b by the method that A allows: cg, minres, bicgstab or gmres",
           {{"dwell solve A.mtx", "the method is chosen by symmetry and diagonal"},
            {"dwell solve A.mtx --solver gmres --restart 50", "or asked for"}},
           add_solve},
          {"Methods and preconditioners, in time to solution",
           {{"dwell compare solve A.mtx", "whole solves with every preconditioner"}},
           add_compare_solve},
          {"A linear system by any method, executor perks",
           {{"dwell explain solve A.mtx", "the method and the plan, and why"}},
           add_explain_solve}};
}

method cg_method() {
  return {"cg",
          {"Solve A x = b by conjugate gradients; A symmetric positive definite",
           {{"dwell cg trefethen:2000", "solve a system made on the spot"},
            {"dwell cg A.mtx --output x.mtx", "solve a system from a file, keep the answer"}},
           add_cg},
          {"Conjugate gradients",
           {{"dwell compare cg A.mtx", "measure all executors and peers on a system"},
            {"dwell compare cg A.mtx like:ecology2 --policies none,auto",
             "several systems, and some policies"}},
           add_compare_cg},
          {"Conjugate gradients, executor perks",
           {{"dwell explain cg A.mtx", "what is cached on the chip, and why"},
            {"dwell explain cg like:ecology2 --device-facts h200", "on a device that is not here"}},
           add_explain_cg}};
}

}  // namespace dwell::app
