// SPDX-License-Identifier: MIT
// Iterations with the operator in place of a matrix, a phase after the other: conjugate gradients
// with any preconditioner, MINRES, Bi-CGSTAB, Chebyshev's and Jacobi's iterations. One text for
// teams of CPUs (team_phases.hpp) and of devices (device/method_phases.hpp). Conjugate gradients
// with multigrid, which most solves are, have their phases fused: grid_run.hpp, device/solve.hpp.
#pragma once
#include <cmath>

#include "dwell/base/finite.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/power_of_two.hpp"
#include "dwell/solvers/grid/grid_method.hpp"
#include "dwell/solvers/grid/lanczos_steps.hpp"

namespace dwell::grids {

/// Phases, which all teams take together:
///   each(get, put)          put(i, get(i)) for this team's elements; dot() and precondition() read
///                           those of the same team, multiply() those of others: sync() before it
///   dot(x, y)               x.y; teams meet
///   multiply(x, y)          y = A x; the result is x.y; teams meet
///   precondition(r, n, z)   z = M r, the norm of r being about n; teams meet
///   look_for_interrupt()    then, some time after teams have met, interrupted() says so
///   after_iteration(rr)     counts; a reason to end, or none
///   r(), p(), q(), d(), more(k)   vectors; residual(): ||r||; has_levels(): of multigrid
template <class T, class Phases>
class grid_iterations {
 public:
  DWELL_FN explicit grid_iterations(Phases& phases) : s_(phases), d_(phases.d()), r_(phases.r()) {}

  /// A d = r, from d = 0, to the number of a reason to end. Teams have met at the end.
  DWELL_FN int operator()(grid_method method) {
    T* const d = d_;
    s_.each([](auto) { return T(0); }, [=](auto i, T v) { d[i] = v; });
    switch (method) {
      case grid_method::minres:
        return minres();
      case grid_method::bicgstab:
        return bicgstab();
      case grid_method::chebyshev:
        return chebyshev();
      case grid_method::jacobi:
        return jacobi();
      case grid_method::cg:
      case grid_method::multigrid:
        break;
    }
    return conjugate_gradients(-1, nullptr);
  }

 private:
  using stops = device_stops;
  struct pair {
    T a, b;
  };
  struct triple {
    T a, b, c;
  };
  DWELL_FN static void trade(T*& a, T*& b) {
    T* const before = a;
    a = b;
    b = before;
  }
  DWELL_FN double squares_of(const T* x) { return s_.dot(x, x); }
  /// d += x, r -= y.
  DWELL_FN void correct(const T* x, const T* y) {
    T *const d = d_, *const r = r_;
    s_.each(
        [=](auto i) {
          return pair{d[i] + x[i], r[i] - y[i]};
        },
        [=](auto i, const pair& v) {
          d[i] = v.a;
          r[i] = v.b;
        });
  }

  /// steps: no more than so many, of which `found` gets the numbers; negative: to the end.
  DWELL_APART int conjugate_gradients(int steps, lanczos_steps* found) {
    T *const d = d_, *const r = r_, *const p = s_.p(), *const q = s_.q(), *const z = s_.more(0);
    double rz_before = 0;
    for (int step = 0; steps < 0 || step < steps; ++step) {
      s_.precondition(r, s_.residual(), z);
      const double rz = s_.dot(r, z);
      if (!is_finite(rz)) return stops::not_finite;
      if (!(rz > 0)) return stops::breakdown;
      const double ratio = step ? rz / rz_before : 0;
      const T beta = static_cast<T>(ratio);
      if (step == 0)
        s_.each([=](auto i) { return z[i]; }, [=](auto i, T v) { p[i] = v; });
      else
        s_.each([=](auto i) { return z[i] + beta * p[i]; }, [=](auto i, T v) { p[i] = v; });
      s_.look_for_interrupt();
      s_.sync();
      if (s_.interrupted()) return stops::interrupted;
      const double pq = s_.multiply(p, q);
      if (!is_finite(pq)) return stops::not_finite;
      if (!(pq > 0)) return stops::breakdown;
      const T alpha = static_cast<T>(rz / pq);
      s_.each(
          [=](auto i) {
            return pair{d[i] + alpha * p[i], r[i] - alpha * q[i]};
          },
          [=](auto i, const pair& v) {
            d[i] = v.a;
            r[i] = v.b;
          });
      rz_before = rz;
      if (found) found->add(rz / pq, ratio);
      if (const int why = s_.after_iteration(squares_of(r)); why != stops::none) return why;
    }
    return stops::none;
  }

