// SPDX-License-Identifier: MIT
// y = A x by the merge-based SpMV of the solvers, alone: to be checked and timed.
#pragma once
#include <cstddef>
#include <span>
#include <string>

#include "dwell/device/device.hpp"
#include "dwell/execution/device/executors.hpp"
#include "dwell/formats/csr.hpp"

namespace dwell {

struct spmv_options {
  std::string executor = executors::persistent.name;  ///< host-loop on CUDA
  int repetitions = 1;
  /// Overrides of the plan; 0 or -1 means "as planned".
  int teams = 0;
  int config = -1;
  bool reverse_lanes = false;  ///< CPU only, for tests
};

struct spmv_report {
  double seconds_per_apply = 0;  ///< mean over the repetitions
  std::size_t bytes = 0;         ///< that one application must move: A, x and y once each
};

/// A must be square (the kernel is the solvers', fused with x.y); x and y have A.rows elements.
/// Throws input_error, unsupported_error, device_error as solve() does.
spmv_report spmv(const device& where, const csr_view<double>& a, std::span<const double> x,
                 std::span<double> y, const spmv_options& options = {});

}  // namespace dwell
