// SPDX-License-Identifier: MIT
// Conjugate gradients with one reduction per iteration: two phases, two barriers. The variant of
// Chen and Carson (SISC 42, 2020, "PR-CG"), which computes s = A p itself and predicts only beta:
// so it is as accurate as the textbook's, needs no replacement, and moves fewer bytes. Chronopoulos
// and Gear's (1989), which carries A p along, took a quarter more iterations on 494_bus.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/cg/recurrence.hpp"

namespace dwell {

struct single_reduction_cg : cg_recurrence {
  static constexpr const char* name = "cg-single-reduction";
  static constexpr const char* variant = "single-reduction";
  static constexpr bool planned_first = true;
  /// d is the inverse of the diagonal (Jacobi); r holds b at the start.
  enum : int { x, r, p, s, d, vectors };
  static constexpr const char* vector_names[vectors] = {"x", "r", "p", "s", "d"};
  static constexpr int rhs = r;
  static constexpr use uses[vectors] = {use::own, use::own, use::gather, use::own, use::own};
  using in_registers = vector_list<r, x>;
  using results = vector_list<x>;
  static constexpr int sum_count = set;
  static constexpr int phases = 2;
  static constexpr output outputs[phases] = {output::elements, output::sums};
  static constexpr bool whole_rows = true;

  enum stage : int { starting, residual, iterating };

  static scalars steady_state(bool jacobi) { return steady_state_at(iterating, jacobi); }

  template <int Phase, class T, class Workspace>
  DWELL_FN static void phase(Workspace& st, scalars& m) {
    if constexpr (Phase == 0)
      update<T>(st, m);
    else
      product<T>(st, m);
  }

 private:
  /// At the start p = x, then r = b - A x and p = M r; else the step that the sums allow.
  template <class T, class Workspace>
  DWELL_FN static void update(Workspace& st, scalars& m) {
    if (m.stage == iterating) return iterate<T>(st, m);
    if (m.stage == starting) {
      st.each_owned(reads<x>{}, writes<p>{}, [](T* v) { v[p] = v[x]; });
      m.stage = residual;
      return;
    }
    if (m.jacobi)
      st.each_owned(reads<r, s, d>{}, writes<r, p>{}, [](T* v) {
        v[r] -= v[s];
        v[p] = v[d] * v[r];
      });
    else
      st.each_owned(reads<r, s>{}, writes<r, p>{}, [](T* v) {
        v[r] -= v[s];
        v[p] = v[r];
      });
    m.stage = iterating;
  }

  template <class T, class Workspace>
  DWELL_FN static void iterate(Workspace& st, scalars& m) {
    const sums<set> now = sums_of(st, m);
    st.note(m.step, now.v[rr], {m.alpha, now.v[nu]});
    const next then = decide(m, now.v, st.interrupted(), false);
    if (then == next::end) return;
    const T alpha = static_cast<T>(m.alpha), beta = static_cast<T>(m.beta);
    if (m.jacobi)
      st.each_owned(reads<x, r, p, s, d>{}, writes<x, r, p>{}, [=](T* v) {
        v[x] = fma(alpha, v[p], v[x]);
        v[r] = fma(-alpha, v[s], v[r]);
        v[p] = fma(beta, v[p], v[d] * v[r]);
      });
    else
      st.each_owned(reads<x, r, p, s>{}, writes<x, r, p>{}, [=](T* v) {
        v[x] = fma(alpha, v[p], v[x]);
        v[r] = fma(-alpha, v[s], v[r]);
        v[p] = fma(beta, v[p], v[r]);
      });
  }

  template <class Workspace>
  DWELL_FN static sums<set> sums_of(Workspace& st, const scalars& m) {
    if (m.jacobi) return st.total(sum_of<nu, set>{}, with_interrupt{});
    const sums<rr> now = st.total(sum_of<nu, rr>{}, with_interrupt{});
    return {{now.v[nu], now.v[mu], now.v[sigma], now.v[gamma], now.v[nu]}};
  }

  /// s = A p, and the sums.
  template <class T, class Workspace>
  DWELL_FN static void product(Workspace& st, scalars& m) {
    st.poll();
    st.multiply(reads<p>{}, writes<s>{});
    if (m.stage != iterating) return;
    if (m.jacobi)
      st.each_owned(reads<r, p, s, d>{}, writes<>{}, adds_to<nu, set>{}, [](T* v, double* acc) {
        const double ri = v[r], si = v[s], ui = v[d] * v[r];
        add(ri, ui, v[p], si, v[d] * v[s], acc);
        acc[rr] = std::fma(ri, ri, acc[rr]);
      });
    else
      st.each_owned(reads<r, p, s>{}, writes<>{}, adds_to<nu, rr>{},
                    [](T* v, double* acc) { add(v[r], v[r], v[p], v[s], v[s], acc); });
  }
  DWELL_FN static void add(double ri, double ui, double pi, double si, double ms, double* acc) {
    acc[nu] = std::fma(ri, ui, acc[nu]);
    acc[mu] = std::fma(pi, si, acc[mu]);
    acc[sigma] = std::fma(ui, si, acc[sigma]);
    acc[gamma] = std::fma(si, ms, acc[gamma]);
  }
  template <class T>
  DWELL_FN static T fma(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};

}  // namespace dwell
