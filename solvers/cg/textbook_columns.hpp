// SPDX-License-Identifier: MIT
// Conjugate gradients as Hestenes and Stiefel wrote them (J. Res. NBS 49, 1952, eq. 3:1; see
// textbook.hpp) for several right-hand sides of one matrix, its columns: each has its own numbers
// and goes its own way, only the matrix is read for all together. Per iteration, with n rows, z
// nonzeros, K columns and S bytes per number, the floor is (S + 4) z + 4 n bytes for the matrix,
// once, and 12 K S n for the vectors (x: 2, r: 3, p: 4, q: 3 loads and stores per element), with
// Jacobi 2 S n more for its one diagonal. So four columns cost twice what one does where the matrix
// is two thirds of one column's bytes.
//
// A column that has ended is frozen: its x, r and p are chosen as they were, not multiplied by 0,
// so that no NaN or infinity of later steps reaches them. The run ends with the last column.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/execution/krylov/program_args.hpp"
#include "dwell/solvers/cg/method.hpp"

namespace dwell {

template <int Columns>
struct textbook_columns : cg_method {
  static_assert(Columns == 2 || Columns == 4 || Columns == 8);
  static constexpr const char* name = Columns == 2   ? "cg-2-columns"
                                      : Columns == 4 ? "cg-4-columns"
                                                     : "cg-8-columns";
  static constexpr const char* variant = "textbook";
  static constexpr int columns = Columns;
  static constexpr bool whole_rows = true;  ///< a column's part of an open row has no slot
  /// Vectors of textbook_cg.
  enum : int { x, r, p, q, d, vectors };
  static constexpr const char* vector_names[vectors] = {"x", "r", "p", "q", "d"};
  static constexpr int rhs = r;
  static constexpr use uses[vectors] = {use::own, use::own, use::gather, use::own, use::own};
  /// Read once per row, for all columns: a copy of it for each would be K S n bytes more per pass.
  using singles = vector_list<d>;
  using in_registers = vector_list<r, x>;
  using results = vector_list<x>;
  enum : int { pq, rr, rz, sum_count };
  static constexpr int phases = 3;
  static constexpr output outputs[phases] = {output::elements, output::sums, output::sums};

  struct column {
    double target2 = 0.0;  ///< converged when r.r <= target2
    double rr = 0.0;
    double rz = 0.0;
    double alpha = 0.0;
    int step = -1;
    int stop = running;
  };
  /// `stop` is not running once all columns have ended.
  struct scalars {
    int step = -1;
    int stop = running;
    int max_steps = 0;
    bool jacobi = false;
    bool fixed = false;  ///< run max_steps, whatever happens
  };

  /// Scalars as in the midst of a run, for counting what an iteration moves.
  static scalars steady_state(bool jacobi) { return {1, running, 3, jacobi, true}; }

  template <int Phase, class T, class Workspace>
  DWELL_FN static void phase(Workspace& s, scalars& m) {
    if constexpr (Phase == 0) {
      direction<T>(s, m);
    } else if constexpr (Phase == 1) {
      s.multiply(reads<p>{}, writes<q>{});
      s.each_owned(reads<p, q>{}, writes<>{}, adds_to<pq>{}, [](int, T* v, double* acc) {
        acc[0] = fma(static_cast<double>(v[p]), static_cast<double>(v[q]), acc[0]);
      });
    } else {
      residual<T>(s, m);
    }
  }

 private:
  /// What a step does to the vectors of a column.
  template <class T>
  struct move {
    T alpha, beta;
    bool first, second;  ///< does it change x, r of the column; p?
  };

