// SPDX-License-Identifier: MIT
// Where the data of a residual in f64 are (mixed_steps.hpp). Private to the solver.
#pragma once
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"

namespace dwell {

/// r = b - 2^exponent A x, and r.r; arrays in memory of the device.
struct residual_places {
  large_csr_arrays<double> a;
  int exponent = 0;
  const double* b = nullptr;
  const double* x = nullptr;
  double* r = nullptr;
  double* rr = nullptr;       ///< one
  double* partial = nullptr;  ///< solve_partials(rows) elements of workspace
  unsigned* done = nullptr;   ///< zero
};

}  // namespace dwell