  /// C. C. Paige, M. A. Saunders, Solution of sparse indefinite systems of linear equations, SIAM
  /// J. Numer. Anal. 12 (1975), with a preconditioner: H. Elman, D. Silvester, A. Wathen, Finite
  /// Elements and Fast Iterative Solvers, algorithm 4.1 (2014). r = s^2 r + c eta v / gamma.
  DWELL_APART int minres() {
    T *const d = d_, *const r = r_, *const q = s_.q();
    T *v = s_.more(0), *v_before = s_.more(1), *w = s_.more(2), *w_before = s_.more(3), *z = s_.p(),
      *z_next = s_.more(4);
    s_.each([=](auto i) { return r[i]; },
            [=](auto i, T of_r) {
              v[i] = of_r;
              v_before[i] = w[i] = w_before[i] = T(0);
            });
    s_.sync();
    s_.precondition(v, s_.residual(), z);
    double zv = s_.dot(z, v);
    if (!is_finite(zv)) return stops::not_finite;
    if (!(zv > 0)) return stops::breakdown;
    double gamma = sqrt(zv), gamma_before = 1, eta = gamma, s = 0, s_before = 0, c = 1,
           c_before = 1;
    while (true) {
      const T by = static_cast<T>(1 / gamma);
      s_.each([=](auto i) { return z[i] * by; }, [=](auto i, T of_z) { z[i] = of_z; });
      s_.look_for_interrupt();
      s_.sync();
      if (s_.interrupted()) return stops::interrupted;
      const double delta = s_.multiply(z, q);
      const T of_v = static_cast<T>(delta / gamma),
              of_before = static_cast<T>(gamma / gamma_before);
      s_.each([=](auto i) { return (q[i] - of_v * v[i]) - of_before * v_before[i]; },
              [=](auto i, T next) { v_before[i] = next; });
      trade(v, v_before);
      const double size = sqrt(squares_of(v));
      if (!is_finite(size)) return stops::not_finite;
      if (size > 0) {
        s_.precondition(v, size, z_next);
        zv = s_.dot(z_next, v);
        if (!is_finite(zv)) return stops::not_finite;
        if (zv < 0) return stops::breakdown;
      } else {
        zv = 0;
      }
      const double gamma_next = sqrt(zv);
      const double a0 = c * delta - c_before * s * gamma, a1 = hypot(a0, gamma_next),
                   a2 = s * delta + c_before * c * gamma, a3 = s_before * gamma;
      if (!(a1 > 0)) return stops::breakdown;
      c_before = c, s_before = s;
      c = a0 / a1, s = gamma_next / a1;
      const T by_a1 = static_cast<T>(1 / a1), of_w = static_cast<T>(a2),
              of_w_before = static_cast<T>(a3), along = static_cast<T>(c * eta);
      eta = -s * eta;
      const T keeps = static_cast<T>(s * s),
              adds = static_cast<T>(gamma_next > 0 ? c * eta / gamma_next : 0);
      s_.each(
          [=](auto i) {
            const T next = ((z[i] - of_w_before * w_before[i]) - of_w * w[i]) * by_a1;
            return triple{next, d[i] + along * next, keeps * r[i] + adds * v[i]};
          },
          [=](auto i, const triple& t) {
            w_before[i] = t.a;
            d[i] = t.b;
            r[i] = t.c;
          });
      trade(w, w_before);
      trade(z, z_next);
      gamma_before = gamma, gamma = gamma_next;
      if (const int why = s_.after_iteration(squares_of(r)); why != stops::none) return why;
      if (!(gamma > 0)) return stops::breakdown;
    }
  }

