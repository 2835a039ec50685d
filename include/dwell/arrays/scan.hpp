// SPDX-License-Identifier: MIT
// Scans (prefix sums and maxima), summed-area tables and means over windows.
//
// The order of operations depends on the number of elements alone: results have the same bits on
// every device, with any number of threads, in every run.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "dwell/base/api.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// What a scan puts together.
enum class scan_operation {
  sum,  ///< sum; whole numbers modulo 2^32 or 2^64
  max   ///< a NaN is greater than anything
};

/// What is asked of a scan.
struct scan_options {
  scan_operation operation = scan_operation::sum;  ///< what is put together
  /// Element i is that of the elements before i, the first one 0 or the least value; else of those
  /// up to i.
  bool exclusive = false;
  bool reverse_lanes = false;  ///< on a CPU, for tests
};

/// What was done and what it took.
struct scan_report {
  std::string device;         ///< name
  backend on = backend::cpu;  ///< kind of the device
  int threads = 0;            ///< on a CPU; 0 on a GPU
  std::string reason;         ///< why so many threads
  std::int64_t elements = 0;  ///< that many
  std::int64_t tiles = 0;     ///< that wait for each other's sums
  std::size_t bytes = 0;      ///< a load and a store of every element
  double setup_s = 0;         ///< checks, memory, copies
  double run_s = 0;           ///< the scan
};

/// The scan of `in`, to `out`, of the same size, which may be `in` itself. T is double, float,
/// std::int32_t or std::int64_t. One pass with decoupled look-back (Merrill and Garland 2016).
/// Throws input_error for other sizes and memory that overlaps in part; device_error.
template <class T>
DWELL_API scan_report scan(const device& where, std::span<const T> in, std::span<T> out,
                           const scan_options& options = {});
/// Scans elements in the memory of the CUDA device `where`; done when it returns.
template <class T>
DWELL_API scan_report scan(const device& where, device_span<const T> in, device_span<T> out,
                           const scan_options& options = {});

/// Every cell becomes the sum of the cells above and to the left of it, and of itself (Crow 1984):
/// scans of rows, then sums down columns. T is double or float. `image` has two dimensions; `out`
/// may be `image` itself. Throws as scan() does.
template <class T>
DWELL_API scan_report summed_area_table(const device& where, grid_view<const T> image,
                                        grid_view<T> out, const scan_options& options = {});
/// The table of an image of `size` in the memory of the CUDA device `where`; done when it returns.
template <class T>
DWELL_API scan_report summed_area_table(const device& where, const extents& size,
                                        device_span<const T> image, device_span<T> out,
                                        const scan_options& options = {});

/// Every cell becomes the mean of a window of `rows` x `columns` cells around it, of which those
/// beyond the border are left out; of an even number one more lies before it than behind. By sums
/// in f64 of rows and columns, in a time that does not depend on the window (van Herk 1992). A cell
/// has no part in windows that do not hold it, be it NaN, infinite or larger than all others. T is
/// double or float. Throws as scan() does.
template <class T>
DWELL_API scan_report box_mean(const device& where, grid_view<const T> image, grid_view<T> out,
                               int rows, int columns, const scan_options& options = {});
/// Means of an image of `size` in the memory of the CUDA device `where`; done when it returns.
template <class T>
DWELL_API scan_report box_mean(const device& where, const extents& size, device_span<const T> image,
                               device_span<T> out, int rows, int columns,
                               const scan_options& options = {});

}  // namespace dwell
