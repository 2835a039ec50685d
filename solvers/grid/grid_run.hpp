// SPDX-License-Identifier: MIT
// A solve: conjugate gradients or Richardson's iteration with a V-cycle, as phases that teams take
// together, between barriers. Sums are of planes, in the order of planes, so that no number depends
// on the number of teams. Every team computes what follows from the sums, and so all decide alike.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

#include "dwell/solvers/grid/team_phases.hpp"

namespace dwell::grids {

template <class T, class V>
class grid_run : method_run<T, V> {
  using base = method_run<T, V>;
  using base::after_iteration, base::each_plane, base::iterate, base::look_for_interrupt;
  using base::cells_, base::ghosts_of, base::norm_, base::out_, base::own_, base::plane_, base::v_;
  using base::product, base::total, base::total_of, base::h_, base::in_, base::interrupted_;

 public:
  grid_run(const run_input<T>& in, run_vectors<T>& v, hierarchy<V>& h, run_output& out)
      : base(in, v, h, out) {}

  /// Called by every team. ghosts: of levels that are divided among ranks, or null.
  void operator()(plane_team team, cycle_rows<V>& rows, level_ghosts<V>* ghosts = nullptr) {
    cycle<V> mg(h_, rows, ghosts);
    const double mean = in_.singular ? mean_of(team, in_.b) : 0;
    const double norm = std::sqrt(total_of(team, 0, [&](int k) { return norm2(in_.b, k, mean); }));
    const double target = std::max(in_.rtol * norm, in_.atol);
    if (team.worker == 0) norm_ = out_.rhs_norm = norm, out_.removed = mean * std::sqrt(cells_);
    int at = 0, attempts = 0;
    run_progress far;
    // A constant, which no equation sees, would take digits from the answer.
    if (in_.singular) without_mean(team, v_.x[0].data());
    double best = true_residual(team, v_.x[0].data(), mean);
    const double begin = best;
    stop_reason why = stop_reason::converged;
    bool missed = false;
    if (!std::isfinite(best)) why = stop_reason::not_finite;
    if (in_.method.full && why == stop_reason::converged && best > target)
      full_multigrid(team, mg, at, best, mean);
    if (team.worker == 0 && in_.history) out_.history.push_back(best);
    far.recursive = best;
    while (why == stop_reason::converged && best > target) {
      T *const x = v_.x[at].data(), *const d = v_.x[1 - at].data();
      // Below its last digit the residual of an iteration says nothing.
      const double least = best * double(std::numeric_limits<T>::epsilon());
      far.recursive = best;
      far.third = best * best, far.third_at = far.done;
      far.begin = best, far.begin_at = far.done;
      why = in_.method.fused() ? attempt(team, mg, d, best, std::max(target, least), far)
                               : iterate(team, mg, d, std::max(target, least), far);
      // The answer of the attempt, if it is better.
      each_plane(team, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) d[i] += x[i];
      });
      team.sync();
      if (in_.singular) without_mean(team, d);
      const double before = best, now = true_residual(team, d, mean);
      const bool better = now < best;
      if (better) at = 1 - at, best = now;
      ++attempts;
      if (far.slow || (why == stop_reason::breakdown && in_.slow_after && mg.visits_twice())) {
        if (team.worker == 0) out_.slow = best > target;
        break;
      }
      if (why == stop_reason::breakdown &&
          mg.visits_twice()) {  // two visits are not always definite
        mg.visit_once();
        if (team.worker == 0) out_.visits_once = true, out_.once_after = far.done;
        why = stop_reason::converged;
        continue;
      }
      if (why != stop_reason::converged || best <= target) break;
      if (!(best <= 0.5 * before)) {  // rounding allows no better
        why = stop_reason::accuracy_limit;
        missed = true;
      } else if (far.done >= in_.max_iterations) {
        why = stop_reason::iteration_limit;
      }
    }
    if (in_.singular && why != stop_reason::not_finite) without_mean(team, v_.x[at].data());
    if (team.worker == 0) {
      if (best <= target && why != stop_reason::not_finite) why = stop_reason::converged;
      out_.stopped = why;
      out_.iterations = far.done;
      out_.refinements = std::max(0, attempts - 1);
      out_.recursive = far.recursive;
      out_.residual = best;
      out_.begin = begin;
      out_.target_missed = missed;
      out_.stagnated = far.stagnated && why == stop_reason::iteration_limit;
      out_.answer = at;
    }
  }

 private:
  double mean_of(plane_team& team, const T* x) {
    return total_of(team, 0,
                    [&](int k) {
                      double sum = 0;
                      for (std::size_t i = 0; i < plane_; ++i)
                        sum += double(x[std::size_t(k) * plane_ + i]);
                      return sum;
                    }) /
           cells_;
  }
  /// Takes the mean away from x. Teams meet.
  void without_mean(plane_team& team, T* x) {
    const T mean = T(mean_of(team, x));
    each_plane(team, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) x[i] -= mean;
    });
    team.sync();
  }
  double norm2(const T* x, int k, double mean) const {
    double sum = 0;
    const T* const row = x + std::size_t(k) * plane_;
    if (mean == 0) return row_dot(row, row, int(plane_));
    for (std::size_t i = 0; i < plane_; ++i)
      sum += (double(row[i]) - mean) * (double(row[i]) - mean);
    return sum;
  }

  /// r = b - A x and its norm. Teams meet.
  double true_residual(plane_team& team, T* x, double mean) {
    ghosts_of(team, x);
    const int ny = in_.a->shape.n[1], nx = in_.a->shape.n[2];
    const T by = T(mean);
    return std::sqrt(total_of(team, 0, [&](int k) {
      double sum = 0;
      for (int j = 0; j < ny; ++j) {
        const std::size_t at = in_.a->row(k, j) * std::size_t(nx);
        T* const r = v_.r.data() + at;
        const T* const b = in_.b + at;
        product(x, k, j, [=](int c, T v) { r[c] = (b[c] - by) - v; });
        sum += row_dot(r, r, nx);
      }
      return sum;
    }));
  }

  /// x[at] becomes a start by full multigrid, if its residual is smaller; `best` is the norm of r.
  void full_multigrid(plane_team& team, cycle<V>& mg, int& at, double& best, double mean) {
    level<V>& fine = h_.levels[0];
    int e = 0;
    std::frexp(best, &e);
    const T down_by = T(std::ldexp(1.0, -e + 1)), up_by = T(std::ldexp(1.0, e - 1));
    each_plane(team, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) fine.f[i] = V(v_.r[i] * down_by);
    });
    team.sync();
    mg.full(team);
    T* const d = v_.x[1 - at].data();
    T* const x = v_.x[at].data();
    each_plane(team, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) d[i] = x[i] + up_by * T(fine.u[i]);
    });
    team.sync();
    const double now = true_residual(team, d, mean);
    if (now < best)
      at = 1 - at, best = now;
    else
      true_residual(team, x, mean);
  }

  /// A d = r, from d = 0; norm is that of r. Teams have met at the end.
  stop_reason attempt(plane_team& team, cycle<V>& mg, T* d, double norm, double target,
                      run_progress& now) {
    const int ny = in_.a->shape.n[1], nx = in_.a->shape.n[2];
    level<V>& fine = h_.levels[0];
    // f of the cycle is r, scaled to about 1 in each element of the norm.
    int e = 0;
    std::frexp(norm, &e);
    const T down_by = T(std::ldexp(1.0, -e + 1));
    const double up_by = std::ldexp(1.0, e - 1);
    T *const p = v_.p.data(), *const q = v_.q.data(), *const r = v_.r.data();
    const auto put_f = [&](int k) {
      V* const f = fine.f.data() + std::size_t(k) * plane_;
      const T* const of = r + std::size_t(k) * plane_;
      for (std::size_t i = 0; i < plane_; ++i) f[i] = V(of[i] * down_by);
    };
    each_plane(team,
               [&](std::size_t begin, std::size_t end) { std::fill(d + begin, d + end, T(0)); });
    double rz_before = 0;
    bool first = true;
    const bool alone = in_.method.method == grid_method::multigrid;
    const int down_stages = mg.only_bottom() ? 1 : mg.down_stages(fine);
    // f and the relaxation of the finest level; `update` is what makes r of a plane before.
    const auto begin_cycle = [&](auto&& update) {
      wavefront(
          team, own_, down_stages,
          [&](int s, int k) {
            if (s == 0) {
              update(k);
              put_f(k);
            }
            if (!mg.only_bottom()) mg.down(fine, s, k);
          },
          [&](int s) { mg.met_down(team, 0, s); });
      team.sync();
    };
    begin_cycle([](int) {});
    while (true) {
      mg.finish(team, [&](int k) {
        const std::size_t at = std::size_t(k) * plane_;
        v_.sums[1][std::size_t(k)] = row_dot(fine.f.data() + at, fine.u.data() + at, int(plane_));
      });
      team.sync();
      const double rz = total(team, 1);
      if (!std::isfinite(rz)) return stop_reason::not_finite;
      if (!(rz > 0)) return stop_reason::breakdown;
      const T beta = first || alone ? T(0) : T(rz / rz_before), scale = T(up_by);
      // p = z + beta p, q = A p, p.q
      wavefront(
          team, own_, 2,
          [&](int s, int k) {
            const std::size_t at = std::size_t(k) * plane_;
            if (s == 0) {
              const V* const z = fine.u.data() + at;
              T* const to = p + at;
              if (beta == T(0))
                for (std::size_t i = 0; i < plane_; ++i) to[i] = scale * T(z[i]);
              else
                for (std::size_t i = 0; i < plane_; ++i) to[i] = scale * T(z[i]) + beta * to[i];
              return;
            }
            double sum = 0;
            for (int j = 0; j < ny; ++j) {
              T* const to = q + in_.a->row(k, j) * std::size_t(nx);
              product(p, k, j, [=](int c, T v) { to[c] = v; });
              sum += row_dot(p + in_.a->row(k, j) * std::size_t(nx), to, nx);
            }
            v_.sums[2][std::size_t(k)] = sum;
          },
          [&](int) { ghosts_of(team, p); });
      look_for_interrupt(team);
      team.sync();
      const double pq = total(team, 2);
      if (interrupted_) return stop_reason::interrupted;
      if (!std::isfinite(pq)) return stop_reason::not_finite;
      if (!(pq > 0)) return stop_reason::breakdown;
      const T alpha = alone ? T(1) : T(rz * up_by * up_by / pq);
      rz_before = rz;
      first = false;
      // d += alpha p, r -= alpha q, r.r, and the next cycle's first stages
      begin_cycle([&](int k) {
        const std::size_t at = std::size_t(k) * plane_;
        T *const dk = d + at, *const rk = r + at;
        const T *const pk = p + at, *const qk = q + at;
        DWELL_INDEPENDENT
        for (std::size_t i = 0; i < plane_; ++i) {
          dk[i] += alpha * pk[i];
          rk[i] -= alpha * qk[i];
        }
        v_.sums[3][std::size_t(k)] = row_dot(rk, rk, int(plane_));
      });
      if (const auto why = after_iteration(team, total(team, 3), target, now)) return *why;
    }
  }
};

}  // namespace dwell::grids
