// SPDX-License-Identifier: MIT
// Methods of solves on grids, their preconditioners and ends, as values that kernels know, too.
#pragma once

namespace dwell::grids {

enum class grid_method : int { cg, multigrid, minres, bicgstab, chebyshev, jacobi };
enum class grid_preconditioner : int { multigrid, jacobi, none };

/// Numbers of stop_reason, which kernels know by these.
struct device_stops {
  static constexpr int converged = 0, iteration_limit = 1, breakdown = 2, not_finite = 3,
                       interrupted = 4, accuracy_limit = 5;
  static constexpr int none = -1;  ///< goes on
};

}  // namespace dwell::grids
