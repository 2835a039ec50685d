// SPDX-License-Identifier: MIT
// Iterations with the operator in place of a matrix, a phase after the other: conjugate gradients
// with any preconditioner, MINRES, Bi-CGSTAB, Chebyshev's and Jacobi's iterations. (Conjugate
// gradients with multigrid, which most solves are, have their phases fused: grid_run.hpp.)
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "dwell/solvers/grid/phases.hpp"

namespace dwell::grids {

/// The tridiagonal matrix that conjugate gradients find: alpha and beta of each step.
struct lanczos_steps {
  std::vector<double> alpha, beta;

  /// Its least and largest eigenvalue, by bisection.
  std::pair<double, double> extremes() const {
    const std::size_t n = alpha.size();
    std::vector<double> diagonal(n), beside(n);  // beside[i]: of rows i - 1 and i, squared
    double most = 0;
    for (std::size_t i = 0; i < n; ++i) {
      diagonal[i] = 1 / alpha[i] + (i ? beta[i] / alpha[i - 1] : 0);
      beside[i] = i ? beta[i] / (alpha[i - 1] * alpha[i - 1]) : 0;
    }
    for (std::size_t i = 0; i < n; ++i)
      most = std::max(
          most, diagonal[i] + std::sqrt(beside[i]) + (i + 1 < n ? std::sqrt(beside[i + 1]) : 0));
    // So many are less than x: signs of the pivots of T - x I.
    const auto less = [&](double x) {
      std::size_t count = 0;
      double pivot = 1;
      for (std::size_t i = 0; i < n; ++i) {
        pivot = diagonal[i] - x - (i ? beside[i] / pivot : 0);
        if (pivot == 0) pivot = -1e-300;
        count += pivot < 0;
      }
      return count;
    };
    const auto eigenvalue = [&](std::size_t k) {
      double low = 0, high = most;
      for (int step = 0; step < 60; ++step) {
        const double middle = 0.5 * (low + high);
        (less(middle) > k ? high : low) = middle;
      }
      return high;
    };
    return {eigenvalue(0), eigenvalue(n - 1)};
  }
};

template <class T, class V>
class grid_iterations : protected grid_phases<T, V> {
 protected:
  using base = grid_phases<T, V>;
  using base::after_iteration, base::look_for_interrupt, base::in_, base::v_, base::interrupted_;
  using base::base, base::each, base::each_plane, base::dot, base::multiply, base::precondition;

  /// A d = r, from d = 0. Teams have met at the end.
  stop_reason iterate(plane_team& team, cycle<V>& mg, T* d, double target, run_progress& now) {
    each(team, [=](std::size_t i) { d[i] = 0; });
    switch (in_.method.method) {
      case grid_method::minres:
        return minres(team, mg, d, target, now);
      case grid_method::bicgstab:
        return bicgstab(team, mg, d, target, now);
      case grid_method::chebyshev:
        return chebyshev(team, mg, d, target, now);
      case grid_method::jacobi:
        return jacobi(team, mg, d, target, now);
      case grid_method::cg:
      case grid_method::multigrid:
        break;
    }
    return *conjugate_gradients(team, mg, d, target, now, -1, nullptr);
  }

