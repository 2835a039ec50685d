// SPDX-License-Identifier: MIT
// Bi-CGSTAB for complex matrices (complex_method.hpp), with an optional diagonal preconditioner
// from the right. Four phases, four barriers. Step -1 computes the residual of the start vector. An
// iteration has two products.
#pragma once
#include "dwell/base/complex_value.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/bicgstab/complex_method.hpp"

namespace dwell {

struct complex_bicgstab : complex_bicgstab_method {
  static constexpr const char* name = "bicgstab-complex";
  static constexpr const char* variant = "textbook";
  /// y is D p, then D s; u = A D p; t = A D s; w is the shadow vector; d the inverse of the
  /// diagonal (Jacobi). r holds b at the start, and s between the two products.
  enum : int { x, r, p, y, u, t, w, d, vectors };
  static constexpr const char* vector_names[vectors] = {"x", "r", "p", "y", "u", "t", "w", "d"};
  static constexpr int rhs = r;
  static constexpr int diagonal = d;
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
    next_direction by{{0.0, 0.0}, m.starting};
    if (!m.starting) {
      by = end_step<T>(st, m);
      if (m.stop != running) return;
    }
    update<T>(st, m, by.restart ? number(0.0) : by.beta, by.restart);
    m.starting = false;
    m.fresh = by.restart;
  }

  template <class T, class Workspace>
  DWELL_FN static void update(Workspace& st, const scalars& m, number beta, bool restart) {
    if (restart && m.jacobi)
      pass<true, true, T>(st, m, beta, reads<x, r, p, u, t, d>{}, writes<x, r, p, y, w>{});
    else if (restart)
      pass<true, false, T>(st, m, beta, reads<x, r, p, u, t>{}, writes<x, r, p, y, w>{});
    else if (m.jacobi)
      pass<false, true, T>(st, m, beta, reads<x, r, p, u, t, w, d>{}, writes<x, r, p, y>{});
    else
      pass<false, false, T>(st, m, beta, reads<x, r, p, u, t, w>{}, writes<x, r, p, y>{});
  }
  /// D v, or v.
  template <bool Jacobi, class T>
  DWELL_FN static T preconditioned(const T* v, T of) {
    if constexpr (Jacobi)
      return v[d] * of;
    else
      return of;
  }
  /// Restart: the new residual is the shadow vector, too.
  template <bool Restart, bool Jacobi, class T, class Workspace, class Reads, class Writes>
  DWELL_FN static void pass(Workspace& st, const scalars& m, number beta_, Reads in, Writes out) {
    const T alpha(m.alpha), omega(m.omega), beta(beta_);
    st.each_owned(in, out, adds_to<rr, 3>{}, [=](T* v, double* acc) {
      const T dp = preconditioned<Jacobi>(v, v[p]), ds = preconditioned<Jacobi>(v, v[r]);
      v[x] = multiply_add(omega, ds, multiply_add(alpha, dp, v[x]));
      v[r] = multiply_add(-omega, v[t], v[r]);
      if constexpr (Restart) v[w] = v[r];
      v[p] = multiply_add(beta, multiply_add(-omega, v[u], v[p]), v[r]);
      v[y] = preconditioned<Jacobi>(v, v[p]);
      add_square(v[r], acc[0]);
      add_product(v[w], v[r], acc + 1);
    });
  }

  /// u = A y and (w, u); at the start u = A x.
  template <class T, class Workspace>
  DWELL_FN static void first_product(Workspace& st, scalars& m) {
    st.multiply(reads<y>{}, writes<u>{});
    if (m.step < 0) return;
    st.each_owned(reads<u, w>{}, writes<>{}, adds_to<wu, 2>{},
                  [](T* v, double* acc) { add_product(v[w], v[u], acc); });
  }

  /// Does the run end here? Else s = r - alpha u; at the start r = b - A x.
  template <class T, class Workspace>
  DWELL_FN static void half_step(Workspace& st, scalars& m) {
    if (m.step < 0) {
      st.each_owned(reads<r, u>{}, writes<r, p, u, t, y>{}, [](T* v) {
        v[r] -= v[u];
        v[p] = v[u] = v[t] = v[y] = T(0);
      });
      return;
    }
    half_step_length<T>(st, m);
    if (m.stop != running) return;
    if (m.jacobi)
      half_pass<true, T>(st, m, reads<r, u, w, d>{});
    else
      half_pass<false, T>(st, m, reads<r, u, w>{});
  }
  template <bool Jacobi, class T, class Workspace, class Reads>
  DWELL_FN static void half_pass(Workspace& st, const scalars& m, Reads in) {
    const T alpha(m.alpha);
    st.each_owned(in, writes<r, y>{}, adds_to<ws, 2>{}, [=](T* v, double* acc) {
      v[r] = multiply_add(-alpha, v[u], v[r]);
      v[y] = preconditioned<Jacobi>(v, v[r]);
      add_product(v[w], v[r], acc);
    });
  }

  /// t = A y, and the sums of the step.
  template <class T, class Workspace>
  DWELL_FN static void second_product(Workspace& st, scalars& m) {
    if (m.step < 0) {
      m.step = 0;
      return;
    }
    st.multiply(reads<y>{}, writes<t>{});
    st.each_owned(reads<r, t, w>{}, writes<>{}, adds_to<ts, 5>{}, [](T* v, double* acc) {
      add_product(v[t], v[r], acc);
      add_square(v[t], acc[2]);
      add_product(v[w], v[t], acc + 3);
    });
  }
};

}  // namespace dwell
