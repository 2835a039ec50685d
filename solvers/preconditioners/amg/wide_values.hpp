// SPDX-License-Identifier: MIT
// Values of f32 as a hierarchy takes them: in f64, and with rows that sum to zero where rounding
// alone keeps them from it. Coarse levels have smaller elements and the rounding of the finest, of
// either sign, which would make them indefinite.
#pragma once
#include <cstdint>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/buffer.hpp"
#include "dwell/execution/krylov/spmv/csr_arrays.hpp"
#include "dwell/solvers/preconditioners/amg/multiplying.hpp"
#include "dwell/solvers/preconditioners/amg/wide_steps.hpp"
#include "dwell/solvers/preconditioners/sequences/steps.hpp"

namespace dwell::amg {

/// constants: the constant vector is what coarse levels hold.
template <class Loops, class T>
buffer<double> wide_values(const Loops& loops, const device& where, const csr_arrays<T>& a,
                           bool constants) {
  buffer<double> val(where, static_cast<std::size_t>(a.nonzeros), fresh::unset);
  loops.items(a.nonzeros, rows_per_thread, sequences::widen_values<T>{a.val, val.data()});
  if (!constants) return val;
  const buffer<index> beyond(where, 1);
  loops.items(a.rows, rows_per_thread, find_sums_beyond_rounding<T>{a, beyond.data()});
  index found = 0;
  loops.fetch(&found, beyond.data(), sizeof found);
  if (found == 0) loops.items(a.rows, rows_per_thread, balance_diagonal<T>{a, val.data()});
  return val;
}

}  // namespace dwell::amg
