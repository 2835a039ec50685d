// SPDX-License-Identifier: MIT
// What a solve does with its vectors before and after the iteration, where they are: the scale of
// the system, the start of the run, the norm of the right-hand side, the answer, and the true
// residual. Host and device give the same bits. Private to the solver.
#pragma once
#include <cstddef>
#include <span>

#include "dwell/device/device.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/run/solve_places.hpp"

namespace dwell {

std::size_t solve_partials(index rows);

/// One per backend; work goes to the device's stream.
template <class T>
struct solve_steps {
  /// From b and x: by, rhs, the means and finite of the numbers, the run's vectors, and its target.
  void (*begin)(const device&, const solve_places<T>&);
  /// From the run's answer: x, and the rest of the numbers; of all columns of the run. Where x is
  /// the answer, run_x is the start vector then.
  void (*end)(const device&, std::span<const solve_places<T>>);
  /// The true residual of run_x, in the caller's units, instead of that of x; of all columns.
  void (*weigh)(const device&, std::span<const solve_places<T>>);
  /// x becomes run_x.
  void (*restore)(const device&, const solve_places<T>&);
  void (*product)(const device&, const product_places<T>&);
};
template <class T>
const solve_steps<T>& solve_steps_of(backend on);

}  // namespace dwell
