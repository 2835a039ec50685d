// SPDX-License-Identifier: MIT
// What a field holds: the range of its finite values, how many are not, and where the first of
// these lies. In the order of the cells for messages, by all threads for large fields.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "dwell/formats/grid.hpp"

namespace dwell {

struct value_range {
  double least, greatest;     ///< range of the finite values; NaN where there is none
  std::size_t nonfinite = 0;  ///< values that are NaN or infinite
};
/// T is float or double, here and below.
template <class T>
value_range range_of(std::span<const T> values);

/// "[3, 4] (counted from 0)": the index that NumPy gives a cell of a field of these sizes, the
/// slowest first.
std::string place_of_cell(std::span<const int> sizes, std::size_t cell);

/// Throws input_error "NAME: expected finite values, found nan at [3, 4]", where the first value
/// that is not finite has the index that NumPy gives it.
template <class T>
void require_finite(const std::string& name, grid_view<const T> field);

extern template value_range range_of(std::span<const double>);
extern template value_range range_of(std::span<const float>);
extern template void require_finite(const std::string&, grid_view<const double>);
extern template void require_finite(const std::string&, grid_view<const float>);

}  // namespace dwell
