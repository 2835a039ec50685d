// SPDX-License-Identifier: MIT
// One run of a stencil as plain data: the problem, on which the field depends, and the way to run
// it, on which no bit of the field may depend. Cases are drawn at random from a seed, and print
// themselves as an initialiser that a list of cases takes.
#pragma once
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "dwell/device/device.hpp"
#include "dwell/formats/grid.hpp"
#include "dwell/stencil/solve.hpp"

namespace dwell::test {

struct stencil_case {
  // The problem.
  std::string shape = "2d5pt";
  extents size;
  boundary edge = boundary::fixed;
  bool single = false;  ///< f32, else f64
  bool source = false;
  int steps = 1;
  std::optional<double> until{};
  int check_every = 100;
  unsigned values = 1;  ///< seed of the start; the next seed is that of the source
  // The way to run it.
  std::string executor = "auto", policy = "auto";
  int threads = 2;  ///< threads of the CPU as a device
  int teams = 0, depth = 0;
  std::string blocking = "auto", traversal = "auto", engine = "auto";
  bool reverse_lanes = false;

  stencil_options options() const;
  /// Options of the same problem by executor naive.
  stencil_options naive_options() const;
  /// {.shape = "2d5pt", .size = extents(7, 13), ...}: members that have their default are left out.
  friend std::ostream& operator<<(std::ostream& out, const stencil_case& c);
};

/// Case `number` of `seed` for this device, out of the shapes, executors and policies of the build.
/// It may be one that the library refuses.
stencil_case draw_case(std::uint32_t seed, std::uint32_t number, const device& where);

}  // namespace dwell::test
