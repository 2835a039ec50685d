// SPDX-License-Identifier: MIT
// Convolution and correlation of images with a filter, in two and three dimensions; a signal of one
// dimension is an image of one row. Options, report, and the calls.
//
// The sum of a cell is a chain of fused multiply-adds, of f64 in images of f64 and else of f32, in
// an order that solvers/arrays/convolution/pass.hpp documents: every algorithm of computing it
// gives the same bits on every device. A filter that is taken in one pass for each axis gives those
// of its passes. Images of 8 or 16 bits give the bits of their values as f32, rounded once at the
// end if at all.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>

#include "dwell/arrays/border.hpp"
#include "dwell/arrays/filter.hpp"
#include "dwell/base/api.hpp"
#include "dwell/base/half.hpp"
#include "dwell/device/device.hpp"
#include "dwell/device/device_views.hpp"
#include "dwell/formats/grid.hpp"

namespace dwell {

/// How a filter is taken.
enum class filter_passes {
  automatic,  ///< along each axis by itself, if the filter is a product and that is less work
  one,        ///< all of it in one pass
  each_axis   ///< along each axis by itself; a filter that is no product is refused
};

/// What is asked of a convolution.
struct convolution_options {
  border edge = border::reflect;  ///< what lies beyond the image
  /// out(i) is the sum of weight(j) in(i + j - c), c = taps / 2 rounded down, along each axis: a
  /// correlation. Else of weight(j) in(i - j + c), a convolution. Both are as SciPy's.
  bool correlate = false;
  std::string algorithm = "auto";                   ///< one of convolution_algorithms(), or "auto"
  filter_passes passes = filter_passes::automatic;  ///< over the images
  bool reverse_lanes = false;                       ///< on a CPU, for tests
};

/// What was done and what it took.
struct convolution_report {
  std::string algorithm;       ///< never "auto"
  std::string reason;          ///< why this algorithm and these passes, one line
  int passes = 1;              ///< over the images
  std::string device;          ///< name
  backend on = backend::cpu;   ///< kind of the device
  int threads = 0;             ///< on a CPU; 0 on a GPU
  std::string precision;       ///< type of sums: "f64" or "f32"
  std::string cells;           ///< type of the images: "f64", "f32", "f16" or "u8"
  std::string result;          ///< cells of the outcome, likewise
  extents size;                ///< size of an image
  std::int64_t images = 1;     ///< that many
  extents filter;              ///< taps along each axis
  border edge = border::zero;  ///< border that was asked for
  bool correlation = false;    ///< a correlation was asked for
  int taps = 0;                ///< multiply-adds per cell of all passes
  std::size_t bytes = 0;       ///< a load and a store of every cell, once
  /// What compiled its kernels when they were needed ("NVRTC 13.0"); empty: they are in the library
  std::string compiler;
  double setup_s = 0;           ///< checks, the plan, memory, copies
  double compile_s = 0;         ///< compiling kernels; 0 if all of them were there
  double run_s = 0;             ///< the passes
  double cells_per_second = 0;  ///< rate over all images
};

/// The algorithms that this build has: "systolic", "window", "shared", "direct".
DWELL_API std::span<const char* const> convolution_algorithms();

/// What cells of images may be, and of outcomes: In as it is; of std::uint8_t and half also float.
template <class In, class Out>
inline constexpr bool convolution_has_cells =
    std::is_same_v<In, double> || std::is_same_v<In, float>
        ? std::is_same_v<Out, In>
        : (std::is_same_v<In, std::uint8_t> ||
           std::is_same_v<In, half>)&&(std::is_same_v<Out, In> || std::is_same_v<Out, float>);

/// `filter` over `image`, to `out`, of the same size: convolve<float>(...),
/// convolve<std::uint8_t>(...), convolve<std::uint8_t, float>(...); see convolution_has_cells. Sums
/// are rounded to Out to the nearest, of two as near the even one; to 8 bits cut off at 0 and 255,
/// and NaN is 0. Throws input_error for sizes that do not agree, memory that overlaps, an image of
/// more than 2^30 cells along an axis or of other dimensions than the filter; unsupported_error for
/// an algorithm that there is not, or that this device has too little shared memory for;
/// device_error.
template <class In, class Out = In>
DWELL_API convolution_report convolve(const device& where, grid_view<const In> image,
                                      grid_view<std::type_identity_t<Out>> out,
                                      const convolution_filter& filter,
                                      const convolution_options& options = {});
/// Convolves images of `size` that lie one after the other.
template <class In, class Out = In>
DWELL_API convolution_report convolve(const device& where, const extents& size,
                                      std::span<const In> images,
                                      std::span<std::type_identity_t<Out>> out,
                                      const convolution_filter& filter,
                                      const convolution_options& options = {});
/// Convolves images in the memory of the CUDA device `where`; done when it returns.
template <class In, class Out = In>
DWELL_API convolution_report convolve(const device& where, const extents& size,
                                      device_span<const In> images,
                                      device_span<std::type_identity_t<Out>> out,
                                      const convolution_filter& filter,
                                      const convolution_options& options = {});

}  // namespace dwell
