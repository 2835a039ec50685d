// SPDX-License-Identifier: MIT
// Reductions of fields: one number of all cells of a field, every so many steps, to watch a run and
// to end it.
//
// Numbers are those of reduce() (dwell/arrays/reduce.hpp): in f64, in an order that depends on the
// number of cells alone, cells being taken in C order. So they have the same bits under every
// executor and kernel, with any number of threads, on every device.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dwell/arrays/reduce.hpp"
#include "dwell/base/api.hpp"

namespace dwell {

/// What is computed of all cells of a field, fixed ones included.
struct field_quantity {
  reduction operation = reduction::sum;  ///< what becomes of the cells
  /// Not of the field, but of what the last step changed: of each cell the new value less the old
  /// one, rounded to the field's precision.
  bool of_change = false;
  /// Equal in both.
  friend bool operator==(const field_quantity&, const field_quantity&) = default;
};
/// "sum", "min", "max", "norm1", "norm2", "norm-max", or one of these behind "change-".
DWELL_API std::string to_string(const field_quantity& q);
/// Throws input_error, with what was perhaps meant, unless it is one of these.
DWELL_API field_quantity parse_field_quantity(std::string_view text);

/// A quantity that a run computes.
struct field_reduction {
  int field = 0;            ///< its place in the definition
  field_quantity quantity;  ///< what is computed of it
  /// The run ends, converged, when the quantity is no more than this; and, not finite, when it is
  /// a NaN. With several, the first of them ends it.
  std::optional<double> until{};
};

/// Quantities of one step.
struct field_reduction_row {
  std::int64_t step = 0;       ///< done by the runner when they were computed
  std::vector<double> values;  ///< in the order of the reductions
};

/// A quantity as reports have it.
struct reduced_field {
  std::string name;               ///< "sum(u)"
  std::optional<double> last;     ///< the value that was computed last, if there is one
  std::optional<double> until{};  ///< the value that ends a run, if there is one
};

}  // namespace dwell
