// SPDX-License-Identifier: MIT
// Conjugate gradients as a method: what every one of its programs says of itself.
#pragma once
#include "dwell/linear/matrix_class.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"

namespace dwell {

struct cg_method : run_outcome {
  static constexpr const char* method = "cg";
  static constexpr const char* title = "conjugate gradients";
  static constexpr matrix_class solves = matrix_class::positive_definite;
  static constexpr const char* breaks_down = "p.Ap <= 0, the matrix is not positive definite";
  /// The coefficients of the first steps are those of a Lanczos process: they show the spectrum.
  static constexpr bool shows_spectrum = true;
};

}  // namespace dwell
