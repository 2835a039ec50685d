// SPDX-License-Identifier: MIT
// What a run has come to, and what its answer is worth: residuals, the condition that the iteration
// has seen, and what to try where it did not converge. Private to the solver.
#pragma once
#include <span>
#include <vector>

#include "dwell/execution/core/program.hpp"
#include "dwell/formats/csr.hpp"
#include "dwell/solvers/cg/cg.hpp"
#include "dwell/solvers/cg/system_scale.hpp"

namespace dwell {

/// Norms of the scaled system in the caller's units.
struct scaled_norms {
  system_scale by;
  double rhs = 0;  ///< ||2^-by.rhs b||

  /// Over ||b||, or where b = 0 itself.
  double relative(double scaled) const;
  /// As options ask, of the scaled residual.
  double target(const cg_options& o) const;
  double rhs_norm() const;
};

/// How a run ended, in the numbers of the scaled system.
struct run_end {
  int step = 0;
  int stop = 0;                                 ///< cg_outcome
  double rr = 0;                                ///< r.r as carried
  bool representable = true;                    ///< no element of the answer left the format
  std::vector<step_coefficients> coefficients;  ///< of the first steps, from step 0 on
  std::vector<double> history;                  ///< if asked for
};

/// Coefficients that are worth recording: 2 MiB of them.
inline constexpr int most_coefficients = 1 << 17;

/// Fills in what the report says of the end. x is the caller's.
template <class T>
void judge(const csr_view<T>& a, std::span<const T> b, std::span<const T> x,
           const scaled_norms& norms, run_end end, const cg_options& o, cg_report& report);

}  // namespace dwell
