// SPDX-License-Identifier: MIT
// What "auto" stands for in a convolution: the passes and the way of computing them.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "dwell/execution/device/device.hpp"
#include "dwell/solvers/convolution/convolution.hpp"
#include "dwell/solvers/convolution/kernels.hpp"

namespace dwell {

/// A filter of a pass: its taps along each axis and weights in C order, as a correlation.
struct filter_pass {
  extents taps;
  std::vector<double> weights;
  int before_z = 0, before_y = 0, before_x = 0;  ///< as of convolution_pass
};

struct convolution_plan {
  const convolution_kernel* kernel = nullptr;
  std::vector<filter_pass> passes;
  int threads = 1;
  std::string reason;
};

/// Bytes of a cell of the images, of a sum, and of a cell of the outcome.
struct cell_bytes {
  int in, sum, out;
};

/// Throws input_error and unsupported_error as convolve() does. Passes are chosen as for images of
/// the type of the sums: the bits are the same.
convolution_plan decide(const device_facts& where, const extents& size, std::int64_t images,
                        const convolution_filter& filter, const convolution_options& options,
                        const cell_bytes& bytes);

/// The one of the most taps, whose projected time decides.
std::size_t widest_pass(const std::vector<filter_pass>& passes);
/// Of pass k: between passes lie sums.
cell_bytes bytes_of_pass(const cell_bytes& all, std::size_t k, std::size_t passes);

/// The projected seconds of a way for a filter of so many taps over so many cells, on a GPU.
double projected_time(const char* way, const extents& taps, double cells, const device_facts& where,
                      const cell_bytes& bytes);

}  // namespace dwell
