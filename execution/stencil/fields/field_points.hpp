// SPDX-License-Identifier: MIT
// Sources and receivers: values that are added to cells of a field after each step, and cells whose
// values are recorded after that. Points are sorted by rows, so that whoever has computed some rows
// finds those in them.
#pragma once
#include <cstdint>
#include <vector>

#include "dwell/execution/stencil/fields/field_memory.hpp"

namespace dwell {

/// A cell, and its place in the caller's list.
struct field_point {
  std::int64_t row, x;
  std::size_t place;
};

template <class T>
struct source_list {
  int field;
  std::vector<field_point> points;
  std::vector<T> series;    ///< [step][place]
  std::int64_t first_step;  ///< the runner's step when the list was given
  std::int64_t steps() const {
    return points.empty() ? 0 : static_cast<std::int64_t>(series.size() / points.size());
  }
};

template <class T>
struct receiver_list {
  int field;
  std::vector<field_point> points;
  std::vector<T> record;  ///< [step][place], of the steps since the list was given
  std::int64_t first_step;
};

/// Some cells: of rows a run, and of each the same columns.
struct field_block {
  std::int64_t first_row, last_row, first_x, last_x;
};

template <class T>
struct field_points {
  std::vector<source_list<T>> sources;
  std::vector<receiver_list<T>> receivers;
  std::int64_t revision = 0;  ///< another one when lists come or go

  bool empty() const { return sources.empty() && receivers.empty(); }
  /// After step `step` of the runner, of the cells of a block, which has been computed.
  void apply(std::int64_t step, const field_block& block, const field_memory<T>& memory,
             const field_places& places);
};

/// Places of cells that a caller gives, `dims` indices each. Throws input_error if one is not in
/// the field.
std::vector<field_point> field_points_of(std::span<const std::int64_t> cells,
                                         const field_size& size, const char* what);

}  // namespace dwell
