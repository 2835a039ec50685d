// SPDX-License-Identifier: MIT
// Pipelined conjugate gradients: one phase, one barrier per iteration, since the products need no
// result of the sums that are under way (the idea of Ghysels and Vanroose, Parallel Computing 40,
// 2014). The variant of Chen and Carson (SISC 42, 2020, "PIPE-PR-CG"), which multiplies two vectors
// at once and so computes A u anew in every step: only A p is carried by a recurrence. Ghysels and
// Vanroose's carries four vectors and took 1.8 times the iterations on 494_bus, even with a
// replacement every 50 steps. Here a replacement is two phases, and rarely needed.
//
// The vectors are those of the system scaled by the preconditioner M: u = M r, s = M A p. So the
// same code serves both: without a preconditioner M = 1 and u is the residual.
//
// Sums and the exchanged pair are written in the phase in which the ones before are read. Both
// therefore have two copies in turn: what is written in phase k is read in phase k + 1, and
// written again in k + 2 at the earliest, a barrier after all have read it.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/cg/recurrence.hpp"
#include "dwell/solvers/linear/method/cost_model.hpp"

namespace dwell {

struct pipelined_cg : cg_recurrence {
  static constexpr const char* name = "cg-pipelined";
  static constexpr const char* variant = "pipelined";
  /// It moves more bytes than the single reduction for one barrier less. Where every phase is a
  /// launch it has not been measured, and stays out.
  static bool may_beat(const cost_model& first) {
    return first.cooperative && first.bound_by_barriers;
  }
  static constexpr bool needs_residual_replacement = true;
  /// The products: au = A u and as = A s of the exchanged pair (gu, gs); in a replacement of (x,
  /// p). d is the inverse of the diagonal.
  enum : int { x, u, p, s, au, as, gu, gs, b, d, vectors };
  static constexpr const char* vector_names[vectors] = {"x",  "u",  "p",  "s", "Au",
                                                        "As", "gu", "gs", "b", "d"};
  static constexpr int rhs = b;
  static constexpr use uses[vectors] = {use::own, use::own,      use::own,     use::own, use::own,
                                        use::own, use::exchange, use::partner, use::own, use::own};
  using in_registers = vector_list<>;  // with u there, products of pairs spilled 48 bytes a lane
  using results = vector_list<x>;
  static constexpr int sum_count = 2 * set;
  static constexpr int phases = 1;
  static constexpr output outputs[phases] = {output::both};
  static constexpr bool whole_rows = true;

  /// What the pair holds when a phase begins: nothing yet; x alone, at the start; (x, p), in a
  /// replacement; (u, s), while iterating. Where rounding has got the upper hand, A p is computed
  /// instead of carried, in two phases per step: before the first the pair holds p, before the
  /// second nothing that counts.
  enum stage : int { nothing, has_x, has_x_and_p, iterating, has_p, computed };

  static scalars steady_state(bool jacobi) { return steady_state_at(iterating, jacobi); }

  template <int Phase, class T, class Workspace>
  DWELL_FN static void phase(Workspace& st, scalars& m) {
    st.exchange(m.parity);
    st.poll(m.parity ^ 1);
    if (m.stage != nothing && m.stage != computed) st.multiply(reads<gu>{}, writes<au, as>{});
    if (m.stage == iterating || m.stage == computed)
      iterate<T>(st, m);
    else if (m.stage == nothing || m.stage == has_x)
      start<T>(st, m);
    else
      renew<T>(st, m);
    m.parity ^= 1;
  }

 private:
  template <class T, class Workspace>
  DWELL_FN static void iterate(Workspace& st, scalars& m) {
    const bool carries = m.stage == iterating;
    const sums<set> now = sums_of(st, m);
    st.note(m.step, now.v[rr], {m.alpha, now.v[nu]});
    const next then = decide(m, now.v, st.interrupted(), carries);
    if (then == next::end) return;
    if (then == next::replace) {
      st.each_owned(reads<x, p>{}, writes<gu, gs>{}, [](T* v) {
        v[gu] = v[x];
        v[gs] = v[p];
      });
      m.stage = has_x_and_p;
      return;
    }
    if (then == next::compute) {
      st.each_owned(reads<p>{}, writes<gu, gs>{}, [](T* v) { v[gu] = v[gs] = v[p]; });
      m.stage = has_p;
      return;
    }
    if (then == next::restart) {
      st.each_owned(reads<u>{}, writes<p, gu, gs>{}, [](T* v) { v[p] = v[gu] = v[gs] = v[u]; });
      m.stage = has_p;
      return;
    }
    const T alpha = static_cast<T>(m.alpha), beta = static_cast<T>(m.beta);
    if (!carries) {
      st.each_owned(reads<x, u, p, s>{}, writes<x, u, p, gu, gs>{}, [=](T* v) {
        v[x] = fma(alpha, v[p], v[x]);
        v[u] = fma(-alpha, v[s], v[u]);
        v[p] = fma(beta, v[p], v[u]);
        v[gu] = v[gs] = v[p];
      });
      m.stage = has_p;
      return;
    }
    summed<T>(st, m, reads<x, u, p, s, au, as>{}, writes<x, u, p, s, gu, gs>{}, [=](T* v, T scale) {
      v[x] = fma(alpha, v[p], v[x]);
      v[u] = fma(-alpha, v[s], v[u]);
      v[p] = fma(beta, v[p], v[u]);
      v[s] = fma(beta, v[s], scale * fma(-alpha, v[as], v[au]));
      v[gu] = v[u];
      v[gs] = v[s];
    });
  }

