// SPDX-License-Identifier: MIT
// What runs a solver, as a value. Nothing of the host library.
#pragma once

namespace dwell {

/// What runs a solver.
enum class backend {
  cpu,  ///< threads of this process
  cuda  ///< a CUDA device
};

}  // namespace dwell
