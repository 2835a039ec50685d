// SPDX-License-Identifier: MIT
// Scans on a GPU: launches.
#include <string>
#include <type_traits>

#include "dwell/arrays/scan.hpp"
#include "dwell/execution/device/cuda_check.hpp"
#include "dwell/execution/device/kernel_unit_cuda.hpp"
#include "dwell/solvers/arrays/scan/scan_runs.hpp"
#include "dwell/solvers/arrays/scan/scan_sizes.hpp"
#include "dwell/solvers/arrays/scan/scan_steps.hpp"
#include "dwell/solvers/arrays/scan/window_steps.hpp"
#if defined(__CUDACC__)
#include "dwell/solvers/arrays/scan/scan_kernels.cuh"
#endif

namespace dwell::cuda {

template <class T>
struct scan_kernels {
  static std::string about() { return "scans of " + name_of(typeid(T)); }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/solvers/arrays/scan/scan_kernels.cuh"};
};
template <class T>
struct table_kernels {
  static std::string about() { return "tables of sums of " + name_of(typeid(T)); }
  static std::string group() { return about(); }
  static constexpr const char* headers[] = {"dwell/solvers/arrays/scan/scan_kernels.cuh"};
};
DWELL_KERNEL(scan_kernel_of, dwell::cuda::scan_kernel)
DWELL_KERNEL(lines_kernel_of, dwell::cuda::lines_kernel)
DWELL_KERNEL(table_kernel_of, dwell::cuda::table_kernel)
DWELL_KERNEL(window_kernel_of, dwell::cuda::window_kernel)
DWELL_KERNEL(transpose_kernel_of, dwell::cuda::transpose_kernel)

namespace {

template <table_step Step>
using table_constant = std::integral_constant<table_step, Step>;
template <window_step Step>
using window_constant = std::integral_constant<window_step, Step>;

unsigned blocks_for(std::int64_t warps) {
  return static_cast<unsigned>((warps - 1) / scan_warps + 1);
}

template <class T>
void run_scan(const scan_place& place, const scan_args<T>& a, scan_operation operation,
              std::byte* begin) {
  const auto flags = flags_at<T>(begin, a.tiles());
  const auto blocks = static_cast<unsigned>(a.tiles());
  const current_device here(place.where.ordinal());
  if (operation == scan_operation::sum)
    launch_kernel<scan_kernels<T>, scan_kernel_of<scan_sum<T>, T>>(place.where, blocks, scan_lanes,
                                                                   a, flags);
  else
    launch_kernel<scan_kernels<T>, scan_kernel_of<scan_max<T>, T>>(place.where, blocks, scan_lanes,
                                                                   a, flags);
}

template <class T>
void run_table(const scan_place& place, const T* in, const table_args<T>& a) {
  const current_device here(place.where.ordinal());
  launch_kernel<table_kernels<T>, lines_kernel_of<T>>(place.where, blocks_for(a.rows), scan_lanes,
                                                      in, a);
  const std::int64_t strips = strips_of(a.columns);
  const auto step = [&]<table_step Step>(std::int64_t warps, table_constant<Step>) {
    launch_kernel<table_kernels<T>, table_kernel_of<T, table_constant<Step>>>(
        place.where, blocks_for(warps), scan_lanes, a);
  };
  step(strips * a.bands(), table_constant<table_step::sum_bands>{});
  step(strips, table_constant<table_step::fold_bands>{});
  step(strips * a.bands(), table_constant<table_step::add_down>{});
}

template <class From>
void run_windows(const scan_place& place, const window_args<From>& a) {
  const current_device here(place.where.ordinal());
  const window_axis& axis = a.axis;
  const std::int64_t strips = strips_of(a.columns);
  const auto step = [&]<window_step Step>(std::int64_t parts, window_constant<Step>) {
    launch_kernel<table_kernels<From>, window_kernel_of<From, window_constant<Step>>>(
        place.where, blocks_for(strips * parts), scan_lanes, a);
  };
  if (axis.bands_of_block() > 1) {
    step(axis.bands(), window_constant<window_step::sum_band>{});
    step(axis.blocks(), window_constant<window_step::fold_block>{});
  }
  if (axis.size() > 1) step(axis.bands(), window_constant<window_step::sum_ends>{});
  step(axis.bands(), window_constant<window_step::add_beginnings>{});
}

/// Cells: of the table whose unit the kernel is in.
template <class Cells, class To, class Become>
void run_transpose(const scan_place& place, const double* from, int rows, int columns,
                   const Become& become, To* to) {
  const std::int64_t tiles =
      static_cast<std::int64_t>((rows - 1) / tile_side + 1) * ((columns - 1) / tile_side + 1);
  const current_device here(place.where.ordinal());
  launch_kernel<table_kernels<Cells>, transpose_kernel_of<To, Become>>(
      place.where, static_cast<unsigned>(tiles), tile_side * tile_rows, from, rows, columns, become,
      to);
}

template <class T>
constexpr scan_functions<T> scans = {&run_scan<T>};
template <class T>
constexpr table_functions<T> tables = {{&run_transpose<T, T, mean_of_window>},
                                       {&run_transpose<T, double, unchanged>},
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
