// SPDX-License-Identifier: MIT
// Bi-CGSTAB for any square matrix (see method.hpp), with an optional diagonal preconditioner from
// the right: four phases, four barriers. The update of x waits for the next direction, which loads
// all that it needs. Step -1 computes the residual of the start vector. An iteration has two
// products.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/bicgstab/method.hpp"

namespace dwell {

struct textbook_bicgstab : bicgstab_method {
  static constexpr const char* name = "bicgstab";
  static constexpr const char* variant = "textbook";
  /// y is D p, then D s; u = A D p; t = A D s; w is the shadow vector; d the inverse of the
  /// diagonal (Jacobi). r holds b at the start, and s between the two products.
  enum : int { x, r, p, y, u, t, w, d, vectors };
  static constexpr const char* vector_names[vectors] = {"x", "r", "p", "y", "u", "t", "w", "d"};
  static constexpr int rhs = r;
  static constexpr use uses[vectors] = {use::own, use::own, use::own, use::gather,
                                        use::own, use::own, use::own, use::own};
  using in_registers = vector_list<r, p>;
  using results = vector_list<x>;
  static constexpr int phases = 4;
  static constexpr output outputs[phases] = {output::both, output::sums, output::both,
                                             output::sums};
  static constexpr bool whole_rows = true;

  template <int Phase, class T, class Workspace>
  DWELL_FN static void phase(Workspace& s, scalars& m) {
    if constexpr (Phase == 0)
      direction<T>(s, m);
    else if constexpr (Phase == 1)
      first_product<T>(s, m);
    else if constexpr (Phase == 2)
      half_step<T>(s, m);
    else
      second_product<T>(s, m);
  }

 private:
  /// x += alpha D p + omega D s, r = s - omega t, and p = r + beta (p - omega u).
  template <class T, class Workspace>
  DWELL_FN static void direction(Workspace& st, scalars& m) {
    st.poll();
    if (m.step < 0) {
      st.each_owned(reads<x>{}, writes<y>{}, [](T* v) { v[y] = v[x]; });
      return;
    }
    next_direction by{0.0, m.starting};
    if (!m.starting) {
      by = end_step<T>(st, m);
      if (m.stop != running) return;
    }
    const bool restart = by.restart;
    update<T>(st, m, restart ? 0.0 : by.beta, restart);
    m.starting = false;
    m.fresh = restart;
  }

  template <class T, class Workspace>
  DWELL_FN static void update(Workspace& st, const scalars& m, double beta_, bool restart) {
    const T alpha = static_cast<T>(m.alpha), omega = static_cast<T>(m.omega),
            beta = static_cast<T>(beta_);
    const auto step = [=](T* v, T dp, T ds, double* acc) {
      v[x] = fma(omega, ds, fma(alpha, dp, v[x]));
      v[r] = fma(-omega, v[t], v[r]);
      v[p] = fma(beta, fma(-omega, v[u], v[p]), v[r]);
      const double now = v[r];
      acc[0] = fma(now, now, acc[0]);
      acc[1] = fma(static_cast<double>(v[w]), now, acc[1]);
    };
    if (restart) {
      if (m.jacobi)
        st.each_owned(reads<x, r, p, u, t, d>{}, writes<x, r, p, y, w>{}, adds_to<rr, 2>{},
                      [=](T* v, double* acc) {
                        const T dp = v[d] * v[p], ds = v[d] * v[r];
                        v[w] = fma(-omega, v[t], v[r]);
                        step(v, dp, ds, acc);
                        v[y] = v[d] * v[p];
                      });
      else
        st.each_owned(reads<x, r, p, u, t>{}, writes<x, r, p, y, w>{}, adds_to<rr, 2>{},
                      [=](T* v, double* acc) {
                        const T dp = v[p], ds = v[r];
                        v[w] = fma(-omega, v[t], v[r]);
                        step(v, dp, ds, acc);
                        v[y] = v[p];
                      });
    } else if (m.jacobi) {
      st.each_owned(reads<x, r, p, u, t, w, d>{}, writes<x, r, p, y>{}, adds_to<rr, 2>{},
                    [=](T* v, double* acc) {
                      step(v, v[d] * v[p], v[d] * v[r], acc);
                      v[y] = v[d] * v[p];
                    });
    } else {
      st.each_owned(reads<x, r, p, u, t, w>{}, writes<x, r, p, y>{}, adds_to<rr, 2>{},
                    [=](T* v, double* acc) {
                      step(v, v[p], v[r], acc);
                      v[y] = v[p];
                    });
    }
  }

  /// u = A D p and (r~, u); at the start u = A x.
  template <class T, class Workspace>
  DWELL_FN static void first_product(Workspace& st, scalars& m) {
    st.multiply(reads<y>{}, writes<u>{});
    if (m.step < 0) return;
    st.each_owned(reads<u, w>{}, writes<>{}, adds_to<wu>{},
                  [](T* v, double* acc) { add(v[w], v[u], acc[0]); });
  }

  /// Does the run end here? Else s = r - alpha u; at the start r = b - A x.
  template <class T, class Workspace>
  DWELL_FN static void half_step(Workspace& st, scalars& m) {
    if (m.step < 0) {
      st.each_owned(reads<r, u>{}, writes<r, p, u, t>{}, [](T* v) {
        v[r] -= v[u];
        v[p] = v[u] = v[t] = T(0);
      });
      return;
    }
    half_step_length<T>(st, m);
    if (m.stop != running) return;
    const T alpha = static_cast<T>(m.alpha);
    const auto half = [=](T* v, double* acc) {
      v[r] = fma(-alpha, v[u], v[r]);
      const double s = v[r];
      acc[0] = fma(s, s, acc[0]);
      add(v[w], s, acc[1]);
    };
    if (m.jacobi)
      st.each_owned(reads<r, u, w, d>{}, writes<r, y>{}, adds_to<ss, 2>{}, [=](T* v, double* acc) {
        half(v, acc);
        v[y] = v[d] * v[r];
      });
    else
      st.each_owned(reads<r, u, w>{}, writes<r, y>{}, adds_to<ss, 2>{}, [=](T* v, double* acc) {
        half(v, acc);
        v[y] = v[r];
      });
  }

  /// t = A D s, and the sums of the step.
  template <class T, class Workspace>
  DWELL_FN static void second_product(Workspace& st, scalars& m) {
    if (m.step < 0) {
      m.step = 0;
      return;
    }
    st.multiply(reads<y>{}, writes<t>{});
    st.each_owned(reads<r, t, w>{}, writes<>{}, adds_to<ts, 3>{}, [](T* v, double* acc) {
      add(v[t], v[r], acc[0]);
      add(v[t], v[t], acc[1]);
      add(v[w], v[t], acc[2]);
    });
  }
};

}  // namespace dwell
