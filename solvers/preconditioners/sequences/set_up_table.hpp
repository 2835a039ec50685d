// SPDX-License-Identifier: MIT
// The set-ups on a GPU of preconditioners that are sequences. Private to them.
#pragma once
#include "dwell/device/device.hpp"
#include "dwell/execution/device/cuda_backend.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/prepared_preconditioner.hpp"

namespace dwell {

struct matrix_units;

/// Each as the function of its folder promises.
template <class T>
struct chain_set_ups {
  using make = prepared_preconditioner (*)(const device&, const csr_arrays<T>&,
                                           const preconditioner_options&);
  make fsai, block_jacobi, ilu0, chebyshev;
  void (*find_units)(const device&, const csr_arrays<T>&, bool with_values, matrix_units& to);
};

/// Those that are there for complex matrices.
template <class T>
struct complex_set_ups {
  prepared_preconditioner (*ilu0)(const device&, const csr_arrays<T>&,
                                  const preconditioner_options&);
};

}  // namespace dwell
