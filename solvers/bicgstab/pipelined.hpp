// SPDX-License-Identifier: MIT
// Bi-CGSTAB in two phases, with two barriers an iteration, and an optional diagonal preconditioner
// D from the right. An iteration has two products, each of which needs a barrier before it; the
// sums are complete at the same two. So a product must not wait for sums of its own vector (the
// idea of Cools and Vanroose, Parallel Computing 65, 2017). Here with w = A D r and u = A D p
// carried:
//   z = A D u,   s = r - alpha u,   t = w - alpha z   (it is A D s)
//   h = A D t,   r = s - omega t,   w = t - omega h
//   p = r + beta (p - omega u),     u = w + beta (u - omega z)
// Cools and Vanroose multiply w and A D u, and carry that, too. As many elements move as in the
// textbook's form.
//
// Rounding lets w and u drift from A D r and A p. Every `period` steps, and where the carried
// residual meets the target or has grown too much, r, w and u are computed from x and p, in the
// time of two iterations.
// So converged means truly converged. Where the true residual has not followed five times, the run
// ends with the carried one, as the textbook's form does at once.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/base/real_numbers.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/bicgstab/method.hpp"
#include "dwell/solvers/linear/method/residual_replacement.hpp"

namespace dwell {

struct pipelined_bicgstab : bicgstab_method {
  static constexpr const char* name = "bicgstab-pipelined";
  static constexpr const char* variant = "pipelined";
  static constexpr bool needs_residual_replacement = true;
  /// p is D p, gu is D u and gt is D t; without a preconditioner gu and gt are u and t themselves,
  /// and w follows h in its place. v is the shadow vector; d the inverse of the diagonal (Jacobi).
  /// r is s between the two products.
  enum : int { x, b, r, p, u, w, z, h, v, gu, gt, d, vectors };
  static constexpr const char* vector_names[vectors] = {"x", "b", "r", "p",  "u",  "w",
                                                        "z", "h", "v", "gu", "gt", "d"};
  static constexpr int rhs = b;
  static constexpr use uses[vectors] = {use::own, use::own,    use::own,    use::own,
                                        use::own, use::own,    use::own,    use::own,
                                        use::own, use::gather, use::gather, use::own};
  using in_registers = vector_list<>;
  using results = vector_list<x>;
  static constexpr int phases = 2;
  static constexpr output outputs[phases] = {output::both, output::both};
  static constexpr bool whole_rows = true;

  /// Steps between two replacements. In f64, with 100 a third more iterations are taken where the
  /// target is small, and without any solves diverge; in f32 50 is too long. T: double or float.
  template <class T>
  static constexpr int period = sizeof(T) == 8 ? 50 : 20;

  /// What the gathered vectors hold: D u and D t, while iterating. Else, of a start or of a
  /// replacement: nothing yet; x, in gt; D r, in gu; p, in gt; nothing, where p is D r and its
  /// product is in z.
  enum stage : int { nothing, iterating, has_x, has_r, has_p, has_w };

  struct scalars : bicgstab_method::scalars {
    int stage = nothing;
    residual_replacement replacement;
  };

  /// Scalars as in the midst of a run, for counting what an iteration moves.
  static scalars steady_state(bool jacobi) {
    scalars m;
    static_cast<bicgstab_method::scalars&>(m) = bicgstab_method::steady_state(jacobi);
    m.stage = iterating;
    return m;
  }

  template <int Phase, class T, class Workspace>
  DWELL_FN static void phase(Workspace& st, scalars& m) {
    if constexpr (Phase == 0)
      full_step<T>(st, m);
    else
      half_step<T>(st, m);
  }

