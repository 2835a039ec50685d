// SPDX-License-Identifier: MIT
// A field as a picture: a heat map, row 0 on top, with a colour bar and the range of values; of a
// field in three dimensions plane nz / 2 and its range. Fields of more than 2048 cells a side are
// shown at every n-th cell, small ones enlarged.
#pragma once
#include <filesystem>

#include "dwell/base/api.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// The file appears whole or not at all. Cells that are not finite are grey; a field
/// without any other has no colour bar. T is float or double.
template <class T>
DWELL_API void write_png(const std::filesystem::path& file, grid_view<const T> values);
extern template DWELL_API void write_png(const std::filesystem::path&, grid_view<const double>);
extern template DWELL_API void write_png(const std::filesystem::path&, grid_view<const float>);

}  // namespace dwell
