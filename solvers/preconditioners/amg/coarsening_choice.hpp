// SPDX-License-Identifier: MIT
// Which coarsening a matrix gets where the options leave it open, by a look at some of its rows.
// Private to amg.
#pragma once
#include <string>

#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/amg/amg.hpp"

namespace dwell::amg {

struct coarsening_choice {
  coarsening_kind is = coarsening_kind::roots;
  std::string why;  ///< "coarsening classical: ..."
};

/// The matrix is on the host.
template <class T>
coarsening_choice choose_coarsening(const csr_arrays<T>& a);

}  // namespace dwell::amg
