// SPDX-License-Identifier: MIT
// Bi-CGSTAB for any square matrix (van der Vorst, SIAM J. Sci. Stat. Comput. 13, 1992), with an
// optional diagonal preconditioner from the right: four phases, four barriers. The direction needs
// beta before (r~, r) is summed: it is predicted from the sums of the step, (r~, s) - omega (r~,
// t), and the sum itself is taken in the same pass for the alpha of the step (as Chen and Carson do
// for CG, SISC 42, 2020). The update of x waits for the next direction, which loads all that it
// needs.
//
// Where (r~, r) or omega vanishes, the residual becomes the shadow vector and the direction, as at
// a start. The run breaks down where such a start has neither an alpha nor an omega, and where the
// residual has grown so much that half of its digits are lost: the error of the carried residual is
// rounding of the largest one (Sleijpen and van der Vorst, Computing 56, 1996). Step -1 computes
// the residual of the start vector. An iteration has two products.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/execution/program/program.hpp"
#include "dwell/solvers/linear/matrix_class.hpp"
#include "dwell/solvers/linear/outcome.hpp"

namespace dwell {

struct textbook_bicgstab : run_outcome {
  static constexpr const char* method = "bicgstab";
  static constexpr const char* title = "stabilised bi-conjugate gradients";
  static constexpr matrix_class solves = matrix_class::general;
  static constexpr const char* breaks_down =
      "no half of a step moves the residual, or it has grown so much that its digits are lost";
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
  enum : int { rr, wr, wu, ss, ws, ts, tt, wt, sum_count };
  static constexpr int phases = 4;
  static constexpr bool whole_rows = true;

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
    double rho = 0.0;  ///< (r~, r)
    double alpha = 0.0, omega = 0.0;
    double shadow = 0.0;  ///< ||r~||
    double first = 0.0;   ///< r.r of the start
  };

  /// Scalars as in the midst of a run, for counting what an iteration moves.
  static scalars in_midst(bool jacobi) {
    scalars m;
    m.step = 1;
    m.fixed = true;
    m.starting = false;
    m.max_steps = 3;
    m.jacobi = jacobi;
    return m;
  }

  template <int Phase, class T, class Store>
  DWELL_FN static void phase(Store& s, scalars& m) {
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
  template <class T, class Store>
  DWELL_FN static void direction(Store& st, scalars& m) {
    st.poll();
    if (m.step < 0) {
      st.each_owned(reads<x>{}, writes<y>{}, [](T* v) { v[y] = v[x]; });
      return;
    }
    double beta = 0.0;
    bool restart = m.starting;
    if (!m.starting) {
      const auto seen = st.template total<5>(ss);
      const double of_s = seen.v[0], with_s = seen.v[1], with_t = seen.v[4];
      m.omega = seen.v[3] > 0.0 ? seen.v[2] / seen.v[3] : 0.0;
      if (!m.fixed && m.fresh && m.alpha == 0.0 && m.omega == 0.0) {
        m.stop = breakdown;
        return;
      }
      const double predicted = with_s - m.omega * with_t;
      beta = m.rho != 0.0 && m.omega != 0.0 ? predicted / m.rho * (m.alpha / m.omega) : 0.0;
      // Of (r~, r) no digit is left; nor is one of beta.
      const bool nothing_left = m.alpha == 0.0 || m.omega == 0.0 || !finite(beta) ||
                                std::fabs(predicted) <= lost<T> * m.shadow * std::sqrt(of_s);
      restart = nothing_left && !m.fixed;
      ++m.step;
    }
    update<T>(st, m, restart ? 0.0 : beta, restart);
    m.starting = false;
    m.fresh = restart;
  }

  template <class T, class Store>
  DWELL_FN static void update(Store& st, const scalars& m, double beta_, bool restart) {
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
  template <class T, class Store>
  DWELL_FN static void first_product(Store& st, scalars& m) {
    st.template spmv<y, u>();
    if (m.step < 0) return;
    st.each_owned(reads<u, w>{}, writes<>{}, adds_to<wu>{},
                  [](T* v, double* acc) { add(v[w], v[u], acc[0]); });
  }

  /// Does the run end here? Else s = r - alpha u; at the start r = b - A x.
  template <class T, class Store>
  DWELL_FN static void half_step(Store& st, scalars& m) {
    if (m.step < 0) {
      st.each_owned(reads<r, u>{}, writes<r, p, u, t>{}, [](T* v) {
        v[r] -= v[u];
        v[p] = v[u] = v[t] = T(0);
      });
      return;
    }
    const auto now = st.template total<3, true>(rr);
    m.rr = now.v[0];
    m.rho = now.v[1];
    if (m.fresh) m.shadow = std::sqrt(m.rr);
    if (m.step == 0) m.first = m.rr;
    st.note(m.step, m.rr, {0.0, m.rr});
    m.stop = verdict<T>(m, st.interrupted());
    if (m.stop != running) return;
    const double with_u = now.v[2];
    m.alpha = m.rho / with_u;
    if (!finite(m.alpha)) m.alpha = 0.0;
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
  template <class T, class Store>
  DWELL_FN static void second_product(Store& st, scalars& m) {
    if (m.step < 0) {
      m.step = 0;
      return;
    }
    st.template spmv<y, t>();
    st.each_owned(reads<r, t, w>{}, writes<>{}, adds_to<ts, 3>{}, [](T* v, double* acc) {
      add(v[t], v[r], acc[0]);
      add(v[t], v[t], acc[1]);
      add(v[w], v[t], acc[2]);
    });
  }

  /// A sum that is so small beside its terms says nothing.
  template <class T>
  static constexpr double lost = sizeof(T) == 8 ? 0x1p-48 : 0x1p-20;
  /// The square of a growth of the residual that is too much: the root of 1 / epsilon.
  template <class T>
  static constexpr double growth2 = sizeof(T) == 8 ? 0x1p52 : 0x1p23;
  DWELL_FN static void add(double a, double b, double& sum) { sum = std::fma(a, b, sum); }
  template <class T>
  DWELL_FN static int verdict(const scalars& m, bool asked_to_stop) {
    if (!m.fixed) {
      if (!finite(m.rr) || !finite(m.rho)) return not_finite;
      if (m.rr <= m.target2) return converged;
      if (m.rr > growth2<T> * m.first) return breakdown;
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