 private:
  /// h = A D t ends the step before. Of a replacement: r = b - A x, or u = A p.
  template <class T, class Workspace>
  DWELL_FN static void full_step(Workspace& st, scalars& m) {
    st.poll();
    if (m.stage == nothing) return;
    if (m.stage != has_w) st.multiply(reads<gt>{}, writes<h>{});
    if (m.stage == iterating) return end_of_step<T>(st, m);
    if (m.stage == has_x) {
      if (m.jacobi)
        true_residual<true, T>(st, reads<b, h, d>{});
      else
        true_residual<false, T>(st, reads<b, h>{});
      m.stage = has_r;
      return;
    }
    if (m.stage == has_p)
      new_products<h, T>(st, m);
    else
      new_products<z, T>(st, m);
    m.stage = iterating;
  }

  template <class T, class Workspace>
  DWELL_FN static void end_of_step(Workspace& st, scalars& m) {
    const next_direction next = end_step<T>(st, m);
    if (m.stop != running) return;
    if (next.restart && m.jacobi)
      update<true, true, T>(st, m, 0.0, reads<x, r, p, u, w, z, h, gu, d>{},
                            writes<x, r, p, u, w, gu, v>{});
    else if (next.restart)
      update<true, false, T>(st, m, 0.0, reads<x, r, p, h, z, gu, gt>{},
                             writes<x, r, p, h, gu, v>{});
    else if (m.jacobi)
      update<false, true, T>(st, m, next.beta, reads<x, r, p, u, w, z, h, gu, v, d>{},
                             writes<x, r, p, u, w, gu>{});
    else
      update<false, false, T>(st, m, next.beta, reads<x, r, p, h, z, gu, gt, v>{},
                              writes<x, r, p, h, gu>{});
    m.fresh = next.restart;
  }
  /// x += alpha p + omega D s, and the next r, w, p and u. Restart: the new residual is the shadow
  /// vector, too.
  template <bool Restart, bool Jacobi, class T, class Workspace, class Reads, class Writes>
  DWELL_FN static void update(Workspace& st, const scalars& m, double beta_, Reads in, Writes out) {
    const T alpha = static_cast<T>(m.alpha), omega = static_cast<T>(m.omega),
            beta = static_cast<T>(beta_);
    st.each_owned(in, out, adds_to<rr, 3>{}, [=](T* e, double* acc) {
      const T t = Jacobi ? fma(-alpha, e[z], e[w]) : e[gt];
      e[x] = fma(omega, preconditioned<Jacobi>(e, e[r]), fma(alpha, e[p], e[x]));
      e[r] = fma(-omega, t, e[r]);
      e[p] = fma(beta, fma(-omega, e[gu], e[p]), preconditioned<Jacobi>(e, e[r]));
      e[h] = fma(-omega, e[h], t);
      if constexpr (Jacobi) e[w] = e[h];
      e[u] = fma(beta, fma(-omega, e[z], e[Jacobi ? u : gu]), e[h]);
      e[gu] = preconditioned<Jacobi>(e, e[u]);
      if constexpr (Restart) e[v] = e[r];
      add_sums(e, acc);
    });
  }
  template <class T>
  DWELL_FN static void add_sums(const T* e, double* acc) {
    add_square(e[r], acc[0]);
    add_product(e[v], e[r], acc + 1);
    add_product(e[v], e[u], acc + 2);
  }
  /// D of, or `of`.
  template <bool Jacobi, class T>
  DWELL_FN static T preconditioned(const T* e, T of) {
    if constexpr (Jacobi)
      return e[d] * of;
    else
      return of;
  }

