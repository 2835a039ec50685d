// SPDX-License-Identifier: MIT
// The words that the host and a run in progress share.
#pragma once

namespace dwell {

/// Shared by the host and the teams while a run lasts; lives in the device's memory.
struct monitor {
  int interrupt = 0;    ///< host: end at the next iteration
  int step = 0;         ///< team 0: iterations done; -1: none has told of itself yet
  double residual = 0;  ///< team 0: norm of the residual after them; written before `step`
};

/// What a step of a Krylov solver leaves for the host: with the steps before, the tridiagonal
/// matrix of Lanczos.
struct alignas(16) step_coefficients {
  double alpha = 0;   ///< alpha of the step that led here; 0 where the recurrence began anew
  double weight = 0;  ///< r . M r after it
};

}  // namespace dwell
