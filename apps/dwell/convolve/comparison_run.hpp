// SPDX-License-Identifier: MIT
// Measures one filter on images of one size in every algorithm that was asked for.
#pragma once
#include <string>
#include <vector>

#include "compare/peers/command.hpp"
#include "convolve/comparison.hpp"

#include "dwell/device/device.hpp"

namespace dwell::app {

struct convolution_request {
  explicit convolution_request(const device& d) : where(d) {}
  device where;
  std::vector<std::string> algorithms;
  std::string cells = "f32";  ///< type of the images: "f64", "f32", "f16" or "u8"
  bool keeps_sums = true;     ///< outcomes are f32 where cells are narrower; else such cells
  int images = 1;
  convolution_options options;  ///< but the algorithm
  std::vector<peer_command> peers;
  repetition runs;
};

/// Runs all of it and compares every outcome with the baseline's. What cannot be run gets a row
/// that says so. Ends early, without the row that was begun, once *runs.interrupt is true.
compared_convolution measure(const convolution_request& request, const std::string& filter,
                             const extents& size);

}  // namespace dwell::app
