// SPDX-License-Identifier: MIT
// Kernels of a definition that are compiled with a program, and how they see memory.
#pragma once
#include <array>
#include <vector>

#include "dwell/base/api.hpp"
#include "dwell/stencil/definition.hpp"

namespace dwell {

/// Computes the cells from `first` to before `last` of a row, of one stage. rows[k] points at cell
/// 0 of the k-th row that the stage reads, out[k] of the k-th that it writes (row_layout); every
/// cell that a tap reaches is there. `parameters` are values in the precision of the cells.
using row_function = void (*)(const void* const* rows, void* const* out, const void* parameters,
                              long first, long last);

/// Which rows a stage reads and writes.
struct row_layout {
  std::vector<std::array<int, 3>> rows;  ///< array, planes, rows: as a tap has them
  std::vector<int> outputs;              ///< fields
};
/// Layouts, one for every stage.
DWELL_API std::vector<row_layout> row_layouts(const stencil_definition& definition);

/// A function for each stage.
struct built_row_kernels {
  std::vector<row_function> f64;  ///< in double
  std::vector<row_function> f32;  ///< in float
};

}  // namespace dwell
