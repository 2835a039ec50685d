// SPDX-License-Identifier: MIT
// VTK image data (.vti), which ParaView opens: one value per point, binary, as appended raw data.
#pragma once
#include <filesystem>

#include "dwell/base/api.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// The file appears whole or not at all. T is float or double.
template <class T>
DWELL_API void write_vti(const std::filesystem::path& file, grid_view<const T> values);
extern template DWELL_API void write_vti(const std::filesystem::path&, grid_view<const double>);
extern template DWELL_API void write_vti(const std::filesystem::path&, grid_view<const float>);

}  // namespace dwell