 private:
  /// steps: no more than so many, of which `found` gets the numbers; negative: to the end.
  std::optional<stop_reason> conjugate_gradients(plane_team& team, cycle<V>& mg, T* d,
                                                 double target, run_progress& now, int steps,
                                                 lanczos_steps* found) {
    T *const r = v_.r.data(), *const p = v_.p.data(), *const q = v_.q.data(),
             *const z = v_.more[0].data();
    double rz_before = 0;
    for (int step = 0; steps < 0 || step < steps; ++step) {
      precondition(team, mg, r, now.recursive, z);
      const double rz = dot(team, r, z);
      if (!std::isfinite(rz)) return stop_reason::not_finite;
      if (!(rz > 0)) return stop_reason::breakdown;
      const double ratio = step ? rz / rz_before : 0;
      const T beta = T(ratio);
      if (step == 0)
        each(team, [=](std::size_t i) { p[i] = z[i]; });
      else
        each(team, [=](std::size_t i) { p[i] = z[i] + beta * p[i]; });
      look_for_interrupt(team);
      team.sync();
      if (interrupted_) return stop_reason::interrupted;
      const double pq = multiply(team, p, q);
      if (!std::isfinite(pq)) return stop_reason::not_finite;
      if (!(pq > 0)) return stop_reason::breakdown;
      const T alpha = T(rz / pq);
      each(team, [=](std::size_t i) {
        d[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      });
      rz_before = rz;
      if (found) found->alpha.push_back(rz / pq), found->beta.push_back(ratio);
      if (const auto why = after_iteration(team, dot(team, r, r), target, now)) return why;
    }
    return std::nullopt;
  }

  /// C. C. Paige, M. A. Saunders, Solution of sparse indefinite systems of linear equations, SIAM
  /// J. Numer. Anal. 12 (1975), with a preconditioner: H. Elman, D. Silvester, A. Wathen, Finite
  /// Elements and Fast Iterative Solvers, algorithm 4.1 (2014). r = s^2 r + c eta v / gamma.
  stop_reason minres(plane_team& team, cycle<V>& mg, T* d, double target, run_progress& now) {
    T *const r = v_.r.data(), *const q = v_.q.data();
    T *v = v_.more[0].data(), *v_before = v_.more[1].data(), *w = v_.more[2].data(),
      *w_before = v_.more[3].data(), *z = v_.p.data(), *z_next = v_.more[4].data();
    each(team, [=](std::size_t i) {
      v[i] = r[i];
      v_before[i] = w[i] = w_before[i] = 0;
    });
    team.sync();
    precondition(team, mg, v, now.recursive, z);
    double zv = dot(team, z, v);
    if (!std::isfinite(zv)) return stop_reason::not_finite;
    if (!(zv > 0)) return stop_reason::breakdown;
    double gamma = std::sqrt(zv), gamma_before = 1, eta = gamma, s = 0, s_before = 0, c = 1,
           c_before = 1;
    while (true) {
      const T by = T(1 / gamma);
      each(team, [=](std::size_t i) { z[i] *= by; });
      look_for_interrupt(team);
      team.sync();
      if (interrupted_) return stop_reason::interrupted;
      const double delta = multiply(team, z, q);
      const T of_v = T(delta / gamma), of_before = T(gamma / gamma_before);
      each(team,
           [=](std::size_t i) { v_before[i] = (q[i] - of_v * v[i]) - of_before * v_before[i]; });
      std::swap(v, v_before);
      const double size = std::sqrt(dot(team, v, v));
      if (!std::isfinite(size)) return stop_reason::not_finite;
      if (size > 0) {
        precondition(team, mg, v, size, z_next);
        zv = dot(team, z_next, v);
        if (!std::isfinite(zv)) return stop_reason::not_finite;
        if (zv < 0) return stop_reason::breakdown;
      } else {
        zv = 0;
      }
      const double gamma_next = std::sqrt(zv);
      const double a0 = c * delta - c_before * s * gamma, a1 = std::hypot(a0, gamma_next),
                   a2 = s * delta + c_before * c * gamma, a3 = s_before * gamma;
      if (!(a1 > 0)) return stop_reason::breakdown;
      c_before = c, s_before = s;
      c = a0 / a1, s = gamma_next / a1;
      const T by_a1 = T(1 / a1), of_w = T(a2), of_w_before = T(a3), along = T(c * eta);
      eta = -s * eta;
      const T keeps = T(s * s), adds = T(gamma_next > 0 ? c * eta / gamma_next : 0);
      each(team, [=](std::size_t i) {
        w_before[i] = ((z[i] - of_w_before * w_before[i]) - of_w * w[i]) * by_a1;
        d[i] += along * w_before[i];
        r[i] = keeps * r[i] + adds * v[i];
      });
      std::swap(w, w_before);
      std::swap(z, z_next);
      gamma_before = gamma, gamma = gamma_next;
      if (const auto why = after_iteration(team, dot(team, r, r), target, now)) return *why;
      if (!(gamma > 0)) return stop_reason::breakdown;
    }
  }

  /// H. A. van der Vorst, SIAM J. Sci. Stat. Comput. 13 (1992), preconditioned from the right.
  stop_reason bicgstab(plane_team& team, cycle<V>& mg, T* d, double target, run_progress& now) {
    T *const r = v_.r.data(), *const p = v_.p.data(), *const v = v_.q.data(),
             *const shadow = v_.more[0].data(), *const y = v_.more[1].data(),
             *const z = v_.more[2].data(), *const t = v_.more[3].data();
    each(team, [=](std::size_t i) { shadow[i] = p[i] = r[i]; });
    double rho = now.recursive * now.recursive;
    while (true) {
      precondition(team, mg, p, now.recursive, y);
      multiply(team, y, v);
      const double along = dot(team, shadow, v);
      if (!std::isfinite(along)) return stop_reason::not_finite;
      if (along == 0) return stop_reason::breakdown;
      const double ratio = rho / along;
      const T alpha = T(ratio);
      each(team, [=](std::size_t i) { r[i] -= alpha * v[i]; });
      const double size = std::sqrt(dot(team, r, r));
      look_for_interrupt(team);
      precondition(team, mg, r, size > 0 ? size : 1, z);
      if (interrupted_) return stop_reason::interrupted;
      multiply(team, z, t);
      const double tt = dot(team, t, t), tr = dot(team, t, r);
      if (!std::isfinite(tt)) return stop_reason::not_finite;
      const double of_z = tt > 0 ? tr / tt : 0;
      const T omega = T(of_z);
      each(team, [=](std::size_t i) {
        d[i] += alpha * y[i] + omega * z[i];
        r[i] -= omega * t[i];
      });
      if (const auto why = after_iteration(team, dot(team, r, r), target, now)) return *why;
      const double rho_next = dot(team, shadow, r);
      if (rho_next == 0 || of_z == 0) return stop_reason::breakdown;
      const T beta = T(rho_next / rho * (ratio / of_z));
      rho = rho_next;
      each(team, [=](std::size_t i) { p[i] = r[i] + beta * (p[i] - omega * v[i]); });
      team.sync();
    }
  }

  /// Y. Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1 (2003), between bounds of
  /// the spectrum that some steps of conjugate gradients find; anew where the residual falls more
  /// slowly than they promise.
  stop_reason chebyshev(plane_team& team, cycle<V>& mg, T* d, double target, run_progress& now) {
    constexpr int look_every = 16;
    const int steps = in_.method.has_levels() ? 4 : 20;  // narrow and wide spectra
    constexpr double beyond = 1.1;
    T *const r = v_.r.data(), *const p = v_.p.data(), *const q = v_.q.data(),
             *const z = v_.more[0].data();
    while (true) {
      lanczos_steps found;
      if (const auto why = conjugate_gradients(team, mg, d, target, now, steps, &found))
        return *why;
      const auto [least, most] = found.extremes();
      const double low = least / beyond, high = most * beyond;
      if (!(low > 0) || !std::isfinite(high)) return stop_reason::breakdown;
      const double theta = 0.5 * (high + low), delta = 0.5 * (high - low), sigma = theta / delta;
      const double root = std::sqrt(high / low), rate = (root - 1) / (root + 1);
      const double begin = now.recursive;
      double rho = 1 / sigma, promised = 1;
      for (int step = 0;; ++step) {
        precondition(team, mg, r, now.recursive, z);
        const double rho_next = step ? 1 / (2 * sigma - rho) : rho;
        const T keeps = T(step ? rho_next * rho : 0),
                adds = T(step ? 2 * rho_next / delta : 1 / theta);
        rho = rho_next;
        if (step == 0)
          each(team, [=](std::size_t i) { p[i] = adds * z[i]; });
        else
          each(team, [=](std::size_t i) { p[i] = keeps * p[i] + adds * z[i]; });
        look_for_interrupt(team);
        team.sync();
        if (interrupted_) return stop_reason::interrupted;
        multiply(team, p, q);
        each(team, [=](std::size_t i) {
          d[i] += p[i];
          r[i] -= q[i];
        });
        promised *= rate;
        if (const auto why = after_iteration(team, dot(team, r, r), target, now)) return *why;
        const bool grows = now.recursive > 1e3 * begin;
        if (grows || ((step + 1) % look_every == 0 && now.recursive > 20 * promised * begin)) break;
      }
    }
  }

  /// Damped: the eigenvalues of D^-1 A go up to 2, where grids are singular to 2 itself.
  stop_reason jacobi(plane_team& team, cycle<V>& mg, T* d, double target, run_progress& now) {
    constexpr T damping = T(0.95);
    T *const r = v_.r.data(), *const q = v_.q.data(), *const z = v_.more[0].data();
    while (true) {
      precondition(team, mg, r, now.recursive, z);
      each(team, [=](std::size_t i) { z[i] *= damping; });
      look_for_interrupt(team);
      team.sync();
      if (interrupted_) return stop_reason::interrupted;
      multiply(team, z, q);
      each(team, [=](std::size_t i) {
        d[i] += z[i];
        r[i] -= q[i];
      });
      if (const auto why = after_iteration(team, dot(team, r, r), target, now)) return *why;
    }
  }
};

}  // namespace dwell::grids
