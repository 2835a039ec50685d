// SPDX-License-Identifier: MIT
// How scans on a GPU are laid out.
#pragma once
#include "dwell/solvers/arrays/scan/scan_steps.hpp"

namespace dwell::cuda {

inline constexpr int scan_lanes = 32 * scan_warps;

enum class table_step { sum_bands, fold_bands, add_down };
enum class window_step { sum_band, fold_block, sum_ends, add_beginnings };

/// Columns of a strip, which a warp takes.
inline constexpr int strip_columns = 32;
constexpr int strips_of(int columns) { return (columns - 1) / strip_columns + 1; }

inline constexpr int tile_side = 32, tile_rows = 8;

}  // namespace dwell::cuda
