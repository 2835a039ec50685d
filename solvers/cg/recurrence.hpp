// SPDX-License-Identifier: MIT
// What the variants of CG with one reduction per iteration share: their scalars, and what follows
// from the sums of a step. The sums are asked for when A p is known; beta, which belongs to the
// next residual, is predicted from them, and the predicted value is replaced by the sum itself a
// step later (Chen and Carson, "Predict-and-recompute conjugate gradient variants", SISC 42, 2020;
// the prediction is Meurant's, 1987). With u = M r and s = A p:
//   nu = r.u   mu = p.s   sigma = u.s   gamma = s.M s
//   alpha = nu / mu,   beta = nu' / nu,   nu' = nu - 2 alpha sigma + alpha^2 gamma
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/cg/method.hpp"
#include "dwell/solvers/linear/method/residual_replacement.hpp"

namespace dwell {

struct cg_recurrence : cg_method {
  /// Steps between two replacements, each of which costs two products. With 100 the pipelined
  /// variant reaches the textbook's true residual on the ill-conditioned matrices of
  /// test_cg_variants.cpp.
  static constexpr int period = 100;

  struct scalars {
    int step = 0;
    int stop = running;
    int max_steps = 0;
    bool jacobi = false;
    bool fixed = false;    ///< run max_steps, whatever happens
    double target2 = 0.0;  ///< converged when r.r <= target2
    double rr = 0.0;
    double alpha = 0.0;
    double beta = 0.0;
    int stage = 0;   ///< the program's own: where a start or a replacement is; 0 is the start
    int parity = 0;  ///< pipelined: which copies are read
    residual_replacement replacement;
  };

  /// Scalars as in the midst of a run, for counting what an iteration moves.
  static scalars steady_state_at(int stage, bool jacobi) {
    scalars m;
    m.step = 1;
    m.fixed = true;
    m.max_steps = 3;
    m.jacobi = jacobi;
    m.stage = stage;
    return m;
  }

  /// The sums, in this order; without a preconditioner the last one is nu, and is not summed.
  enum : int { nu, mu, sigma, gamma, rr, set };

  enum class next { advance, replace, compute, restart, end };

  /// The sums of step m.step: sets m.stop, or m.alpha and m.beta to advance with. carries: A p has
  /// been carried along, and is to be replaced now and then; where that shows that rounding has the
  /// upper hand, A p is computed from then on, and where the residual jumped, after a restart.
  DWELL_FN static next decide(scalars& m, const double* sum, bool asked_to_stop, bool carries) {
    residual_replacement& guard = m.replacement;
    const bool fresh = guard.fresh;
    m.rr = sum[rr];
    if (!m.fixed && !(finite(m.rr) && finite(sum[nu]))) return end(m, not_finite);
    if (!m.fixed && m.rr <= m.target2) {
      if (!carries || fresh || m.step == 0) return end(m, converged);
      guard.begin(m.step, m.rr, true);
      return next::replace;
    }
    if (m.step >= m.max_steps) return end(m, iteration_limit);
    if (asked_to_stop) return end(m, interrupted);
    if (carries && fresh && !m.fixed && guard.failed(m.rr)) return restart(m);
    if (carries && fresh && guard.rests(m.rr)) return next::compute;
    if (carries && guard.due(m.step, period)) {
      guard.begin(m.step, m.rr, false);
      return next::replace;
    }
    if (!(sum[mu] > 0.0) && !m.fixed) {
      if (!finite(sum[mu])) return end(m, not_finite);
      if (!carries || m.step == 0) return end(m, breakdown);
      if (fresh) return restart(m);
      guard.begin(m.step, m.rr, false);
      return next::replace;
    }
    guard.fresh = false;
    m.alpha = sum[mu] > 0.0 ? sum[nu] / sum[mu] : 0.0;
    const double predicted = sum[nu] - 2.0 * m.alpha * sum[sigma] + m.alpha * m.alpha * sum[gamma];
    m.beta = predicted > 0.0 && sum[nu] > 0.0 ? predicted / sum[nu] : 0.0;
    ++m.step;
    return next::advance;
  }

 private:
  /// The directions before count no more, nor do they for the coefficients that are recorded.
  DWELL_FN static next restart(scalars& m) {
    m.alpha = 0.0;
    return next::restart;
  }
  DWELL_FN static next end(scalars& m, int why) {
    m.stop = why;
    return next::end;
  }
  DWELL_FN static bool finite(double v) { return v - v == 0.0; }
};

}  // namespace dwell
