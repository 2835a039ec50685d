// SPDX-License-Identifier: MIT
// Arrays of a run in memory, and what lies beyond their borders.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "dwell/execution/stencil/fields/field_stage.hpp"
#include "dwell/stencil/definition.hpp"
#include "dwell/stencil/field_boundary.hpp"

namespace dwell {

/// Axes are z, y, x; those that there are not have one cell.
struct field_size {
  int dims = 2;
  std::array<std::int64_t, 3> n{1, 1, 1};

  std::int64_t cells() const { return n[0] * n[1] * n[2]; }
  std::int64_t rows() const { return n[0] * n[1]; }
  /// The slowest axis that there is.
  int slowest() const { return 3 - dims; }
};

/// The size, of axes that a caller gives. Throws input_error unless there are `dims` of them, each
/// with at least one cell, and at most 2^40 cells.
field_size checked_field_size(int dims, std::span<const std::int64_t> axes);

/// "fixed", "constant", ...: names in C++, too.
std::string_view side_kind_name(side_kind kind);

/// Where the value of a cell beyond a border is.
struct border_value {
  std::int64_t index = 0;  ///< the cell that has it
  bool negated = false;
  bool constant = false;  ///< it is the side's value, not a cell's
};

/// Size and borders of all arrays of a definition, fields first.
class field_domain {
 public:
  /// `boundaries` has an element for each field, or one for all. Throws input_error for sides that
  /// do not go together, or an axis that is too short for them.
  field_domain(const stencil_definition& definition, const field_size& size,
               std::vector<field_boundary> boundaries);

  const field_size& size() const { return size_; }
  const stencil_definition& definition() const { return definition_; }
  /// Cells of an axis that are not fixed: from first to before second.
  std::pair<std::int64_t, std::int64_t> changing(int axis) const {
    return changing_[std::size_t(axis)];
  }
  bool has_fixed_cells() const;
  std::int64_t changing_cells() const;
  bool is_fixed(std::int64_t z, std::int64_t y, std::int64_t x) const;
  bool is_periodic(int axis) const { return side(0, axis, 0).kind == side_kind::periodic; }
  const field_side& side(int array, int axis, int high) const {
    return boundaries_[std::size_t(array)].sides[std::size_t(axis)][std::size_t(high)];
  }
  /// What index i of an axis stands for, where i < 0 or i >= n.
  border_value beyond(int array, int axis, std::int64_t i) const;

 private:
  void check() const;

  stencil_definition definition_;
  field_size size_;
  std::vector<field_boundary> boundaries_;  ///< one for every array
  std::array<std::pair<std::int64_t, std::int64_t>, 3> changing_;
};

}  // namespace dwell
