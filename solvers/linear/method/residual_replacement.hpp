// SPDX-License-Identifier: MIT
// When a variant of a method that carries products along by recurrences computes its vectors anew.
// Rounding in the recurrences lets the carried residual drift from b - A x; replacing it now and
// then keeps the two together (van der Vorst and Ye, SISC 22, 2000; for pipelined methods Cools,
// Yetkin, Agullo, Giraud and Vanroose, SIMAX 39, 2018). Here: every so many steps; when the carried
// residual meets the target, so that converged means truly converged; and before a breakdown is
// believed.
#pragma once
#include "dwell/base/fn.hpp"

namespace dwell {

struct residual_replacement {
  int at = 0;              ///< the step of the last one
  double carried = 0.0;    ///< r.r as carried when it began
  bool verifying = false;  ///< it began because the carried residual met the target
  double least = -1.0;     ///< the least true r.r of all, or -1
  int idle = 0;            ///< how many since have found no less than a quarter of it
  bool fresh = false;      ///< the vectors are new, and no step has been done since

  DWELL_FN bool due(int step, int period) const { return step - at >= period; }
  DWELL_FN void begin(int step, double rr, bool to_verify) {
    at = step;
    carried = rr;
    verifying = to_verify;
    fresh = true;
  }
  /// With the true r.r of each. Has nothing come of the last five? The residual of CG may rest for
  /// long by its nature; but then nothing is lost by computing A p either.
  DWELL_FN bool rests(double rr) {
    const bool progress = least < 0.0 || rr < 0.25 * least;
    if (progress) least = rr;
    idle = progress ? 0 : idle + 1;
    return idle >= 5;
  }
  /// With the true r.r, which does not meet the target: was the carried one worth nothing?
  DWELL_FN bool failed(double rr) const { return verifying || rr > 4.0 * carried; }
};

}  // namespace dwell
