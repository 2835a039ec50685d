// SPDX-License-Identifier: MIT
// What iterations on a grid are made of: sums over planes in their order, products with the
// operator, a preconditioner, the test for the end. Teams take each phase together.
#pragma once
#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <optional>
#include <vector>

#include "dwell/execution/device/monitor.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/grid/cycle.hpp"
#include "dwell/solvers/grid/grid_methods.hpp"
#include "dwell/solvers/grid/ranks/solve_ranks.hpp"
#include "dwell/solvers/grid/slow_end.hpp"

namespace dwell::grids {

/// What a solve is given, in halved rows, scaled so that the largest elements are about 1.
template <class T>
struct run_input {
  const coefficients<T>* a;
  const T* b;
  bool singular = false;
  chosen_method method{};
  double rtol = 0, atol = 0;
  int max_iterations = 0;
  bool history = false;
  int slow_after = 0;       ///< iterations of an attempt after which a slow one ends; 0: never
  monitor* seen = nullptr;  ///< the host's words
  double* every = nullptr;  ///< the residual over that norm after each iteration, if asked for
  solve_ranks<T>* ranks = nullptr;  ///< among which the grid is divided; a, b have ghosts then
};
struct run_output {
  stop_reason stopped = stop_reason::converged;
  int iterations = 0, refinements = 0;
  double rhs_norm = 0, removed = 0, recursive = 0, residual = 0;
  double begin = 0;  ///< true residual of the start
  bool target_missed = false, stagnated = false;
  bool visits_once = false;  ///< small levels, which were to be visited twice
  int once_after = 0;        ///< iterations after which they were
  bool slow = false;         ///< ended since iterations are slow, or cycles not definite
  int answer = 0;            ///< which of x[0] and x[1]
  std::vector<double> history;
};

/// Vectors of a run. x[0] has the start.
template <class T>
struct run_vectors {
  std::vector<T> x[2], r, p, q, zeros;
  std::vector<std::vector<T>> more;  ///< for methods that need them
  std::vector<double> sums[4];       ///< per plane
  run_vectors(const grid_shape& g, int others)
      : x{std::vector<T>(g.cells()), std::vector<T>(g.cells())},
        r(g.cells()),
        p(g.cells()),
        q(g.cells()),
        zeros(std::size_t(g.n[2] + 1)),
        more(std::size_t(others), std::vector<T>(g.cells())) {
    for (auto& s : sums) s.resize(std::size_t(g.n[0]));
  }
};

/// How far a solve is. Each team has one, with equal contents.
struct run_progress {
  int done = 0;
  double recursive = 0;  ///< ||r||
  bool stagnated = false, slow = false;
  double begin = 0;  ///< ||r|| at the beginning of the attempt
  int begin_at = 0;
  double third = 0;  ///< r.r after two thirds of the iterations allowed, or at the beginning
  int third_at = 0;
};

template <class T, class V>
class grid_phases {
 protected:
  grid_phases(const run_input<T>& in, run_vectors<T>& v, hierarchy<V>& h, run_output& out)
      : in_(in),
        v_(v),
        h_(h),
        out_(out),
        own_(in.ranks ? in.ranks->own() : plane_range{0, in.a->shape.n[0]}),
        plane_(in.a->shape.plane()),
        cells_(double(in.ranks ? in.ranks->all_cells() : in.a->shape.cells())) {}

  template <class F>
  void each_plane(plane_team& team, F&& f) const {
    const auto [begin, end] = team.share(own_);
    f(std::size_t(begin) * plane_, std::size_t(end) * plane_);
  }
  /// f(i) for a team's own elements.
  template <class F>
  void each(plane_team& team, F&& f) const {
    each_plane(team, [&](std::size_t begin, std::size_t end) {
      DWELL_INDEPENDENT
      for (std::size_t i = begin; i < end; ++i) f(i);
    });
  }
  /// The sum of what teams have put for each plane before they met. Teams of ranks meet.
  double total(plane_team& team, int slot) {
    if (in_.ranks)
      team.alone([&] {
        in_.ranks->sums(v_.sums[slot], wants_end_);
        interrupted_ = in_.ranks->ended();
      });
    double sum = 0;
    for (const double part : in_.ranks ? in_.ranks->sums() : v_.sums[slot]) sum += part;
    return sum;
  }
  /// Planes of v next to this rank's own, if there are others. Teams have met, and meet.
  void ghosts_of(plane_team& team, T* v) {
    if (in_.ranks) team.alone([&] { in_.ranks->ghosts(v); });
  }
  /// The sum over planes of of_plane(k). Teams meet.
  template <class F>
  double total_of(plane_team& team, int slot, F&& of_plane) {
    const auto [begin, end] = team.share(own_);
    for (int k = begin; k < end; ++k) v_.sums[slot][std::size_t(k)] = of_plane(k);
    team.sync();
    const double sum = total(team, slot);
    team.sync();  // nobody puts a sum where another one is being read
    return sum;
  }
  /// x.y. Teams meet.
  double dot(plane_team& team, const T* x, const T* y) {
    return total_of(team, 0, [&](int k) {
      const std::size_t at = std::size_t(k) * plane_;
      return row_dot(x + at, y + at, int(plane_));
    });
  }

