// SPDX-License-Identifier: MIT
// The extreme elements of every system's diagonal, by setup_loops of either backend.
#pragma once
#include <cstdint>

#include "dwell/device/device.hpp"
#include "dwell/solvers/linear/batch/diagonal_steps.hpp"

namespace dwell::validating {

template <class Loops, class T>
void find_diagonals_with(const device& where, const batch_places<T>& at, diagonal_range* to) {
  constexpr std::int64_t systems_per_thread = 64;
  const Loops loops(where);
  const large_csr_arrays<T>& a = at.all.a;
  loops.warps(
      at.count, systems_per_thread,
      find_diagonal_ranges<T>{{a.rows, a.nonzeros, a.row_ptr, a.col}, a.val, at.first_rows, to});
}

}  // namespace dwell::validating
