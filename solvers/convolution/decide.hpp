// SPDX-License-Identifier: MIT
// What "auto" stands for in a convolution: the passes and the way of computing them.
#pragma once
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

/// Throws input_error and unsupported_error as convolve() does. element_bytes: of a cell.
convolution_plan decide(const device_facts& where, const extents& size, std::int64_t images,
                        const convolution_filter& filter, const convolution_options& options,
                        int element_bytes);

/// The projected seconds of a way for a filter of so many taps over so many cells, on a GPU.
double projected_time(const char* way, const extents& taps, double cells, const device_facts& where,
                      int element_bytes);

}  // namespace dwell
