// SPDX-License-Identifier: MIT
// Measures one stencil on one size under every combination that was asked for.
#pragma once
#include <string>
#include <variant>
#include <vector>

#include "compare/peers/command.hpp"
#include "stencil/comparison.hpp"

#include "dwell/device/device.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::app {

struct stencil_request {
  explicit stencil_request(const device& d) : where(d) {}
  device where;
  std::vector<std::string> executors, policies;
  std::vector<std::string> orders;  ///< for executors whose steps are those of the whole field
  std::string precision, start;     ///< "f64" or "f32"; as make_initial() takes it
  std::variant<std::monostate, grid<double>, grid<float>> source;  ///< in that precision, or none
  stencil_options options;                                         ///< edge, steps
  std::vector<int> ranks;  ///< also rows of so many ranks each
  int threads = 0;         ///< threads of each rank on a CPU; 0: its share
  std::vector<peer_command> peers;
  repetition runs;
};

/// Runs all of it, every run from a fresh copy of the start, and compares its whole field with the
/// baseline's. What cannot be run gets a row that says so. Ends early, without the row that was
/// begun, once *runs.interrupt is true.
compared_stencil measure(const stencil_request& request, const std::string& shape,
                         const extents& size);

}  // namespace dwell::app
