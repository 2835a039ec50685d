// SPDX-License-Identifier: MIT
// Scans on a GPU: a block a tile, a warp a line or a strip of a table.
#include "dwell/arrays/scan.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/team/row_warp_cuda.cuh"
#include "dwell/execution/team/scan_warp_cuda.cuh"
#include "dwell/solvers/arrays/scan/scan_runs.hpp"
#include "dwell/solvers/arrays/scan/scan_steps.hpp"
#include "dwell/solvers/arrays/scan/window_steps.hpp"

namespace dwell::cuda {
namespace {

inline constexpr int scan_lanes = 32 * scan_warps;

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
unsigned blocks_for(std::int64_t warps) {
  return static_cast<unsigned>((warps - 1) / scan_warps + 1);
}
cudaStream_t stream_of(const scan_place& place) {
  DWELL_CUDA(cudaSetDevice(place.where.ordinal()));
  return static_cast<cudaStream_t>(place.where.stream());
}

template <class T>
__global__ void __launch_bounds__(scan_lanes) lines_kernel(const T* in, const table_args<T> a) {
  const std::int64_t y = warp_number();
  if (y < a.rows)
    scan_line<scan_sum<T>, T, scan_warp<T>>(in + y * a.columns, a.table + y * a.columns, a.columns);
}

enum class table_step { sum_bands, fold_bands, add_down };
template <class T>
using strip_warp = row_warp<T, 1>;
/// Warps of either type have as many columns.
constexpr int strips_of(int columns) { return (columns - 1) / strip_warp<double>::columns + 1; }
template <class T, table_step Step>
__global__ void __launch_bounds__(scan_lanes) table_kernel(const table_args<T> a) {
  const int strips = strips_of(a.columns);
  const std::int64_t number = warp_number();
  const auto band = static_cast<int>(number / strips);
  if (band >= (Step == table_step::fold_bands ? 1 : a.bands())) return;
  strip_warp<T> warp;
  table_strip<T, strip_warp<T>> strip(warp, a,
                                      static_cast<int>(number % strips) * strip_warp<T>::columns);
  if constexpr (Step == table_step::sum_bands) strip.sum_band(band);
  if constexpr (Step == table_step::fold_bands) strip.fold_bands();
  if constexpr (Step == table_step::add_down) strip.add_down(band);
}

enum class window_step { sum_band, fold_block, sum_ends, add_beginnings };
template <class From, window_step Step>
__global__ void __launch_bounds__(scan_lanes) window_kernel(const window_args<From> a) {
  const std::int64_t strips = strips_of(a.columns), number = warp_number(), part = number / strips;
  if (part >= (Step == window_step::fold_block ? a.axis.blocks() : a.axis.bands())) return;
  strip_warp<double> warp;
  window_strip<From, strip_warp<double>> strip(
      warp, a, static_cast<int>(number % strips) * strip_warp<double>::columns);
  if constexpr (Step == window_step::sum_band) strip.sum_band(part);
  if constexpr (Step == window_step::fold_block) strip.fold_block(part);
  if constexpr (Step == window_step::sum_ends) strip.sum_ends(part);
  if constexpr (Step == window_step::add_beginnings) strip.add_beginnings(part);
}

inline constexpr int tile_side = 32, tile_rows = 8;
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

template <class T>
void run_scan(const scan_place& place, const scan_args<T>& a, scan_operation operation,
              std::byte* begin) {
  const auto flags = flags_at<T>(begin, a.tiles());
  const auto blocks = static_cast<unsigned>(a.tiles());
  const cudaStream_t stream = stream_of(place);
  if (operation == scan_operation::sum)
    scan_kernel<scan_sum<T>, T><<<blocks, scan_lanes, 0, stream>>>(a, flags);
  else
    scan_kernel<scan_max<T>, T><<<blocks, scan_lanes, 0, stream>>>(a, flags);
  DWELL_CUDA(cudaGetLastError());
}

template <class T>
void run_table(const scan_place& place, const T* in, const table_args<T>& a) {
  const cudaStream_t stream = stream_of(place);
  lines_kernel<T><<<blocks_for(a.rows), scan_lanes, 0, stream>>>(in, a);
  const std::int64_t strips = strips_of(a.columns);
  table_kernel<T, table_step::sum_bands>
      <<<blocks_for(strips * a.bands()), scan_lanes, 0, stream>>>(a);
  table_kernel<T, table_step::fold_bands><<<blocks_for(strips), scan_lanes, 0, stream>>>(a);
  table_kernel<T, table_step::add_down>
      <<<blocks_for(strips * a.bands()), scan_lanes, 0, stream>>>(a);
  DWELL_CUDA(cudaGetLastError());
}

template <class From>
void run_windows(const scan_place& place, const window_args<From>& a) {
  const cudaStream_t stream = stream_of(place);
  const window_axis& axis = a.axis;
  const std::int64_t strips = strips_of(a.columns);
  const auto blocks = [&](std::int64_t parts) { return blocks_for(strips * parts); };
  if (axis.bands_of_block() > 1) {
    window_kernel<From, window_step::sum_band><<<blocks(axis.bands()), scan_lanes, 0, stream>>>(a);
    window_kernel<From, window_step::fold_block>
        <<<blocks(axis.blocks()), scan_lanes, 0, stream>>>(a);
  }
  if (axis.size() > 1)
    window_kernel<From, window_step::sum_ends><<<blocks(axis.bands()), scan_lanes, 0, stream>>>(a);
  window_kernel<From, window_step::add_beginnings>
      <<<blocks(axis.bands()), scan_lanes, 0, stream>>>(a);
  DWELL_CUDA(cudaGetLastError());
}

template <class To, class Become>
void run_transpose(const scan_place& place, const double* from, int rows, int columns,
                   const Become& become, To* to) {
  const std::int64_t tiles =
      static_cast<std::int64_t>((rows - 1) / tile_side + 1) * ((columns - 1) / tile_side + 1);
  transpose_kernel<To, Become>
      <<<static_cast<unsigned>(tiles), tile_side * tile_rows, 0, stream_of(place)>>>(
          from, rows, columns, become, to);
  DWELL_CUDA(cudaGetLastError());
}

template <class T>
constexpr scan_functions<T> scans = {&run_scan<T>};
template <class T>
constexpr table_functions<T> tables = {{&run_transpose<T, mean_of_window>},
                                       {&run_transpose<double, unchanged>},
                                       &run_table<T>,
                                       &run_windows<T>};

}  // namespace
}  // namespace dwell::cuda

namespace dwell {

template <>
const scan_functions<double>& cuda_backend() {
  return cuda::scans<double>;
}
template <>
const scan_functions<float>& cuda_backend() {
  return cuda::scans<float>;
}
template <>
const scan_functions<std::int32_t>& cuda_backend() {
  return cuda::scans<std::int32_t>;
}
template <>
const scan_functions<std::int64_t>& cuda_backend() {
  return cuda::scans<std::int64_t>;
}
template <>
const table_functions<double>& cuda_backend() {
  return cuda::tables<double>;
}
template <>
const table_functions<float>& cuda_backend() {
  return cuda::tables<float>;
}

}  // namespace dwell