  /// H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992), preconditioned from the right.
  DWELL_APART int bicgstab() {
    T *const d = d_, *const r = r_, *const p = s_.p(), *const v = s_.q(),
             *const shadow = s_.more(0), *const y = s_.more(1), *const z = s_.more(2),
             *const t = s_.more(3);
    s_.each([=](auto i) { return r[i]; }, [=](auto i, T of_r) { shadow[i] = p[i] = of_r; });
    double rho = s_.residual() * s_.residual();
    while (true) {
      s_.precondition(p, s_.residual(), y);
      s_.multiply(y, v);
      const double along = s_.dot(shadow, v);
      if (!is_finite(along)) return stops::not_finite;
      if (along == 0) return stops::breakdown;
      const double ratio = rho / along;
      const T alpha = static_cast<T>(ratio);
      s_.each([=](auto i) { return r[i] - alpha * v[i]; }, [=](auto i, T of_r) { r[i] = of_r; });
      const double size = sqrt(squares_of(r));
      s_.look_for_interrupt();
      s_.precondition(r, size > 0 ? size : 1, z);
      if (s_.interrupted()) return stops::interrupted;
      s_.multiply(z, t);
      const double tt = squares_of(t), tr = s_.dot(t, r);
      if (!is_finite(tt)) return stops::not_finite;
      const double of_z = tt > 0 ? tr / tt : 0;
      const T omega = static_cast<T>(of_z);
      s_.each(
          [=](auto i) {
            return pair{d[i] + (alpha * y[i] + omega * z[i]), r[i] - omega * t[i]};
          },
          [=](auto i, const pair& of) {
            d[i] = of.a;
            r[i] = of.b;
          });
      if (const int why = s_.after_iteration(squares_of(r)); why != stops::none) return why;
      const double rho_next = s_.dot(shadow, r);
      if (rho_next == 0 || of_z == 0) return stops::breakdown;
      const T beta = static_cast<T>(rho_next / rho * (ratio / of_z));
      rho = rho_next;
      s_.each([=](auto i) { return r[i] + beta * (p[i] - omega * v[i]); },
              [=](auto i, T next) { p[i] = next; });
      s_.sync();
    }
  }

  /// Y. Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1 (2003), between bounds of
  /// the spectrum that some steps of conjugate gradients find; anew where the residual falls more
  /// slowly than they promise.
  DWELL_APART int chebyshev() {
    constexpr int look_every = 16;
    const int steps = s_.has_levels() ? 4 : lanczos_steps::most;  // narrow and wide spectra
    constexpr double beyond = 1.1;
    T *const r = r_, *const p = s_.p(), *const q = s_.q(), *const z = s_.more(0);
    while (true) {
      lanczos_steps found;
      if (const int why = conjugate_gradients(steps, &found); why != stops::none) return why;
      const lanczos_steps::bounds spectrum = found.extremes();
      const double low = spectrum.least / beyond, high = spectrum.most * beyond;
      if (!(low > 0) || !is_finite(high)) return stops::breakdown;
      const double theta = 0.5 * (high + low), delta = 0.5 * (high - low), sigma = theta / delta;
      const double root = sqrt(high / low), rate = (root - 1) / (root + 1);
      const double begin = s_.residual();
      double rho = 1 / sigma, promised = 1;
      for (int step = 0;; ++step) {
        s_.precondition(r, s_.residual(), z);
        const double rho_next = step ? 1 / (2 * sigma - rho) : rho;
        const T keeps = static_cast<T>(step ? rho_next * rho : 0),
                adds = static_cast<T>(step ? 2 * rho_next / delta : 1 / theta);
        rho = rho_next;
        if (step == 0)
          s_.each([=](auto i) { return adds * z[i]; }, [=](auto i, T v) { p[i] = v; });
        else
          s_.each([=](auto i) { return keeps * p[i] + adds * z[i]; },
                  [=](auto i, T v) { p[i] = v; });
        s_.look_for_interrupt();
        s_.sync();
        if (s_.interrupted()) return stops::interrupted;
        s_.multiply(p, q);
        correct(p, q);
        promised *= rate;
        if (const int why = s_.after_iteration(squares_of(r)); why != stops::none) return why;
        const double now = s_.residual();
        const bool grows = now > 1e3 * begin;
        if (grows || ((step + 1) % look_every == 0 && now > 20 * promised * begin)) break;
      }
    }
  }

  /// Damped: the eigenvalues of D^-1 A go up to 2, where grids are singular to 2 itself.
  DWELL_APART int jacobi() {
    constexpr T damping = T(0.95);
    T *const r = r_, *const q = s_.q(), *const z = s_.more(0);
    while (true) {
      s_.precondition(r, s_.residual(), z);
      s_.each([=](auto i) { return z[i] * damping; }, [=](auto i, T v) { z[i] = v; });
      s_.look_for_interrupt();
      s_.sync();
      if (s_.interrupted()) return stops::interrupted;
      s_.multiply(z, q);
      correct(z, q);
      if (const int why = s_.after_iteration(squares_of(r)); why != stops::none) return why;
    }
  }

  Phases& s_;
  T *const d_, *const r_;
};

}  // namespace dwell::grids