  /// x += alpha p for the step before; then p = z + beta p, unless the column ends here.
  template <class T, class Workspace>
  DWELL_FN static void direction(Workspace& s, scalars& m) {
    if (m.step < 0) {
      s.each_owned(reads<x>{}, writes<p>{}, [](int, T* v) { v[p] = v[x]; });
      return;
    }
    if (m.jacobi)
      turn<T>(s, m, s.total(sum_of<rr, 2>{}, with_interrupt{}),
              [](const sums<2>& now) { return now.v[1]; });
    else
      turn<T>(s, m, s.total(sum_of<rr>{}, with_interrupt{}),
              [](const sums<1>& now) { return now.v[0]; });
  }
  /// rz(now[lane]) is the column's r.z.
  template <class T, class Workspace, class Sums, class Rz>
  DWELL_FN static void turn(Workspace& s, scalars& m, Sums now, Rz&& rz) {
    auto by = s.template per_column<move<T>>();
    s.record(
        m.step, [&](int lane) { return s.column_of(lane).stop == running; },
        [&](int lane) {
          return step_coefficients{s.column_of(lane).alpha, rz(now[lane])};
        });
    const bool asked_to_stop = s.interrupted();
    s.each_column([&](int lane) {
      column& c = s.column_of(lane);
      move<T>& then = by[lane];
      then = {T(0), T(0), c.stop == running, false};
      if (!then.first) return;
      const double rz_before = c.rz;
      c.rr = now[lane].v[0];
      c.rz = rz(now[lane]);
      c.step = m.step;
      c.stop = verdict(m, c, asked_to_stop);
      then.alpha = static_cast<T>(c.alpha);
      then.second = c.stop == running;
      then.beta = static_cast<T>(m.step > 0 && rz_before > 0.0 ? c.rz / rz_before : 0.0);
    });
    const bool over = s.every_column([&](int lane) { return s.column_of(lane).stop != running; });
    auto alpha = s.template per_lane<T>(), beta = s.template per_lane<T>();
    auto first = s.template per_lane<bool>(), second = s.template per_lane<bool>();
    s.each_lane([&](int lane) {
      const move<T>& then = by[lane];
      alpha[lane] = then.alpha;
      beta[lane] = then.beta;
      first[lane] = then.first;
      second[lane] = then.second;
    });
    if (over) {
      m.stop = converged;
      s.each_owned(reads<x, p>{}, writes<x>{}, [&](int lane, T* v) {
        v[x] = first[lane] ? fma(alpha[lane], v[p], v[x]) : v[x];
      });
    } else if (m.jacobi) {
      s.each_owned(reads<x, r, p, d>{}, writes<x, p>{}, [&](int lane, T* v) {
        v[x] = first[lane] ? fma(alpha[lane], v[p], v[x]) : v[x];
        v[p] = second[lane] ? fma(beta[lane], v[p], v[d] * v[r]) : v[p];
      });
    } else {
      s.each_owned(reads<x, r, p>{}, writes<x, p>{}, [&](int lane, T* v) {
        v[x] = first[lane] ? fma(alpha[lane], v[p], v[x]) : v[x];
        v[p] = second[lane] ? fma(beta[lane], v[p], v[r]) : v[p];
      });
    }
  }

  /// r -= alpha q, and the sums r.r and r.z.
  template <class T, class Workspace>
  DWELL_FN static void residual(Workspace& s, scalars& m) {
    s.poll();
    auto by = s.template per_column<move<T>>();
    if (m.step >= 0) {
      auto now = s.total(sum_of<pq>{});
      s.each_column([&](int lane) {
        column& c = s.column_of(lane);
        if (c.stop == running) step_along(m, c, now[lane].v[0]);
        by[lane] = {static_cast<T>(c.alpha), T(0), c.stop == running, false};
      });
      if (s.every_column([&](int lane) { return s.column_of(lane).stop != running; })) {
        m.stop = converged;
        return;
      }
    } else {
      s.each_column([&](int lane) { by[lane] = {T(1), T(0), true, false}; });  // r = b - A x
    }
    ++m.step;
    auto alpha = s.template per_lane<T>();
    auto moves = s.template per_lane<bool>();
    s.each_lane([&](int lane) {
      alpha[lane] = by[lane].alpha;
      moves[lane] = by[lane].first;
    });
    if (m.jacobi)
      s.each_owned(reads<r, q, d>{}, writes<r>{}, adds_to<rr, 2>{},
                   [&](int lane, T* v, double* acc) {
                     v[r] = moves[lane] ? fma(-alpha[lane], v[q], v[r]) : v[r];
                     const double now = v[r];
                     acc[0] = fma(now, now, acc[0]);
                     acc[1] = fma(now, static_cast<double>(v[d] * v[r]), acc[1]);
                   });
    else
      s.each_owned(reads<r, q>{}, writes<r>{}, adds_to<rr>{}, [&](int lane, T* v, double* acc) {
        v[r] = moves[lane] ? fma(-alpha[lane], v[q], v[r]) : v[r];
        const double now = v[r];
        acc[0] = fma(now, now, acc[0]);
      });
  }

  /// The length of a step, or why there is none.
  DWELL_FN static void step_along(const scalars& m, column& c, double curvature) {
    if (!m.fixed) {
      if (!finite(curvature))
        c.stop = not_finite;
      else if (!(curvature > 0.0))
        c.stop = breakdown;
      if (c.stop != running) return;
    }
    c.alpha = curvature > 0.0 ? c.rz / curvature : 0.0;
  }
  DWELL_FN static int verdict(const scalars& m, const column& c, bool asked_to_stop) {
    if (!m.fixed) {
      if (!finite(c.rr) || !finite(c.rz)) return not_finite;
      if (c.rr <= c.target2) return converged;
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

using textbook_columns_2 = textbook_columns<2>;
using textbook_columns_4 = textbook_columns<4>;
using textbook_columns_8 = textbook_columns<8>;

}  // namespace dwell
