// SPDX-License-Identifier: MIT
// Conjugate gradients as Hestenes and Stiefel wrote them (J. Res. NBS 49, 1952, eq. 3:1), with an
// optional diagonal preconditioner: three phases, three barriers. The update of x waits for the
// next direction phase, which loads p anyway. Step -1 computes the residual of the start vector.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/cg/method.hpp"
#include "dwell/solvers/linear/method/cost_model.hpp"

namespace dwell {

struct textbook_cg : cg_method {
  static constexpr const char* name = "cg";
  static constexpr const char* variant = "textbook";
  /// The single reduction moves the same bytes with a barrier less, but its teams are cut between
  /// rows: this form may win where that leaves one team with much more than its share.
  static bool may_beat(const cost_model& first) {
    return first.tiles_per_team > 1.2 * first.fair_tiles;
  }
  /// d is the inverse of the diagonal (Jacobi); r holds b at the start.
  enum : int { x, r, p, q, d, vectors };
  static constexpr const char* vector_names[vectors] = {"x", "r", "p", "q", "d"};
  static constexpr int rhs = r;  ///< where b stands at the start
  static constexpr use uses[vectors] = {use::own, use::own, use::gather, use::own, use::own};
  using in_registers = vector_list<r, x>;
  using results = vector_list<x>;
  enum : int { pq, rr, rz, sum_count };
  static constexpr int phases = 3;
  static constexpr output outputs[phases] = {output::elements, output::sums, output::sums};

  struct scalars {
    int step = -1;
    int stop = running;
    int max_steps = 0;
    bool jacobi = false;
    bool fixed = false;    ///< run max_steps, whatever happens
    double target2 = 0.0;  ///< converged when r.r <= target2
    double rr = 0.0;
    double rz = 0.0;
    double alpha = 0.0;
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

  template <int Phase, class T, class Workspace>
  DWELL_FN static void phase(Workspace& s, scalars& m) {
    if constexpr (Phase == 0) {
      direction<T>(s, m);
    } else if constexpr (Phase == 1) {
      s.multiply(reads<p>{}, writes<q>{}, adds_to<pq>{});
    } else {
      residual<T>(s, m);
    }
  }

 private:
  /// x += alpha p for the step before; then p = z + beta p, unless the run ends here.
  template <class T, class Workspace>
  DWELL_FN static void direction(Workspace& s, scalars& m) {
    if (m.step < 0) {
      s.each_owned(reads<x>{}, writes<p>{}, [](T* v) { v[p] = v[x]; });
      return;
    }
    const double rz_before = m.rz;
    const auto now = s.total(sum_of<rr, 2>{}, with_interrupt{});
    m.rr = now.v[0];
    m.rz = m.jacobi ? now.v[1] : now.v[0];
    s.note(m.step, m.rr, {m.alpha, m.rz});
    m.stop = verdict(m, s.interrupted());
    const T alpha = static_cast<T>(m.alpha);
    if (m.stop != running) {
      s.each_owned(reads<x, p>{}, writes<x>{}, [=](T* v) { v[x] = fma(alpha, v[p], v[x]); });
      return;
    }
    const T beta = static_cast<T>(m.step > 0 && rz_before > 0.0 ? m.rz / rz_before : 0.0);
    if (m.jacobi)
      s.each_owned(reads<x, r, p, d>{}, writes<x, p>{}, [=](T* v) {
        v[x] = fma(alpha, v[p], v[x]);
        v[p] = fma(beta, v[p], v[d] * v[r]);
      });
    else
      s.each_owned(reads<x, r, p>{}, writes<x, p>{}, [=](T* v) {
        v[x] = fma(alpha, v[p], v[x]);
        v[p] = fma(beta, v[p], v[r]);
      });
  }

  /// r -= alpha q, and the sums r.r and r.z.
  template <class T, class Workspace>
  DWELL_FN static void residual(Workspace& s, scalars& m) {
    s.finish(writes<q>{});
    s.poll();
    m.alpha = 0.0;
    T alpha = T(1);  // the start: r = b - A x
    if (m.step >= 0) {
      const double curvature = s.total(sum_of<pq>{}).v[0];
      if (!m.fixed) {
        if (!finite(curvature))
          m.stop = not_finite;
        else if (!(curvature > 0.0))
          m.stop = breakdown;
        if (m.stop != running) return;
      }
      m.alpha = curvature > 0.0 ? m.rz / curvature : 0.0;
      alpha = static_cast<T>(m.alpha);
    }
    ++m.step;
    if (m.jacobi)
      s.each_owned(reads<r, q, d>{}, writes<r>{}, adds_to<rr, 2>{}, [=](T* v, double* acc) {
        v[r] = fma(-alpha, v[q], v[r]);
        const double now = v[r];
        acc[0] = fma(now, now, acc[0]);
        acc[1] = fma(now, static_cast<double>(v[d] * v[r]), acc[1]);
      });
    else
      s.each_owned(reads<r, q>{}, writes<r>{}, adds_to<rr>{}, [=](T* v, double* acc) {
        v[r] = fma(-alpha, v[q], v[r]);
        const double now = v[r];
        acc[0] = fma(now, now, acc[0]);
      });
  }

  DWELL_FN static int verdict(const scalars& m, bool asked_to_stop) {
    if (!m.fixed) {
      if (!finite(m.rr) || !finite(m.rz)) return not_finite;
      if (m.rr <= m.target2) return converged;
    }
    if (m.step >= m.max_steps) return iteration_limit;
    if (asked_to_stop) return interrupted;
    return running;
  }
  DWELL_FN static bool finite(double v) { return v - v == 0.0; }
  /// ::fma on the device; on the host the one that is one instruction (built for FMA).
  template <class T>
  DWELL_FN static T fma(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};

}  // namespace dwell
