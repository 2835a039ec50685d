// SPDX-License-Identifier: MIT
// Bi-CGSTAB for complex matrices as a method (method.hpp says how the direction is found before its
// sum): what its programs share. Scalar products are conjugate-linear in the first vector; rho,
// alpha, omega and beta are complex.
#pragma once
#include <cmath>

#include "dwell/base/complex_value.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/bicgstab/method.hpp"

namespace dwell {

struct complex_bicgstab_method : bicgstab_of<complex_value<double>> {
  /// Complex ones take two places. The second product's have the place of (w, u): that is read one
  /// phase before they are given.
  enum : int { rr, wr, ws = wr + 2, wu = ws + 2, ts = wu, tt = ts + 2, wt, sum_count = wt + 2 };
  static constexpr int width = 2;     ///< sums of which a scalar product consists
  static constexpr int of_half = ws;  ///< the first sum of s: (w, s)
  using number = complex_value<double>;

 protected:
  /// From the sums ws, ts, tt and wt of a step: omega and beta. May end the run.
  template <class T, class Workspace>
  DWELL_FN static next_direction end_step(Workspace& st, scalars& m) {
    const sums<2> half = st.total(sum_of<ws, 2>{});
    const sums<5> seen = st.total(sum_of<ts, 5>{});
    const number with_s = {half.v[0], half.v[1]}, of_t = {seen.v[0], seen.v[1]},
                 with_t = {seen.v[3], seen.v[4]};
    const double squared = seen.v[2];
    m.omega = squared > 0.0 ? number(of_t.re / squared, of_t.im / squared) : number(0.0);
    // The part of s along t stands for its length.
    const double along = squared > 0.0 ? size_of(of_t) / std::sqrt(squared) : 0.0;
    return direction_of<T>(m, with_s - m.omega * with_t, along);
  }
  /// From the sums rr, wr and wu: alpha. May end the run.
  template <class T, class Workspace>
  DWELL_FN static void half_step_length(Workspace& st, scalars& m) {
    const sums<3> now = st.total(sum_of<rr, 3>{}, with_interrupt{});
    const sums<2> by = st.total(sum_of<wu, 2>{});
    step_length<T>(st, m, now.v[0], {now.v[1], now.v[2]}, {by.v[0], by.v[1]});
  }
  /// Adds to the sum of s.
  template <class T>
  DWELL_FN static void add_half(T w, T s, double* acc) {
    add_product(w, s, acc);
  }
};

}  // namespace dwell
