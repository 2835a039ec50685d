// SPDX-License-Identifier: MIT
// Minimal residuals with a preconditioner that is a sequence of products, symmetric and positive
// definite (see method.hpp; Greenbaum, Iterative Methods for Solving Linear Systems, 1997,
// algorithm 8): z = M r2, in f32 under an iteration in T. The sequence is handed the next Lanczos
// vector as it is written, after the look whether the run ends.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/minres/method.hpp"

namespace dwell {

struct preconditioned_minres : minres_method {
  static constexpr const char* name = "minres-preconditioned";
  static constexpr const char* variant = "preconditioned";
  /// h is the sequence's input, which a pass writes as it writes r2; r2 holds b at the start.
  enum : int { x, r, v, q, r1, r2, w1, w2, z, h, vectors };
  static constexpr const char* vector_names[vectors] = {"x",  "r",  "v",  "q", "r1",
                                                        "r2", "w1", "w2", "z", "h"};
  static constexpr int rhs = r2;
  static constexpr use uses[vectors] = {use::own, use::own, use::gather, use::own, use::own,
                                        use::own, use::own, use::own,    use::own, use::handed};
  using in_registers = vector_list<r2, w2>;
  using results = vector_list<x>;
  enum : int { vq, zz, rr, sum_count };
  static constexpr int phases = 4;
  static constexpr int sequences[] = {3};
  static constexpr output outputs[phases] = {output::both, output::sums, output::sums,
                                             output::sums};

  struct scalars : minres_method::scalars {
    double scale = 1.0;  ///< scale of what is handed over
  };
  static scalars steady_state(bool) { return {minres_method::steady_state(false), 1.0}; }

  template <int Phase, class T, class Workspace>
  DWELL_FN static void phase(Workspace& s, scalars& m) {
    if constexpr (Phase == 0)
      advance<T>(s, m);
    else if constexpr (Phase == 1)
      product<T>(s, m);
    else if constexpr (Phase == 2)
      orthogonalise<T>(s, m);
    else
      precondition<T>(s, m);
  }

 private:
  /// The rotation of the step that the last Lanczos vector completes: x, w, r and the next v.
  template <class T, class Workspace>
  DWELL_FN static void advance(Workspace& s, scalars& m) {
    if (m.step < 0) {
      s.each_owned(reads<x>{}, writes<v>{}, [](T* e) { e[v] = e[x]; });
      return;
    }
    m.old_beta = m.beta;
    const double square = s.total(sum_of<zz>{}).v[0];
    if (!m.fixed && square < 0.0) {  // the preconditioner is not positive definite
      m.stop = breakdown;
      return;
    }
    m.beta = std::sqrt(square);
    const T to_v = static_cast<T>(inverse_of(m.beta));
    if (m.step == 0) {
      m.phi_bar = m.beta;
      s.each_owned(reads<r2, z>{}, writes<v, r1, w1, w2>{}, adds_to<rr>{}, [=](T* e, double* acc) {
        e[v] = to_v * e[z];
        e[r1] = e[w1] = e[w2] = T(0);
        add(e[r2], e[r2], acc);
      });
      return;
    }
    const turned by = rotate(m);
    if (m.stop != running) return;
    const T old = static_cast<T>(by.old), now = static_cast<T>(by.now),
            over = static_cast<T>(by.over), phi = static_cast<T>(by.length);
    const T keep = static_cast<T>(m.sn * m.sn);
    const T minus = static_cast<T>(-m.cs * m.phi_bar * inverse_of(m.beta));
    s.each_owned(reads<x, r, v, r2, w1, w2, z>{}, writes<x, r, v, w1, w2>{}, adds_to<rr>{},
                 [=](T* e, double* acc) {
                   const T w = over * fma(now, e[w2], fma(old, e[w1], e[v]));
                   e[x] = fma(phi, w, e[x]);
                   e[w1] = e[w2];
                   e[w2] = w;
                   e[r] = fma(minus, e[r2], keep * e[r]);
                   e[v] = to_v * e[z];
                   add(e[r], e[r], acc);
                 });
  }

  /// Does the run end here? Else q = A v.
  template <class T, class Workspace>
  DWELL_FN static void product(Workspace& s, scalars& m) {
    if (m.step >= 0) {
      m.rr = s.total(sum_of<rr>{}, with_interrupt{}).v[0];
      s.note(m.step, m.rr, {0.0, m.rr});
      m.stop = verdict(m, s.interrupted());
      if (m.stop != running) return;
    }
    s.multiply(reads<v>{}, writes<q>{}, adds_to<vq>{});
  }

  /// The next Lanczos vector, handed over; at the start the residual, which is the first one.
  template <class T, class Workspace>
  DWELL_FN static void orthogonalise(Workspace& s, scalars& m) {
    s.finish(writes<q>{});
    s.poll();
    if (m.step < 0) {
      m.step = 0;
      if (m.target2 > 0.0) m.scale = std::ldexp(1.0, -std::ilogb(m.target2) / 2);
      const T scale = static_cast<T>(m.scale);
      s.each_owned(reads<r2, q>{}, writes<r, r2, h>{}, [=](T* e) {
        e[r2] -= e[q];
        e[r] = e[r2];
        e[h] = scale * e[r2];
      });
      return;
    }
    m.alpha = s.total(sum_of<vq>{}).v[0];
    ++m.step;
    const T of_r1 = static_cast<T>(by_r1(m)), of_r2 = static_cast<T>(by_r2(m));
    const T scale = static_cast<T>(m.scale);
    s.each_owned(reads<q, r1, r2>{}, writes<r1, r2, h>{}, [=](T* e) {
      const T y = fma(of_r2, e[r2], fma(of_r1, e[r1], e[q]));
      e[r1] = e[r2];
      e[r2] = y;
      e[h] = scale * y;
    });
  }

  /// A phase of the sequence; the last one gives r2.z.
  template <class T, class Workspace>
  DWELL_FN static void precondition(Workspace& s, scalars&) {
    s.run_sequence(writes<z>{});
    if (s.sequence_phase() + 1 == s.sequence_phases())
      s.each_owned(reads<r2, z>{}, writes<>{}, adds_to<zz>{},
                   [](T* e, double* acc) { add(e[r2], e[z], acc); });
  }

  DWELL_FN static void add(double a, double b, double* acc) { acc[0] = std::fma(a, b, acc[0]); }
};

}  // namespace dwell
