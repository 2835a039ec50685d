// SPDX-License-Identifier: MIT
// Conjugate gradients for Hermitian positive definite matrices, with an optional diagonal
// preconditioner: Hestenes and Stiefel's iteration (textbook.hpp) with scalar products that are
// conjugate-linear in the first vector. All numbers that the iteration divides by are real: p^H A p
// is summed with its imaginary part, which is rounding where the matrix is Hermitian. Three phases,
// three barriers. Step -1 computes the residual of the start vector.
#pragma once
#include <cmath>

#include "dwell/base/complex_value.hpp"
#include "dwell/linear/program.hpp"
#include "dwell/solvers/cg/method.hpp"

namespace dwell {

struct complex_cg : cg_method {
  static constexpr const char* name = "cg-complex";
  static constexpr const char* variant = "textbook";
  /// d is the inverse of the diagonal (Jacobi), which is real; r holds b at the start.
  enum : int { x, r, p, q, d, vectors };
  static constexpr const char* vector_names[vectors] = {"x", "r", "p", "q", "d"};
  static constexpr int rhs = r;
  static constexpr int diagonal = d;
  static constexpr use uses[vectors] = {use::own, use::own, use::gather, use::own, use::own};
  using in_registers = vector_list<r, x>;
  using results = vector_list<x>;
  enum : int { pq, pq_imaginary, rr, rz, sum_count };
  static constexpr int phases = 3;
  static constexpr output outputs[phases] = {output::elements, output::sums, output::sums};
  static constexpr bool whole_rows = true;

  struct scalars {
    int step = -1;
    int stop = running;
    int max_steps = 0;
    bool jacobi = false;
    bool fixed = false;    ///< run max_steps, whatever happens
    double target2 = 0.0;  ///< converged when r.r <= target2
    double rr = 0.0;
    double rz = 0.0;
    double alpha = 0.0;
    double skew = 0.0;  ///< the largest |imaginary part| of p^H A p beside the real one
  };

  /// Scalars as in the midst of a run, for counting what an iteration moves.
  static scalars steady_state(bool jacobi) {
    scalars m;
    m.step = 1;
    m.fixed = true;
    m.max_steps = 3;
    m.jacobi = jacobi;
    return m;
  }

  template <int Phase, class T, class Workspace>
  DWELL_FN static void phase(Workspace& s, scalars& m) {
    if constexpr (Phase == 0) {
      direction<T>(s, m);
    } else if constexpr (Phase == 1) {
      s.multiply(reads<p>{}, writes<q>{});
      s.each_owned(reads<p, q>{}, writes<>{}, adds_to<pq, 2>{},
                   [](T* v, double* acc) { add_product(v[p], v[q], acc); });
    } else {
      residual<T>(s, m);
    }
  }

 private:
  /// x += alpha p for the step before; then p = z + beta p, unless the run ends here.
  template <class T, class Workspace>
  DWELL_FN static void direction(Workspace& s, scalars& m) {
    using part = part_type<T>;
    if (m.step < 0) {
      s.each_owned(reads<x>{}, writes<p>{}, [](T* v) { v[p] = v[x]; });
      return;
    }
    const double rz_before = m.rz;
    const auto now = s.total(sum_of<rr, 2>{}, with_interrupt{});
    m.rr = now.v[0];
    m.rz = m.jacobi ? now.v[1] : now.v[0];
    s.note(m.step, m.rr, {m.alpha, m.rz});
    m.stop = verdict(m, s.interrupted());
    const part alpha = static_cast<part>(m.alpha);
    if (m.stop != running) {
      s.each_owned(reads<x, p>{}, writes<x>{},
                   [=](T* v) { v[x] = multiply_add(alpha, v[p], v[x]); });
      return;
    }
    const part beta = static_cast<part>(m.step > 0 && rz_before > 0.0 ? m.rz / rz_before : 0.0);
    if (m.jacobi)
      s.each_owned(reads<x, r, p, d>{}, writes<x, p>{}, [=](T* v) {
        v[x] = multiply_add(alpha, v[p], v[x]);
        v[p] = multiply_add(beta, v[p], v[d].re * v[r]);
      });
    else
      s.each_owned(reads<x, r, p>{}, writes<x, p>{}, [=](T* v) {
        v[x] = multiply_add(alpha, v[p], v[x]);
        v[p] = multiply_add(beta, v[p], v[r]);
      });
  }

  /// r -= alpha q, and the sums r.r and r.z.
  template <class T, class Workspace>
  DWELL_FN static void residual(Workspace& s, scalars& m) {
    using part = part_type<T>;
    s.poll();
    m.alpha = 0.0;
    part alpha = part(1);  // the start: r = b - A x
    if (m.step >= 0) {
      const auto curvature = s.total(sum_of<pq, 2>{});
      const double real = curvature.v[0], imaginary = std::fabs(curvature.v[1]);
      if (!m.fixed) {
        if (!finite(real) || !finite(imaginary))
          m.stop = not_finite;
        else if (!(real > 0.0))
          m.stop = breakdown;
        if (m.stop != running) return;
      }
      if (real > 0.0) m.skew = std::fmax(m.skew, imaginary / real);
      m.alpha = real > 0.0 ? m.rz / real : 0.0;
      alpha = static_cast<part>(m.alpha);
    }
    ++m.step;
    if (m.jacobi)
      s.each_owned(reads<r, q, d>{}, writes<r>{}, adds_to<rr, 2>{}, [=](T* v, double* acc) {
        v[r] = multiply_add(-alpha, v[q], v[r]);
        double square = 0.0;
        add_square(v[r], square);
        acc[0] += square;
        acc[1] = std::fma(static_cast<double>(v[d].re), square, acc[1]);
      });
    else
      s.each_owned(reads<r, q>{}, writes<r>{}, adds_to<rr>{}, [=](T* v, double* acc) {
        v[r] = multiply_add(-alpha, v[q], v[r]);
        add_square(v[r], acc[0]);
      });
  }

  DWELL_FN static int verdict(const scalars& m, bool asked_to_stop) {
    if (!m.fixed) {
      if (!finite(m.rr) || !finite(m.rz)) return not_finite;
      if (m.rr <= m.target2) return converged;
    }
    if (m.step >= m.max_steps) return iteration_limit;
    if (asked_to_stop) return interrupted;
    return running;
  }
  DWELL_FN static bool finite(double v) { return v - v == 0.0; }
};

}  // namespace dwell
