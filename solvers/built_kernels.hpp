// SPDX-License-Identifier: MIT
// What this build can run, for people: every combination of problem (for stencils: and
// shape), precision, executor and backend.
#pragma once
#include <string>
#include <vector>

#include "dwell/device/device.hpp"

namespace dwell {

struct kernel_info {
  std::string problem;    ///< "cg", ..., or "stencil"
  std::string precision;  ///< "f64", "f32"
  std::string executor;   ///< a name of executors.hpp
  backend on = backend::cpu;
  std::string shape = {};  ///< name of a stencil: "2d5pt", ...; else empty
  bool ahead = true;       ///< it is in the library; else NVRTC compiles it for a run
  std::vector<std::string> engines = {};  ///< how a stencil lays a field over the chip
};
std::vector<kernel_info> built_kernels();

}  // namespace dwell
