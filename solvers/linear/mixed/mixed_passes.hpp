// SPDX-License-Identifier: MIT
// The steps of mixed_steps.hpp as functors for both backends.
#pragma once
#include <cmath>
#include <cstdint>

#include "dwell/base/fn.hpp"
#include "dwell/base/power_of_two.hpp"
#include "dwell/solvers/linear/mixed/residual_places.hpp"

namespace dwell::mixed_pass {

struct residual_row {
  static constexpr int lanes = 8, sums = 1;
  residual_places at;

  DWELL_HD power_of_two constants() const { return power_of_two(at.exponent); }
  DWELL_HD void part(index i, int lane, const power_of_two& scale, double* to) const {
    double sum = lane == 0 ? at.b[i] : 0.0;
    const csr_row<double> row = at.a.row(i);
    for (index k = lane; k < row.count; k += lanes) sum -= scale(row.val[k]) * at.x[row.col[k]];
    to[0] = sum;
  }
  DWELL_HD void put(index i, const power_of_two&, const double* sum) const { at.r[i] = sum[0]; }
};

struct sum_up {
  static constexpr int totals = 1;
  residual_places at;

  DWELL_HD int constants() const { return 0; }
  DWELL_HD void element(index i, int, double* acc) const { acc[0] += at.r[i] * at.r[i]; }
  DWELL_HD static void combine(double* to, const double* from) { to[0] += from[0]; }
  DWELL_HD void conclude(const double* acc) const { *at.rr = acc[0]; }
};

// Per element:

struct narrow {
  const double* from;
  power_of_two scale;
  float* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    to[i] = static_cast<float>(scale(from[i]));
  }
};

struct add {
  const double* x;
  const float* d;
  power_of_two scale;
  double* to;
  template <class Warp>
  DWELL_FN void operator()(Warp&, std::int64_t i) const {
    to[i] = x[i] + scale(static_cast<double>(d[i]));
  }
};

}  // namespace dwell::mixed_pass
