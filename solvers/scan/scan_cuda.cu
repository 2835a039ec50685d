// SPDX-License-Identifier: MIT
// Scans on a GPU: a block a tile, a warp a line or a strip of a table.
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/team/row_warp_cuda.cuh"
#include "dwell/execution/team/scan_warp_cuda.cuh"
#include "dwell/solvers/scan/scan.hpp"
#include "dwell/solvers/scan/scan_backends.hpp"
#include "dwell/solvers/scan/scan_steps.hpp"

namespace dwell::cuda {
namespace {

inline constexpr int scan_lanes = 32 * scan_warps;

template <class Op, class T>
__global__ void __launch_bounds__(scan_lanes)
    scan_kernel(const scan_args<T> a, const look_back_words<T> words) {
  using team_type = scan_team<T, scan_warps, look_back_words<T>>;
  __shared__ typename team_type::shared shared;
  team_type team(words, shared);
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
template <class T>
constexpr int strips_of(const table_args<T>& a) {
  return (a.columns - 1) / strip_warp<T>::columns + 1;
}
template <class T, table_step Step>
__global__ void __launch_bounds__(scan_lanes) table_kernel(const table_args<T> a) {
  const int strips = strips_of(a);
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

template <class F>
__global__ void __launch_bounds__(scan_lanes) items_kernel(const F f, std::int64_t n) {
  const std::int64_t all = static_cast<std::int64_t>(gridDim.x) * scan_lanes;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * scan_lanes + threadIdx.x; i < n;
       i += all)
    f(i);
}
template <class F>
void run_items(const scan_place& place, std::int64_t n, const F& f) {
  constexpr std::int64_t most_blocks = 4096;
  const std::int64_t blocks = (n - 1) / scan_lanes + 1;
  items_kernel<<<static_cast<unsigned>(blocks < most_blocks ? blocks : most_blocks), scan_lanes, 0,
                 stream_of(place)>>>(f, n);
  DWELL_CUDA(cudaGetLastError());
}

}  // namespace

template <class T>
void run_scan(const scan_place& place, const scan_args<T>& a, scan_operation operation,
              std::byte* begin) {
  const auto words = words_at<T>(begin, a.tiles());
  const auto blocks = static_cast<unsigned>(a.tiles());
  const cudaStream_t stream = stream_of(place);
  if (operation == scan_operation::sum)
    scan_kernel<scan_sum<T>, T><<<blocks, scan_lanes, 0, stream>>>(a, words);
  else
    scan_kernel<scan_max<T>, T><<<blocks, scan_lanes, 0, stream>>>(a, words);
  DWELL_CUDA(cudaGetLastError());
}

template <class T>
void run_table(const scan_place& place, const T* in, const table_args<T>& a) {
  const cudaStream_t stream = stream_of(place);
  lines_kernel<T><<<blocks_for(a.rows), scan_lanes, 0, stream>>>(in, a);
  const std::int64_t strips = strips_of(a);
  table_kernel<T, table_step::sum_bands>
      <<<blocks_for(strips * a.bands()), scan_lanes, 0, stream>>>(a);
  table_kernel<T, table_step::fold_bands><<<blocks_for(strips), scan_lanes, 0, stream>>>(a);
  table_kernel<T, table_step::add_down>
      <<<blocks_for(strips * a.bands()), scan_lanes, 0, stream>>>(a);
  DWELL_CUDA(cudaGetLastError());
}

template <class T>
void run_means(const scan_place& place, const window_means& means, T* out) {
  const std::int64_t count = static_cast<std::int64_t>(means.rows) * means.columns;
  run_items(place, count, [=] __device__(std::int64_t i) {
    const window_means::row row = means.of_row(static_cast<int>(i / means.columns));
    out[i] = static_cast<T>(means.mean(row, static_cast<int>(i % means.columns)));
  });
}

template <class From, class To>
void run_convert(const scan_place& place, const From* from, std::int64_t count, To* to) {
  run_items(place, count, [=] __device__(std::int64_t i) { to[i] = static_cast<To>(from[i]); });
}

DWELL_COMPILE_SCANS

}  // namespace dwell::cuda
