// SPDX-License-Identifier: MIT
// A run of steps: what it works on, and what came of it.
#pragma once
#include <cstdint>
#include <vector>

#include "dwell/execution/stencil/fields/field_memory.hpp"
#include "dwell/execution/stencil/fields/field_points.hpp"

namespace dwell {

/// What a run works on.
template <class T>
struct field_run {
  const field_memory<T>& memory;
  field_points<T>& points;
  /// Values of all parameters: of every step, or of all steps alike.
  std::vector<T> parameters;
  bool parameters_change = false;
  /// All cells of each field, or none: fixed cells that a renamed field has to be given again.
  std::vector<std::vector<T>> fixed_cells;
  std::int64_t first_step = 0;  ///< the number of this run's first, counted over the runner
  int steps = 0;

  const T* parameters_of(int step, int count) const {
    return parameters.data() +
           (parameters_change ? static_cast<std::size_t>(step) * static_cast<std::size_t>(count)
                              : 0);
  }
};

/// What came of it.
struct field_run_end {
  int steps = 0;
  double seconds = 0;
  field_places places;
};

}  // namespace dwell
