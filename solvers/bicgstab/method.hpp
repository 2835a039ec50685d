// SPDX-License-Identifier: MIT
// Bi-CGSTAB as a method (van der Vorst, SIAM J. Sci. Stat. Comput. 13, 1992): what its programs
// share, those for complex values too. The direction needs beta before (r~, r) is summed: it is
// predicted from the sums of the step, (r~, s) - omega (r~, t), and the sum itself is taken in the
// same pass for the alpha of the step (as Chen and Carson do for CG, SISC 42, 2020).
//
// Where (r~, r) or omega vanishes, the residual becomes the shadow vector and the direction, as at
// a start. The run breaks down where such a start has neither an alpha nor an omega, and where the
// residual has grown so much that half of its digits are lost: the error of the carried residual is
// rounding of the largest one (Sleijpen and van der Vorst, Computing 56, 1996).
#pragma once
#include <cmath>

#include "dwell/base/complex_value.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/base/real_numbers.hpp"
#include "dwell/linear/matrix_class.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"

namespace dwell {

/// What the methods for real and for complex values share. number: of the scalars, double or
/// complex_value<double>.
template <class number>
struct bicgstab_of : run_outcome {
  static constexpr const char* method = "bicgstab";
  static constexpr const char* title = "stabilised bi-conjugate gradients";
  static constexpr matrix_class solves = matrix_class::general;
  static constexpr const char* breaks_down =
      "no half of a step moves the residual, or it has grown so much that its digits are lost";

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
    number rho{};  ///< (r~, r)
    number alpha{}, omega{};
    double shadow = 0.0;  ///< ||r~||
    double first = 0.0;   ///< r.r of the start
    double scale = 1.0;   ///< scale of what a sequence is handed
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

  /// A sum that is so small beside its terms says nothing. T: of the vectors.
  template <class T>
  static constexpr double lost = sizeof(part_type<T>) == 8 ? 0x1p-48 : 0x1p-20;
  /// The square of a growth of the residual that is too much: the root of 1 / epsilon.
  template <class T>
  static constexpr double growth2 = sizeof(part_type<T>) == 8 ? 0x1p52 : 0x1p23;

 protected:
  struct next_direction {
    number beta{};
    bool restart = false;
  };
  /// beta, with m.omega of the step. predicted: (r~, r); of_s: ||s||, or less. May end the run.
  template <class T>
  DWELL_FN static next_direction direction_of(scalars& m, number predicted, double of_s) {
    if (!m.fixed && m.fresh && is_zero(m.alpha) && is_zero(m.omega)) {
      m.stop = breakdown;
      return {};
    }
    const number beta = is_zero(m.rho) || is_zero(m.omega)
                            ? number(0.0)
                            : quotient(predicted, m.rho) * quotient(m.alpha, m.omega);
    // No digit of (r~, r) is left, nor one of beta.
    const bool nothing_left = is_zero(m.alpha) || is_zero(m.omega) || !finite(beta) ||
                              size_of(predicted) <= lost<T> * m.shadow * of_s;
    ++m.step;
    return {beta, nothing_left && !m.fixed};
  }
  /// From r.r, (r~, r) and (r~, A M p): alpha. May end the run.
  template <class T, class Workspace>
  DWELL_FN static void step_length(Workspace& st, scalars& m, double square, number rho,
                                   number by) {
    m.rr = square;
    m.rho = rho;
    if (m.fresh) m.shadow = std::sqrt(m.rr);
    if (m.step == 0) m.first = m.rr;
    st.note(m.step, m.rr, {0.0, m.rr});
    m.stop = verdict<T>(m, st.interrupted());
    if (m.stop != running) return;
    m.alpha = quotient(m.rho, by);
    if (!finite(m.alpha)) m.alpha = number(0.0);
  }
  template <class T>
  DWELL_FN static int verdict(const scalars& m, bool asked_to_stop) {
    if (!m.fixed) {
      if (!finite_part(m.rr) || !finite(m.rho)) return not_finite;
      if (m.rr <= m.target2) return converged;
      if (m.rr > growth2<T> * m.first) return breakdown;
    }
    if (m.step >= m.max_steps) return iteration_limit;
    if (asked_to_stop) return interrupted;
    return running;
  }
  DWELL_FN static bool finite_part(double v) { return v - v == 0.0; }
  DWELL_FN static bool finite(const number& v) {
    if constexpr (is_complex_value<number>)
      return finite_part(v.re) && finite_part(v.im);
    else
      return finite_part(v);
  }
  DWELL_FN static bool is_zero(const number& v) {
    if constexpr (is_complex_value<number>)
      return v.re == 0.0 && v.im == 0.0;
    else
      return v == 0.0;
  }
};

struct bicgstab_method : bicgstab_of<double> {
  /// In this order, for some travel together; s, t and u as in the paper, w the shadow vector.
  enum : int { rr, wr, wu, ss, ws, ts, tt, wt, sum_count };
  static constexpr int width = 1;     ///< sums of which a scalar product consists
  static constexpr int of_half = ss;  ///< the first sum of s: its square, and (r~, s)

 protected:
  /// From the sums ss, ws, ts, tt and wt of a step: omega and beta. May end the run.
  template <class T, class Workspace>
  DWELL_FN static next_direction end_step(Workspace& st, scalars& m) {
    const sums<5> seen = st.total(sum_of<ss, 5>{});
    const double of_s = seen.v[0], with_s = seen.v[1], with_t = seen.v[4];
    m.omega = seen.v[3] > 0.0 ? seen.v[2] / seen.v[3] : 0.0;
    return direction_of<T>(m, with_s - m.omega * with_t, std::sqrt(of_s));
  }
  /// From the sums rr, wr and wu: alpha. May end the run.
  template <class T, class Workspace>
  DWELL_FN static void half_step_length(Workspace& st, scalars& m) {
    const sums<3> now = st.total(sum_of<rr, 3>{}, with_interrupt{});
    step_length<T>(st, m, now.v[0], now.v[1], now.v[2]);
  }
  /// Adds to the sums of s.
  DWELL_FN static void add_half(double w, double s, double* acc) {
    add_square(s, acc[0]);
    add_product(w, s, acc + 1);
  }

  DWELL_FN static void add(double a, double b, double& sum) { sum = std::fma(a, b, sum); }
  template <class T>
  DWELL_FN static T fma(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};

}  // namespace dwell
