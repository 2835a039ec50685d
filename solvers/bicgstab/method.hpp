// SPDX-License-Identifier: MIT
// Bi-CGSTAB as a method (van der Vorst, SIAM J. Sci. Stat. Comput. 13, 1992): what its programs
// share. The direction needs beta before (r~, r) is summed: it is predicted from the sums of the
// step, (r~, s) - omega (r~, t), and the sum itself is taken in the same pass for the alpha of the
// step (as Chen and Carson do for CG, SISC 42, 2020).
//
// Where (r~, r) or omega vanishes, the residual becomes the shadow vector and the direction, as at
// a start. The run breaks down where such a start has neither an alpha nor an omega, and where the
// residual has grown so much that half of its digits are lost: the error of the carried residual is
// rounding of the largest one (Sleijpen and van der Vorst, Computing 56, 1996).
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/base/real_numbers.hpp"
#include "dwell/linear/matrix_class.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"

namespace dwell {

struct bicgstab_method : run_outcome {
  static constexpr const char* method = "bicgstab";
  static constexpr const char* title = "stabilised bi-conjugate gradients";
  static constexpr matrix_class solves = matrix_class::general;
  static constexpr const char* breaks_down =
      "no half of a step moves the residual, or it has grown so much that its digits are lost";
  /// In this order, for some travel together; s, t and u as in the paper, w the shadow vector.
  enum : int { rr, wr, wu, ss, ws, ts, tt, wt, sum_count };
  static constexpr int width = 1;     ///< sums of which a scalar product consists
  static constexpr int of_half = ss;  ///< the first sum of s: its square, and (r~, s)

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
    double rho = 0.0;  ///< (r~, r)
    double alpha = 0.0, omega = 0.0;
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

  /// A sum that is so small beside its terms says nothing. T: double or float.
  template <class T>
  static constexpr double lost = sizeof(T) == 8 ? 0x1p-48 : 0x1p-20;
  /// The square of a growth of the residual that is too much: the root of 1 / epsilon.
  template <class T>
  static constexpr double growth2 = sizeof(T) == 8 ? 0x1p52 : 0x1p23;

 protected:
  struct next_direction {
    double beta = 0.0;
    bool restart = false;
  };
  /// From the sums ss, ws, ts, tt and wt of a step: omega and beta. May end the run.
  template <class T, class Workspace>
  DWELL_FN static next_direction end_step(Workspace& st, scalars& m) {
    const sums<5> seen = st.total(sum_of<ss, 5>{});
    const double of_s = seen.v[0], with_s = seen.v[1], with_t = seen.v[4];
    m.omega = seen.v[3] > 0.0 ? seen.v[2] / seen.v[3] : 0.0;
    if (!m.fixed && m.fresh && m.alpha == 0.0 && m.omega == 0.0) {
      m.stop = breakdown;
      return {};
    }
    const double predicted = with_s - m.omega * with_t;
    const double beta =
        m.rho != 0.0 && m.omega != 0.0 ? predicted / m.rho * (m.alpha / m.omega) : 0.0;
    // No digit of (r~, r) is left, nor one of beta.
    const bool nothing_left = m.alpha == 0.0 || m.omega == 0.0 || !finite(beta) ||
                              std::fabs(predicted) <= lost<T> * m.shadow * std::sqrt(of_s);
    ++m.step;
    return {beta, nothing_left && !m.fixed};
  }
  /// From the sums rr, wr and wu: alpha. May end the run.
  template <class T, class Workspace>
  DWELL_FN static void half_step_length(Workspace& st, scalars& m) {
    const sums<3> now = st.total(sum_of<rr, 3>{}, with_interrupt{});
    m.rr = now.v[0];
    m.rho = now.v[1];
    if (m.fresh) m.shadow = std::sqrt(m.rr);
    if (m.step == 0) m.first = m.rr;
    st.note(m.step, m.rr, {0.0, m.rr});
    m.stop = verdict<T>(m, st.interrupted());
    if (m.stop != running) return;
    m.alpha = m.rho / now.v[2];
    if (!finite(m.alpha)) m.alpha = 0.0;
  }
  /// Adds to the sums of s.
  DWELL_FN static void add_half(double w, double s, double* acc) {
    add_square(s, acc[0]);
    add_product(w, s, acc + 1);
  }

  DWELL_FN static void add(double a, double b, double& sum) { sum = std::fma(a, b, sum); }
  DWELL_FN static bool finite(double v) { return v - v == 0.0; }
  template <class T>
  DWELL_FN static T fma(T a, T b, T c) {
    return std::fma(a, b, c);
  }

  template <class T>
  DWELL_FN static int verdict(const scalars& m, bool asked_to_stop) {
    if (!m.fixed) {
      if (!finite(m.rr) || !finite(m.rho)) return not_finite;
      if (m.rr <= m.target2) return converged;
      if (m.rr > growth2<T> * m.first) return breakdown;
    }
    if (m.step >= m.max_steps) return iteration_limit;
    if (asked_to_stop) return interrupted;
    return running;
  }
};

}  // namespace dwell
