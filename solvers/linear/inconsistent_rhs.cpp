// SPDX-License-Identifier: MIT
// See inconsistent_rhs.hpp.
#include "dwell/solvers/linear/inconsistent_rhs.hpp"

namespace dwell {

bool is_rhs_inconsistent(const solve_report& report) {
  return report.rhs_outside_range > (report.precision == "f32" ? 1e-3 : 1e-6);
}

}  // namespace dwell
