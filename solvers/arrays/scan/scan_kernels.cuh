// SPDX-License-Identifier: MIT
// The kernels of scans: a block a tile, a warp a line or a strip of a table.
#pragma once
#include <cstdint>

#include "dwell/execution/team/row_warp_cuda.cuh"
#include "dwell/execution/team/scan_warp_cuda.cuh"
#include "dwell/solvers/arrays/scan/look_back_flags.hpp"
#include "dwell/solvers/arrays/scan/scan_sizes.hpp"
#include "dwell/solvers/arrays/scan/scan_steps.hpp"
#include "dwell/solvers/arrays/scan/window_steps.hpp"

namespace dwell::cuda {

template <class Op, class T>
__global__ void __launch_bounds__(scan_lanes)
    scan_kernel(const scan_args<T> a, const look_back_flags<T> flags) {
  using team_type = scan_team<T, scan_warps, look_back_flags<T>>;
  __shared__ typename team_type::shared shared;
  team_type team(flags, shared);
  scan_tile<Op>(team, a, team.take());
}

/// The number of the calling thread's warp among all.
DWELL_FN std::int64_t warp_number() {
  return static_cast<std::int64_t>(blockIdx.x) * scan_warps +
         __shfl_sync(~0u, static_cast<int>(threadIdx.x) / 32, 0);
}
template <class T>
__global__ void __launch_bounds__(scan_lanes) lines_kernel(const T* in, const table_args<T> a) {
  const std::int64_t y = warp_number();
  if (y < a.rows)
    scan_line<scan_sum<T>, T, scan_warp<T>>(in + y * a.columns, a.table + y * a.columns, a.columns);
}

template <class T>
using strip_warp = row_warp<T, 1>;
static_assert(strip_warp<double>::columns == strip_columns &&
              strip_warp<float>::columns == strip_columns);

template <class T, class Step>
__global__ void __launch_bounds__(scan_lanes) table_kernel(const table_args<T> a) {
  const int strips = strips_of(a.columns);
  const std::int64_t number = warp_number();
  const auto band = static_cast<int>(number / strips);
  if (band >= (Step::value == table_step::fold_bands ? 1 : a.bands())) return;
  strip_warp<T> warp;
  table_strip<T, strip_warp<T>> strip(warp, a, static_cast<int>(number % strips) * strip_columns);
  if constexpr (Step::value == table_step::sum_bands) strip.sum_band(band);
  if constexpr (Step::value == table_step::fold_bands) strip.fold_bands();
  if constexpr (Step::value == table_step::add_down) strip.add_down(band);
}

template <class From, class Step>
__global__ void __launch_bounds__(scan_lanes) window_kernel(const window_args<From> a) {
  const std::int64_t strips = strips_of(a.columns), number = warp_number(), part = number / strips;
  if (part >= (Step::value == window_step::fold_block ? a.axis.blocks() : a.axis.bands())) return;
  strip_warp<double> warp;
  window_strip<From, strip_warp<double>> strip(warp, a,
                                               static_cast<int>(number % strips) * strip_columns);
  if constexpr (Step::value == window_step::sum_band) strip.sum_band(part);
  if constexpr (Step::value == window_step::fold_block) strip.fold_block(part);
  if constexpr (Step::value == window_step::sum_ends) strip.sum_ends(part);
  if constexpr (Step::value == window_step::add_beginnings) strip.add_beginnings(part);
}

template <class To, class Become>
__global__ void __launch_bounds__(tile_side* tile_rows)
    transpose_kernel(const double* from, int rows, int columns, const Become become, To* to) {
  __shared__ double tile[tile_side][tile_side + 1];
  const std::int64_t tiles = (columns - 1) / tile_side + 1, top = blockIdx.x / tiles * tile_side,
                     left = blockIdx.x % tiles * tile_side;
  const int column = static_cast<int>(threadIdx.x) % tile_side,
            row = static_cast<int>(threadIdx.x) / tile_side;
  for (int k = row; k < tile_side; k += tile_rows)
    if (left + k < columns && top + column < rows)
      tile[column][k] = from[(left + k) * rows + top + column];
  __syncthreads();
  for (int k = row; k < tile_side; k += tile_rows) {
    const std::int64_t y = top + k, x = left + column;
    if (y < rows && x < columns)
      to[y * columns + x] = static_cast<To>(become(tile[k][column], y, x));
  }
}

}  // namespace dwell::cuda
