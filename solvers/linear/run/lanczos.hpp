// SPDX-License-Identifier: MIT
// The spectrum of a matrix as an iteration of conjugate gradients has seen it: its coefficients
// are those of Lanczos' tridiagonal matrix T, whose eigenvalues approach the extreme ones of A, or
// of A scaled by the preconditioner, from inside (Saad, Iterative Methods for Sparse Linear
// Systems, 2nd ed., section 6.7.3). Private to the solver.
#pragma once
#include <span>

#include "dwell/execution/krylov/program_args.hpp"

namespace dwell {

/// Eigenvalues of T, to within a percent; both 0 where nothing is known.
struct spectrum_seen {
  double least = 0;
  double most = 0;
};

/// by[k] belongs to the residual after k steps; fewer than two steps say nothing.
spectrum_seen spectrum_of(std::span<const step_coefficients> by);

}  // namespace dwell