  /// z = A D u; does the run end here? Else s and t.
  template <class T, class Workspace>
  DWELL_FN static void half_step(Workspace& st, scalars& m) {
    if (m.stage == nothing) return begin_replacement<T>(st, m);
    st.multiply(reads<gu>{}, writes<z>{});
    if (m.stage == has_r) return replace<T>(st, m);
    half_step_length<T>(st, m);
    residual_replacement& guard = m.replacement;
    // Has it converged, or grown too much? The true residual shows it.
    const bool met = m.stop == converged, ends = met || m.stop == breakdown;
    if (ends && !guard.fresh) m.stop = running;
    if (m.stop != running) return;
    if (ends || guard.due(m.step, period<T>)) {
      guard.begin(m.step, m.rr, met);
      return begin_replacement<T>(st, m);
    }
    guard.fresh = false;
    if (m.jacobi)
      half_pass<true, T>(st, m, reads<r, u, w, z, v, d>{});
    else
      half_pass<false, T>(st, m, reads<r, gu, h, z, v>{});
  }
  template <bool Jacobi, class T, class Workspace, class Reads>
  DWELL_FN static void half_pass(Workspace& st, const scalars& m, Reads in) {
    const T alpha = static_cast<T>(m.alpha);
    st.each_owned(in, writes<r, gt>{}, adds_to<ss, 5>{}, [=](T* e, double* acc) {
      e[r] = fma(-alpha, e[Jacobi ? u : gu], e[r]);
      const T t = fma(-alpha, e[z], e[Jacobi ? w : h]);
      e[gt] = preconditioned<Jacobi>(e, t);
      add_half(e[v], e[r], acc);
      add_product(t, e[r], acc + 2);
      add_square(t, acc[3]);
      add_product(e[v], t, acc + 4);
    });
  }

  template <class T, class Workspace>
  DWELL_FN static void begin_replacement(Workspace& st, scalars& m) {
    st.each_owned(reads<x>{}, writes<gt>{}, [](T* e) { e[gt] = e[x]; });
    m.stage = has_x;
  }
  template <bool Jacobi, class T, class Workspace, class Reads>
  DWELL_FN static void true_residual(Workspace& st, Reads in) {
    st.each_owned(in, writes<r, gu>{}, adds_to<rr>{}, [](T* e, double* acc) {
      e[r] = e[b] - e[h];
      e[gu] = preconditioned<Jacobi>(e, e[r]);
      add_square(e[r], acc[0]);
    });
  }
  /// z is A D r, where r.r is known now; p is multiplied next. At the start, and where the residual
  /// has grown too much, p is D r, and r the shadow vector.
  template <class T, class Workspace>
  DWELL_FN static void replace(Workspace& st, scalars& m) {
    residual_replacement& guard = m.replacement;
    m.rr = st.total(sum_of<rr>{}, with_interrupt{}).v[0];
    m.rho = 0.0;
    if (m.starting) {
      m.step = 0;
      guard.begin(0, m.rr, false);
    }
    const bool restart = m.starting || m.rr > growth2<T> * m.first;
    if (restart) m.first = m.rr;
    m.stop = verdict<T>(m, st.interrupted());
    if (m.stop == running && !m.fixed && guard.verifying && guard.rests(m.rr)) {
      m.rr = guard.carried;
      m.stop = converged;
    }
    if (m.stop != running) {
      st.note(m.step, m.rr, {0.0, m.rr});
      return;
    }
    if (restart)
      st.each_owned(reads<r, gu>{}, writes<p, v>{}, [](T* e) {
        e[p] = e[gu];
        e[v] = e[r];
      });
    else
      st.each_owned(reads<p>{}, writes<gt>{}, [](T* e) { e[gt] = e[p]; });
    m.stage = restart ? has_w : has_p;
    m.fresh = restart;
    m.starting = false;
  }

  /// u = A p, which is in From; w = A D r, which is in z; and the sums of the next step.
  template <int From, class T, class Workspace>
  DWELL_FN static void new_products(Workspace& st, const scalars& m) {
    if (m.jacobi)
      products_pass<true, From, T>(st, reads<h, z, r, v, d>{}, writes<u, w, gu>{});
    else
      products_pass<false, From, T>(st, reads<h, z, r, v>{}, writes<h, gu>{});
  }
  template <bool Jacobi, int From, class T, class Workspace, class Reads, class Writes>
  DWELL_FN static void products_pass(Workspace& st, Reads in, Writes out) {
    st.each_owned(in, out, adds_to<rr, 3>{}, [](T* e, double* acc) {
      e[u] = e[From];
      e[Jacobi ? w : h] = e[z];
      e[gu] = preconditioned<Jacobi>(e, e[u]);
      add_sums(e, acc);
    });
  }
};

}  // namespace dwell
