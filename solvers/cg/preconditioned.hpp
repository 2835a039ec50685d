// SPDX-License-Identifier: MIT
// Conjugate gradients with a preconditioner that is a sequence of products (Hestenes and Stiefel
// 1952; Saad, Iterative Methods for Sparse Linear Systems, 2003, algorithm 9.1): z = M r, in f32
// under an iteration in T. The residual is handed to the sequence when it is written; whether it is
// small enough is known one barrier later, before the sequence begins.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/cg/method.hpp"

namespace dwell {

struct preconditioned_cg : cg_method {
  static constexpr const char* name = "cg-preconditioned";
  static constexpr const char* variant = "preconditioned";
  /// h is the sequence's input, which a pass writes as it writes r; r holds b at the start.
  enum : int { x, r, p, q, z, h, vectors };
  static constexpr const char* vector_names[vectors] = {"x", "r", "p", "q", "z", "h"};
  static constexpr int rhs = r;
  static constexpr use uses[vectors] = {use::own, use::own, use::gather,
                                        use::own, use::own, use::handed};
  using in_registers = vector_list<r, x>;
  using results = vector_list<x>;
  enum : int { pq, rr, rz, sum_count };
  static constexpr int phases = 4;
  static constexpr int sequences[] = {3};
  static constexpr output outputs[phases] = {output::elements, output::sums, output::sums,
                                             output::sums};

  struct scalars {
    int step = -1;
    int stop = running;
    int max_steps = 0;
    bool fixed = false;    ///< run max_steps, whatever happens
    double target2 = 0.0;  ///< converged when r.r <= target2
    double rr = 0.0;
    double rz = 0.0;
    double alpha = 0.0;
    double scale = 1.0;  ///< scale of what is handed over
  };

  static scalars steady_state(bool) {
    scalars m;
    m.step = 1;
    m.fixed = true;
    m.max_steps = 3;
    return m;
  }

  template <int Phase, class T, class Workspace>
  DWELL_FN static void phase(Workspace& s, scalars& m) {
    if constexpr (Phase == 0)
      direction<T>(s, m);
    else if constexpr (Phase == 1)
      s.multiply(reads<p>{}, writes<q>{}, adds_to<pq>{});
    else if constexpr (Phase == 2)
      residual<T>(s, m);
    else
      precondition<T>(s, m);
  }

 private:
  /// x += alpha p for the step before; then p = z + beta p.
  template <class T, class Workspace>
  DWELL_FN static void direction(Workspace& s, scalars& m) {
    if (m.step < 0) {
      s.each_owned(reads<x>{}, writes<p>{}, [](T* v) { v[p] = v[x]; });
      return;
    }
    const double rz_before = m.rz;
    m.rz = s.total(sum_of<rz>{}).v[0];
    s.note(m.step, m.rr, {m.alpha, m.rz});
    if (!m.fixed) {
      if (!finite(m.rz))
        m.stop = not_finite;
      else if (!(m.rz > 0.0))
        m.stop = breakdown;
    }
    if (m.stop != running) return take_step<T>(s, m);
    const T alpha = static_cast<T>(m.alpha);
    const T beta = static_cast<T>(m.step > 0 && rz_before > 0.0 ? m.rz / rz_before : 0.0);
    s.each_owned(reads<x, z, p>{}, writes<x, p>{}, [=](T* v) {
      v[x] = fma(alpha, v[p], v[x]);
      v[p] = fma(beta, v[p], v[z]);
    });
  }

  /// x += alpha p where the run ends.
  template <class T, class Workspace>
  DWELL_FN static void take_step(Workspace& s, const scalars& m) {
    const T alpha = static_cast<T>(m.alpha);
    s.each_owned(reads<x, p>{}, writes<x>{}, [=](T* v) { v[x] = fma(alpha, v[p], v[x]); });
  }

  /// r -= alpha q, handed over, and r.r.
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
    } else if (m.target2 > 0.0) {
      m.scale = std::ldexp(1.0, -std::ilogb(m.target2) / 2);
    }
    ++m.step;
    const T scale = static_cast<T>(m.scale);
    s.each_owned(reads<r, q>{}, writes<r, h>{}, adds_to<rr>{}, [=](T* v, double* acc) {
      v[r] = fma(-alpha, v[q], v[r]);
      v[h] = scale * v[r];
      const double now = v[r];
      acc[0] = fma(now, now, acc[0]);
    });
  }

  /// A phase of the sequence: the first knows whether the run ends, the last one gives r.z.
  template <class T, class Workspace>
  DWELL_FN static void precondition(Workspace& s, scalars& m) {
    if (s.sequence_phase() == 0) {
      m.rr = s.total(sum_of<rr>{}, with_interrupt{}).v[0];
      m.stop = verdict(m, s.interrupted());
      if (m.stop != running) {
        s.note(m.step, m.rr, {m.alpha, 0.0});
        return take_step<T>(s, m);
      }
    }
    s.run_sequence(writes<z>{});
    if (s.sequence_phase() + 1 == s.sequence_phases())
      s.each_owned(reads<r, z>{}, writes<>{}, adds_to<rz>{}, [](T* v, double* acc) {
        acc[0] = fma(static_cast<double>(v[r]), static_cast<double>(v[z]), acc[0]);
      });
  }

  DWELL_FN static int verdict(const scalars& m, bool asked_to_stop) {
    if (!m.fixed) {
      if (!finite(m.rr)) return not_finite;
      if (m.rr <= m.target2) return converged;
    }
    if (m.step >= m.max_steps) return iteration_limit;
    if (asked_to_stop) return interrupted;
    return running;
  }
  DWELL_FN static bool finite(double v) { return v - v == 0.0; }
  template <class T>
  DWELL_FN static T fma(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};

}  // namespace dwell