  /// put(cell of the row, (A u) of it) for a row, in halves.
  template <class Put>
  void product(const T* u, int k, int j, Put&& put) const {
    const int nx = in_.a->shape.n[2];
    const std::size_t at = in_.a->row(k, j) * std::size_t(nx);
    const T *const own = u + at, *const s = in_.a->s_cells(k, j);
    for (const bool odd : {false, true})
      half_row(
          *in_.a, u, v_.zeros.data(), k, j, odd, 0, odd ? nx / 2 : evens_of(nx),
          [=](T w, T other, int c) { return w * (own[c] - other); },
          [&](int c, T sum) { put(c, sum + s[c] * own[c]); });
  }
  /// q = A p; the result is p.q. Teams have met before, and meet.
  double multiply(plane_team& team, T* p, T* q) {
    ghosts_of(team, p);
    const int ny = in_.a->shape.n[1], nx = in_.a->shape.n[2];
    return total_of(team, 0, [&](int k) {
      double sum = 0;
      for (int j = 0; j < ny; ++j) {
        const std::size_t at = in_.a->row(k, j) * std::size_t(nx);
        T* const to = q + at;
        product(p, k, j, [=](int c, T v) { to[c] = v; });
        sum += row_dot(p + at, to, nx);
      }
      return sum;
    });
  }

  /// z = M r, by a cycle of multigrid, the inverse of the diagonal, or nothing. norm: about that of
  /// r, to which levels, of f32, are scaled. Teams meet.
  void precondition(plane_team& team, cycle<V>& mg, const T* r, double norm, T* z) {
    level<V>& fine = h_.levels[0];
    if (in_.method.preconditioner == grid_preconditioner::none) {
      each(team, [=](std::size_t i) { z[i] = r[i]; });
    } else if (in_.method.preconditioner == grid_preconditioner::jacobi) {
      const int ny = in_.a->shape.n[1], nx = in_.a->shape.n[2];
      const auto [begin, end] = team.share(own_);
      for (int k = begin; k < end; ++k)
        for (int j = 0; j < ny; ++j) {
          const V* const by = fine.inverse_of(k, j);
          const std::size_t at = in_.a->row(k, j) * std::size_t(nx);
          for (int i = 0; i < nx; ++i) z[at + std::size_t(i)] = T(by[i]) * r[at + std::size_t(i)];
        }
    } else {
      int e = 0;
      std::frexp(norm, &e);
      const T down_by = T(std::ldexp(1.0, -e + 1)), up_by = T(std::ldexp(1.0, e - 1));
      wavefront(
          team, own_, mg.only_bottom() ? 1 : mg.down_stages(fine),
          [&](int s, int k) {
            const std::size_t at = std::size_t(k) * plane_;
            if (s == 0)
              for (std::size_t i = at; i < at + plane_; ++i) fine.f[i] = V(r[i] * down_by);
            if (!mg.only_bottom()) mg.down(fine, s, k);
          },
          [&](int s) { mg.met_down(team, 0, s); });
      team.sync();
      mg.finish(team, [&](int k) {
        const std::size_t at = std::size_t(k) * plane_;
        for (std::size_t i = at; i < at + plane_; ++i) z[i] = up_by * T(fine.u[i]);
      });
    }
    team.sync();
  }

  /// Team 0 looks whether the host wants an end: known to all once they have met; ranks tell each
  /// other with the next sum, and end together.
  void look_for_interrupt(const plane_team& team) {
    if (team.worker != 0) return;
    wants_end_ = std::atomic_ref<int>(in_.seen->interrupt).load(std::memory_order_relaxed) != 0;
    if (!in_.ranks) interrupted_ = wants_end_;
  }

  /// An iteration is done, r.r is known: is that the end?
  std::optional<stop_reason> after_iteration(const plane_team& team, double rr, double target,
                                             run_progress& now) {
    ++now.done;
    now.recursive = std::sqrt(rr);
    if (team.worker == 0) {
      if (in_.history) out_.history.push_back(now.recursive);
      const double relative = norm_ > 0 ? now.recursive / norm_ : now.recursive;
      std::atomic_ref<double>(in_.seen->residual).store(relative);
      if (in_.every) std::atomic_ref<double>(in_.every[now.done]).store(relative);
      std::atomic_ref<int>(in_.seen->step).store(now.done, std::memory_order_release);
    }
    if (!std::isfinite(rr)) return stop_reason::not_finite;
    if (now.recursive <= target) return stop_reason::converged;
    if (now.done >= in_.max_iterations) {
      now.stagnated = rr > 0.25 * now.third && now.done - now.third_at > 2;
      return stop_reason::iteration_limit;
    }
    if (in_.slow_after && now.done - now.begin_at == in_.slow_after &&
        is_slow(now.begin, now.recursive, target)) {
      now.slow = true;
      return stop_reason::breakdown;
    }
    if (now.done == in_.max_iterations * 2 / 3) now.third = rr, now.third_at = now.done;
    return std::nullopt;
  }

  const run_input<T>& in_;
  run_vectors<T>& v_;
  hierarchy<V>& h_;
  run_output& out_;
  plane_range own_;  ///< planes that are computed here
  std::size_t plane_;
  double cells_;  ///< number of those of the whole grid
  bool wants_end_ = false, interrupted_ = false;
  double norm_ = 0;  ///< that the right-hand side has; team 0 knows it
};

}  // namespace dwell::grids
