// SPDX-License-Identifier: MIT
// The steps of solve_steps.hpp for a batch: of every system by one block of a GPU, or by one thread
// of the host, in the same order of operations, so that a system's numbers do not depend on the
// others. Private to the solver.
#pragma once
#include "dwell/solvers/linear/batch/batch_places.hpp"
#include "dwell/solvers/linear/run/solve_steps.hpp"

namespace dwell {

/// One per backend; work goes to the device's stream. See solve_steps.
template <class T>
struct batch_steps {
  void (*begin)(const device&, const batch_places<T>&);
  void (*end)(const device&, const batch_places<T>&);
  /// The true residual of run_x, in the caller's units, instead of that of x; of all systems.
  void (*weigh)(const device&, const batch_places<T>&);
  /// x becomes run_x in the systems that are not 0 in `which`, one number each in memory of the
  /// device.
  void (*restore)(const device&, const batch_places<T>&, const int* which);
  /// One of each system, in memory of the device. The matrix is sound.
  void (*diagonals)(const device&, const batch_places<T>&, diagonal_range* to);
};
template <class T>
const batch_steps<T>& batch_steps_of(backend on);

}  // namespace dwell
