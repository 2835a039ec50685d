// SPDX-License-Identifier: MIT
// Bi-CGSTAB for complex matrices (van der Vorst 1992; method.hpp says how the direction is found
// before its sum), with an optional diagonal preconditioner from the right. Scalar products are
// conjugate-linear in the first vector; rho, alpha, omega and beta are complex. Four phases, four
// barriers. Step -1 computes the residual of the start vector. An iteration has two products.
#pragma once
#include <cmath>

#include "dwell/base/complex_value.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/bicgstab/method.hpp"

namespace dwell {

struct complex_bicgstab : run_outcome {
  static constexpr const char* method = "bicgstab";
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
  /// Complex ones take two places. The second product's have the place of (w, u): that is read one
  /// phase before they are given.
  enum : int { rr, wr, ws = wr + 2, wu = ws + 2, ts = wu, tt = ts + 2, wt, sum_count = wt + 2 };
  static constexpr int phases = 4;
  static constexpr output outputs[phases] = {output::both, output::sums, output::both,
                                             output::sums};
  static constexpr bool whole_rows = true;
  using number = complex_value<double>;

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
    double shadow = 0.0;      ///< ||w||
    double first = 0.0;       ///< r.r of the start
    number rho = {0.0, 0.0};  ///< (w, r)
    number alpha = {0.0, 0.0}, omega = {0.0, 0.0};
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
    number beta = {0.0, 0.0};
    bool restart = m.starting;
    if (!m.starting) {
      const auto with_s = st.total(sum_of<ws, 2>{});
      const auto with_t = st.total(sum_of<ts, 5>{});
      restart = end_step<T>(m, {with_s.v[0], with_s.v[1]}, {with_t.v[0], with_t.v[1]}, with_t.v[2],
                            {with_t.v[3], with_t.v[4]}, beta);
      if (m.stop != running) return;
    }
    update<T>(st, m, restart ? number(0.0) : beta, restart);
    m.starting = false;
    m.fresh = restart;
  }

  /// omega and beta. Returns whether the iteration begins anew, or ends the run.
  template <class T>
  DWELL_FN static bool end_step(scalars& m, number with_s, number st, double tt, number with_t,
                                number& beta) {
    m.omega = tt > 0.0 ? number(st.re / tt, st.im / tt) : number(0.0);
    if (!m.fixed && m.fresh && is_zero(m.alpha) && is_zero(m.omega)) {
      m.stop = breakdown;
      return false;
    }
    const number predicted = with_s - m.omega * with_t;
    beta = is_zero(m.rho) || is_zero(m.omega)
               ? number(0.0)
               : quotient(predicted, m.rho) * quotient(m.alpha, m.omega);
    // No digit of (w, r) is left, nor one of beta. The part of s along t stands for its length.
    const double along = tt > 0.0 ? size_of(st) / std::sqrt(tt) : 0.0;
    const bool nothing_left =
        is_zero(m.alpha) || is_zero(m.omega) || !finite(beta) ||
        size_of(predicted) <= bicgstab_method::lost<part_type<T>> * m.shadow * along;
    ++m.step;
    return nothing_left && !m.fixed;
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
    const auto now = st.total(sum_of<rr, 3>{}, with_interrupt{});
    const auto by = st.total(sum_of<wu, 2>{});
    m.rr = now.v[0];
    m.rho = {now.v[1], now.v[2]};
    if (m.fresh) m.shadow = std::sqrt(m.rr);
    if (m.step == 0) m.first = m.rr;
    st.note(m.step, m.rr, {0.0, m.rr});
    m.stop = verdict<T>(m, st.interrupted());
    if (m.stop != running) return;
    m.alpha = quotient(m.rho, {by.v[0], by.v[1]});
    if (!finite(m.alpha)) m.alpha = number(0.0);
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

  template <class T>
  DWELL_FN static int verdict(const scalars& m, bool asked_to_stop) {
    if (!m.fixed) {
      if (!finite(number(m.rr)) || !finite(m.rho)) return not_finite;
      if (m.rr <= m.target2) return converged;
      if (m.rr > bicgstab_method::growth2<part_type<T>> * m.first) return breakdown;
    }
    if (m.step >= m.max_steps) return iteration_limit;
    if (asked_to_stop) return interrupted;
    return running;
  }
  DWELL_FN static bool finite(number v) { return v.re - v.re == 0.0 && v.im - v.im == 0.0; }
  DWELL_FN static bool is_zero(number v) { return v.re == 0.0 && v.im == 0.0; }
};

}  // namespace dwell
