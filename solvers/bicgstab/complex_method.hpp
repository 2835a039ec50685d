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

struct complex_bicgstab_method : run_outcome {
  static constexpr const char* method = "bicgstab";
  /// Complex ones take two places. The second product's have the place of (w, u): that is read one
  /// phase before they are given.
  enum : int { rr, wr, ws = wr + 2, wu = ws + 2, ts = wu, tt = ts + 2, wt, sum_count = wt + 2 };
  static constexpr int width = 2;     ///< sums of which a scalar product consists
  static constexpr int of_half = ws;  ///< the first sum of s: (w, s)
  using number = complex_value<double>;

  struct scalars {
    int step = -1;
    int stop = running;
    int max_steps = 0;
    bool jacobi = false;
    bool fixed = false;    ///< run max_steps, whatever happens
    bool starting = true;  ///< no direction yet
    bool fresh = false;    ///< the shadow vector is the residual of this step
    double target2 = 0.0;  ///< converged when r.r <= target2
    double rr = 0.0;
    double shadow = 0.0;      ///< ||w||
    double first = 0.0;       ///< r.r of the start
    number rho = {0.0, 0.0};  ///< (w, r)
    number alpha = {0.0, 0.0}, omega = {0.0, 0.0};
    double scale = 1.0;  ///< scale of what a sequence is handed
  };

  /// Scalars as in the midst of a run, for counting what an iteration moves.
  static scalars steady_state(bool jacobi) {
    scalars m;
    m.step = 1;
    m.fixed = true;
    m.starting = false;
    m.max_steps = 3;
    m.jacobi = jacobi;
    return m;
  }

 protected:
  struct next_direction {
    number beta = {0.0, 0.0};
    bool restart = false;
  };
  /// From the sums ws, ts, tt and wt of a step: omega and beta. May end the run.
  template <class T, class Workspace>
  DWELL_FN static next_direction end_step(Workspace& st, scalars& m) {
    const sums<2> half = st.total(sum_of<ws, 2>{});
    const sums<5> seen = st.total(sum_of<ts, 5>{});
    const number with_s = {half.v[0], half.v[1]}, of_t = {seen.v[0], seen.v[1]},
                 with_t = {seen.v[3], seen.v[4]};
    const double squared = seen.v[2];
    m.omega = squared > 0.0 ? number(of_t.re / squared, of_t.im / squared) : number(0.0);
    if (!m.fixed && m.fresh && is_zero(m.alpha) && is_zero(m.omega)) {
      m.stop = breakdown;
      return {};
    }
    const number predicted = with_s - m.omega * with_t;
    const number beta = is_zero(m.rho) || is_zero(m.omega)
                            ? number(0.0)
                            : quotient(predicted, m.rho) * quotient(m.alpha, m.omega);
    // No digit of (w, r) is left, nor one of beta. The part of s along t stands for its length.
    const double along = squared > 0.0 ? size_of(of_t) / std::sqrt(squared) : 0.0;
    const bool nothing_left =
        is_zero(m.alpha) || is_zero(m.omega) || !finite(beta) ||
        size_of(predicted) <= bicgstab_method::lost<part_type<T>> * m.shadow * along;
    ++m.step;
    return {beta, nothing_left && !m.fixed};
  }
  /// From the sums rr, wr and wu: alpha. May end the run.
  template <class T, class Workspace>
  DWELL_FN static void half_step_length(Workspace& st, scalars& m) {
    const sums<3> now = st.total(sum_of<rr, 3>{}, with_interrupt{});
    const sums<2> by = st.total(sum_of<wu, 2>{});
    m.rr = now.v[0];
    m.rho = {now.v[1], now.v[2]};
    if (m.fresh) m.shadow = std::sqrt(m.rr);
    if (m.step == 0) m.first = m.rr;
    st.note(m.step, m.rr, {0.0, m.rr});
    m.stop = verdict<T>(m, st.interrupted());
    if (m.stop != running) return;
    m.alpha = quotient(m.rho, {by.v[0], by.v[1]});
    if (!finite(m.alpha)) m.alpha = number(0.0);
  }
  /// Adds to the sum of s.
  template <class T>
  DWELL_FN static void add_half(T w, T s, double* acc) {
    add_product(w, s, acc);
  }

 private:
  template <class T>
  DWELL_FN static int verdict(const scalars& m, bool asked_to_stop) {
    if (!m.fixed) {
      if (!finite(number(m.rr)) || !finite(m.rho)) return not_finite;
      if (m.rr <= m.target2) return converged;
      if (m.rr > bicgstab_method::growth2<part_type<T>> * m.first) return breakdown;
    }
    if (m.step >= m.max_steps) return iteration_limit;
    if (asked_to_stop) return interrupted;
    return running;
  }
  DWELL_FN static bool finite(number v) { return v.re - v.re == 0.0 && v.im - v.im == 0.0; }
  DWELL_FN static bool is_zero(number v) { return v.re == 0.0 && v.im == 0.0; }
};

}  // namespace dwell