  template <class Workspace>
  DWELL_FN static sums<set> sums_of(Workspace& st, const scalars& m) {
    const int shift = set * m.parity;
    if (m.jacobi) return st.total(sum_of<nu, set>{shift}, with_interrupt{m.parity});
    const sums<rr> now = st.total(sum_of<nu, rr>{shift}, with_interrupt{m.parity});
    return {{now.v[nu], now.v[mu], now.v[sigma], now.v[gamma], now.v[nu]}};
  }

  /// From (x, p), u = M (b - A x) and s = M A p; from p, s alone.
  template <class T, class Workspace>
  DWELL_FN static void renew(Workspace& st, scalars& m) {
    if (m.stage == has_p) {
      summed<T>(st, m, reads<u, p, as>{}, writes<s>{}, [](T* v, T scale) { v[s] = scale * v[as]; });
      m.stage = computed;
      return;
    }
    summed<T>(st, m, reads<p, au, as, b>{}, writes<u, s, gu, gs>{}, [](T* v, T scale) {
      v[u] = scale * (v[b] - v[au]);
      v[s] = scale * v[as];
      v[gu] = v[u];
      v[gs] = v[s];
    });
    m.stage = iterating;
  }

  /// p = M (b - A x), in two phases; what follows is a replacement's second half.
  template <class T, class Workspace>
  DWELL_FN static void start(Workspace& st, scalars& m) {
    if (m.stage == nothing) {
      st.each_owned(reads<x>{}, writes<gu, gs>{}, [](T* v) {
        v[gu] = v[x];
        v[gs] = T(0);
      });
      m.stage = has_x;
      return;
    }
    const auto begin = [](T* v, T scale) {
      v[p] = scale * (v[b] - v[au]);
      v[gu] = v[x];
      v[gs] = v[p];
    };
    if (m.jacobi)
      st.each_owned(reads<x, au, b, d>{}, writes<p, gu, gs>{}, [&](T* v) { begin(v, v[d]); });
    else
      st.each_owned(reads<x, au, b>{}, writes<p, gu, gs>{}, [&](T* v) { begin(v, T(1)); });
    m.stage = has_x_and_p;
  }

  /// A pass whose f(v, scale) gets the element of M (1 without a preconditioner), and the sums of
  /// the next iteration from what it leaves in u, p and s.
  template <class T, class Workspace, int... R, class Writes, class F>
  DWELL_FN static void summed(Workspace& st, const scalars& m, reads<R...> in, Writes out, F&& f) {
    const int shift = set * (m.parity ^ 1);
    if (m.jacobi)
      st.each_owned(reads<R..., d>{}, out, adds_to<nu, set>{shift}, [&](T* v, double* acc) {
        f(v, v[d]);
        const double scale = T(1) / v[d];
        add(v[u], v[p], v[s], scale, acc);
        const double ri = v[u] * scale;
        acc[rr] = std::fma(ri, ri, acc[rr]);
      });
    else
      st.each_owned(in, out, adds_to<nu, rr>{shift}, [&](T* v, double* acc) {
        f(v, T(1));
        add(v[u], v[p], v[s], 1.0, acc);
      });
  }
  DWELL_FN static void add(double ui, double pi, double si, double scale, double* acc) {
    const double ri = ui * scale, api = si * scale;
    acc[nu] = std::fma(ri, ui, acc[nu]);
    acc[mu] = std::fma(pi, api, acc[mu]);
    acc[sigma] = std::fma(ui, api, acc[sigma]);
    acc[gamma] = std::fma(si, api, acc[gamma]);
  }
  template <class T>
  DWELL_FN static T fma(T a, T b, T c) {
    return std::fma(a, b, c);
  }
};

}  // namespace dwell
