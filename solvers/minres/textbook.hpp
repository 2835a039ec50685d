// SPDX-License-Identifier: MIT
// Minimal residuals for symmetric matrices, definite or not (see method.hpp), with an optional
// diagonal preconditioner that is positive: three phases, three barriers. w are the directions.
// Step -1 computes the residual of the start vector.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/minres/method.hpp"

namespace dwell {

struct textbook_minres : minres_method {
  static constexpr const char* name = "minres";
  static constexpr const char* variant = "textbook";
  /// d is the inverse of the diagonal's magnitudes (Jacobi), without which there is no r. r2 holds
  /// b at the start.
  enum : int { x, r, v, q, r1, r2, w1, w2, d, vectors };
  static constexpr const char* vector_names[vectors] = {"x",  "r",  "v",  "q", "r1",
                                                        "r2", "w1", "w2", "d"};
  static constexpr int rhs = r2;
  static constexpr use uses[vectors] = {use::own, use::own, use::gather, use::own, use::own,
                                        use::own, use::own, use::own,    use::own};
  using in_registers = vector_list<r2, w2>;
  using results = vector_list<x>;
  enum : int { vq, zz, rr, sum_count };
  static constexpr int phases = 3;
  static constexpr output outputs[phases] = {output::both, output::sums, output::sums};

  template <int Phase, class T, class Workspace>
  DWELL_FN static void phase(Workspace& s, scalars& m) {
    if constexpr (Phase == 0)
      advance<T>(s, m);
    else if constexpr (Phase == 1)
      product<T>(s, m);
    else
      orthogonalise<T>(s, m);
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
    m.beta = std::sqrt(s.total(sum_of<zz>{}).v[0]);
    const T to_v = static_cast<T>(inverse_of(m.beta));
    if (m.step == 0) {
      m.phi_bar = m.beta;
      first_direction<T>(s, m, to_v);
      return;
    }
    const turned by = rotate(m);
    if (m.stop != running) return;
    const T old = static_cast<T>(by.old), now = static_cast<T>(by.now),
            over = static_cast<T>(by.over), phi = static_cast<T>(by.length);
    const auto turn = [=](T* e) {
      const T w = over * fma(now, e[w2], fma(old, e[w1], e[v]));
      e[x] = fma(phi, w, e[x]);
      e[w1] = e[w2];
      e[w2] = w;
    };
    if (m.jacobi) {
      const T keep = static_cast<T>(m.sn * m.sn);
      const T minus = static_cast<T>(-m.cs * m.phi_bar * inverse_of(m.beta));
      s.each_owned(reads<x, r, v, r2, w1, w2, d>{}, writes<x, r, v, w1, w2>{}, adds_to<rr>{},
                   [=](T* e, double* acc) {
                     turn(e);
                     e[r] = fma(minus, e[r2], keep * e[r]);
                     e[v] = to_v * (e[d] * e[r2]);
                     const double size = e[r];
                     acc[0] = fma(size, size, acc[0]);
                   });
    } else {
      s.each_owned(reads<x, v, r2, w1, w2>{}, writes<x, v, w1, w2>{}, [=](T* e) {
        turn(e);
        e[v] = to_v * e[r2];
      });
    }
  }

  /// There is no w yet, nor an r1.
  template <class T, class Workspace>
  DWELL_FN static void first_direction(Workspace& s, const scalars& m, T to_v) {
    if (m.jacobi)
      s.each_owned(reads<r2, d>{}, writes<v, r1, w1, w2>{}, adds_to<rr>{}, [=](T* e, double* acc) {
        e[v] = to_v * (e[d] * e[r2]);
        e[r1] = e[w1] = e[w2] = T(0);
        const double size = e[r2];
        acc[0] = fma(size, size, acc[0]);
      });
    else
      s.each_owned(reads<r2>{}, writes<v, r1, w1, w2>{}, [=](T* e) {
        e[v] = to_v * e[r2];
        e[r1] = e[w1] = e[w2] = T(0);
      });
  }

  /// Does the run end here? Else q = A v.
  template <class T, class Workspace>
  DWELL_FN static void product(Workspace& s, scalars& m) {
    if (m.step >= 0) {
      const double carried = s.total(sum_of<zz>{m.jacobi ? rr - zz : 0}, with_interrupt{}).v[0];
      m.rr = m.jacobi ? carried : m.phi_bar * m.phi_bar;
      s.note(m.step, m.rr, {0.0, m.rr});
      m.stop = verdict(m, s.interrupted());
      if (m.stop != running) return;
    }
    s.multiply(reads<v>{}, writes<q>{}, adds_to<vq>{});
  }

  /// The next Lanczos vector; at the start the residual, which is the first one.
  template <class T, class Workspace>
  DWELL_FN static void orthogonalise(Workspace& s, scalars& m) {
    s.finish(writes<q>{});
    s.poll();
    if (m.step < 0) {
      m.step = 0;
      if (m.jacobi)
        s.each_owned(reads<r2, q, d>{}, writes<r, r2>{}, adds_to<zz>{}, [](T* e, double* acc) {
          e[r2] -= e[q];
          e[r] = e[r2];
          add(e[r2], e[d] * e[r2], acc);
        });
      else
        s.each_owned(reads<r2, q>{}, writes<r2>{}, adds_to<zz>{}, [](T* e, double* acc) {
          e[r2] -= e[q];
          add(e[r2], e[r2], acc);
        });
      return;
    }
    m.alpha = s.total(sum_of<vq>{}).v[0];
    ++m.step;
    const T of_r1 = static_cast<T>(by_r1(m)), of_r2 = static_cast<T>(by_r2(m));
    const auto next = [=](T* e) {
      const T y = fma(of_r2, e[r2], fma(of_r1, e[r1], e[q]));
      e[r1] = e[r2];
      e[r2] = y;
    };
    if (m.jacobi)
      s.each_owned(reads<q, r1, r2, d>{}, writes<r1, r2>{}, adds_to<zz>{}, [=](T* e, double* acc) {
        next(e);
        add(e[r2], e[d] * e[r2], acc);
      });
    else
      s.each_owned(reads<q, r1, r2>{}, writes<r1, r2>{}, adds_to<zz>{}, [=](T* e, double* acc) {
        next(e);
        add(e[r2], e[r2], acc);
      });
  }

  DWELL_FN static void add(double a, double b, double* acc) { acc[0] = std::fma(a, b, acc[0]); }
};

}  // namespace dwell
