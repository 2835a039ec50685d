// SPDX-License-Identifier: MIT
// Minimal residuals as a method (Paige and Saunders, "Solution of sparse indefinite systems of
// linear equations", SIAM J. Numer. Anal. 12, 1975, section 6): what its programs share. Names are
// those of the paper's program: Lanczos vectors are r2 / beta, and v = M r2 / beta; the plane
// rotations (cs, sn) act on the tridiagonal matrix of alpha and beta.
//
// With a preconditioner the rotations carry ||r|| in its norm only, so the residual is carried as a
// vector: r_k = sn^2 r_(k-1) - cs phi_bar_k r2 / beta.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/linear/matrix_class.hpp"
#include "dwell/solvers/linear/method/outcome.hpp"

namespace dwell {

struct minres_method : run_outcome {
  static constexpr const char* method = "minres";
  static constexpr const char* title = "minimal residuals";
  static constexpr matrix_class solves = matrix_class::symmetric;
  static constexpr const char* breaks_down =
      "the matrix is singular on the Krylov space, no step makes the residual smaller";

  struct scalars {
    int step = -1;
    int stop = running;
    int max_steps = 0;
    bool jacobi = false;
    bool fixed = false;    ///< run max_steps, whatever happens
    double target2 = 0.0;  ///< converged when r.r <= target2
    double rr = 0.0;
    double alpha = 0.0, beta = 0.0, old_beta = 0.0;
    double delta_bar = 0.0, epsilon = 0.0, phi_bar = 0.0;
    double cs = -1.0, sn = 0.0;
  };

  /// Scalars as in the midst of a run, for counting what an iteration moves.
  static scalars steady_state(bool jacobi) {
    scalars m;
    m.step = 1;
    m.fixed = true;
    m.max_steps = 3;
    m.jacobi = jacobi;
    return m;
  }

 protected:
  /// The factors of the next direction, w = over (v + old w1 + now w2), and of x += length w.
  struct turned {
    double old = 0.0, now = 0.0, over = 0.0, length = 0.0;
  };
  /// The rotation of the step that the Lanczos vector of length m.beta completes. May end the run.
  DWELL_FN static turned rotate(scalars& m) {
    const double old_epsilon = m.epsilon, old_delta_bar = m.delta_bar;
    const double delta = m.cs * old_delta_bar + m.sn * m.alpha;
    const double gamma_bar = m.sn * old_delta_bar - m.cs * m.alpha;
    m.epsilon = m.sn * m.beta;
    m.delta_bar = -m.cs * m.beta;
    const double gamma = std::sqrt(gamma_bar * gamma_bar + m.beta * m.beta);
    const double by = inverse_of(gamma);
    if (!m.fixed && !(gamma > 0.0)) {
      m.stop = finite(gamma) ? breakdown : not_finite;
      return {};
    }
    m.cs = gamma_bar * by;
    m.sn = m.beta * by;
    const double length = m.cs * m.phi_bar;
    m.phi_bar *= m.sn;
    return {-old_epsilon, -delta, by, length};
  }
  /// Factors of r1 and r2 in the next Lanczos vector, q + by_r1 r1 + by_r2 r2.
  DWELL_FN static double by_r1(const scalars& m) {
    return m.step > 1 ? -m.beta * inverse_of(m.old_beta) : 0.0;
  }
  DWELL_FN static double by_r2(const scalars& m) { return -m.alpha * inverse_of(m.beta); }

  DWELL_FN static int verdict(const scalars& m, bool asked_to_stop) {
    if (!m.fixed) {
      if (!finite(m.rr)) return not_finite;
      if (m.rr <= m.target2) return converged;
    }
    if (m.step >= m.max_steps) return iteration_limit;
    if (asked_to_stop) return interrupted;
    return running;
  }
  DWELL_FN static double inverse_of(double v) { return v > 0.0 ? 1.0 / v : 0.0; }
  DWELL_FN static bool finite(double v) { return v - v == 0.0; }
  template <class T>
  DWELL_FN static T fma(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};

}  // namespace dwell
