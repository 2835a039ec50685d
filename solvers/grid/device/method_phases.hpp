// SPDX-License-Identifier: MIT
// What iterations on a device are made of: progress, and the phases of methods (iterations.hpp) as
// teams of a device take them.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/device/sums.hpp"
#include "dwell/solvers/grid/device/callers_arrays.hpp"
#include "dwell/solvers/grid/device/pair_columns.hpp"
#include "dwell/solvers/grid/device/phases.hpp"
#include "dwell/solvers/grid/grid_method.hpp"
#include "dwell/solvers/grid/iterations.hpp"
#include "dwell/solvers/grid/slow_end.hpp"

namespace dwell::grids {

/// Flat, Kind: see device_phases.
template <class T, class Team, bool Flat, level_kind Kind>
class method_phases : protected callers_arrays<T, Team> {
 public:
  template <class Get, class Put>
  DWELL_FN void each(Get&& get, Put&& put) {
    finest_loops<T, Team>::each(get, put);
  }
  DWELL_FN void sync() { t_.sync_grid(); }
  DWELL_APART double dot(const T* x, const T* y) {
    in_memory(x, y);
    return this
        ->template reduced<1>([&](auto& mine) {
          const int nx = a_.a.n[2];
          over_rows<4, false>(t_, false, a_.a.deal, a_.a.rows(), [&](int lane, int row) {
            const long long at = static_cast<long long>(row) * nx;
            return job(
                nx,
                [=](int i) {
                  return both{x[at + i], y[at + i]};
                },
                [=, &mine](int, const both& v) {
                  mine[lane].v[0] += static_cast<double>(v.x) * static_cast<double>(v.y);
                });
          });
        })
        .v[0];
  }
  /// With this sum goes whether the host wants an end.
  DWELL_APART double multiply(const T* x, T* y) {
    const int evens = a_.a.evens(), odds = a_.a.odds();
    in_memory(y);
    const sums<2> heard = this->template reduced<2>([&](auto& mine) {
      over_pairs<Flat>(t_, a_.a, cells_of<T>{x}, [&](int lane, int i, long long at, const auto& v) {
        y[at + i] = v.a_even;
        double sum = static_cast<double>(v.even) * static_cast<double>(v.a_even);
        if (i < odds) {
          y[at + evens + i] = v.a_odd;
          sum += static_cast<double>(v.odd) * static_cast<double>(v.a_odd);
        }
        mine[lane].v[0] += sum;
      });
      add_wish(mine);
    });
    interrupted_ = heard.v[1] > 0;
    return heard.v[0];
  }
  /// A cycle of multigrid, the inverse of the diagonal, or nothing. Levels, of f32, are scaled to
  /// about 1 by `norm`.
  DWELL_APART void precondition(const T* x, double norm, T* z) {
    in_memory(x, z);
    if constexpr (Kind != level_kind::none) {
      by_cycle(x, norm, z);
    } else if (a_.preconditioner == grid_preconditioner::jacobi) {
      const int nx = a_.a.n[2];
      over_rows<4, false>(t_, false, a_.a.deal, a_.a.rows(), [&](int, int row) {
        const long long at = static_cast<long long>(row) * nx;
        const float* const by = fine_.inverse + fine_.inverse_at[row];
        in_memory(by);
        return job(
            nx, [=](int i) { return static_cast<T>(by[i]) * x[at + i]; },
            [=](int i, T v) { z[at + i] = v; });
      });
    } else {
      each([=](long long i) { return x[i]; }, [=](long long i, T v) { z[i] = v; });
    }
    t_.sync_grid();
  }
  /// The host's word goes with the sum of multiply().
  DWELL_FN void look_for_interrupt() const {}
  DWELL_FN bool interrupted() const { return interrupted_; }
  /// An iteration is done, r.r is known: is that the end?
  DWELL_FN int after_iteration(double rr) {
    ++done_;
    recursive_ = sqrt(rr);
    tell(recursive_);
    if (!is_finite(rr)) return device_stops::not_finite;
    if (recursive_ <= target_) return device_stops::converged;
    if (done_ >= a_.max_iterations) {
      stagnated_ = rr > 0.25 * third_ && done_ - third_at_ > 2;
      return device_stops::iteration_limit;
    }
    if (a_.slow_after && done_ - begun_at_ == a_.slow_after &&
        is_slow(begin_, recursive_, target_)) {
      slow_ = true;
      return device_stops::breakdown;
    }
    if (done_ == a_.max_iterations * 2 / 3) third_ = rr, third_at_ = done_;
    return device_stops::none;
  }
  DWELL_FN T* d() const { return d_; }
  DWELL_FN T* r() const { return a_.r; }
  DWELL_FN T* p() const { return a_.p[0]; }
  DWELL_FN T* q() const { return a_.q; }
  DWELL_FN T* more(int k) const { return k == 0 ? a_.p[1] : a_.more[k - 1]; }
  DWELL_FN double residual() const { return recursive_; }
  static constexpr bool has_levels() { return Kind != level_kind::none; }

 protected:
  DWELL_FN method_phases(Team& team, const grid_solve_args<T>& a, const device_level* levels,
                         const device_box_level* boxes, const cycle_step* steps)
      : callers_arrays<T, Team>(team, a),
        fine_(levels[0]),
        steps_(steps),
        cycles_(levels, boxes, a) {}

  /// A d = r, from d = 0, by the method. Teams have met at the end.
  DWELL_FN int iterate(T* d) {
    d_ = d;
    return grid_iterations<T, method_phases>(*this)(a_.method);
  }
  /// An attempt begins with a residual of this norm.
  DWELL_FN void begin_attempt(double norm, double target) {
    recursive_ = begin_ = norm;
    third_ = norm * norm, third_at_ = begun_at_ = done_;
    target_ = target;
    slow_ = false;
  }
  DWELL_FN void tell(double norm) {
    if (t_.worker() != 0) return;
    t_.each([&](int lane) {
      if (lane != 0) return;
      if (a_.history) a_.history[written_] = norm;
      t_.publish(&a_.seen->residual, norm_ > 0 ? norm / norm_ : norm);
      t_.publish(&a_.seen->step, done_);
    });
    if (a_.history) ++written_;
  }
  /// The host's wish to end, for all teams alike.
  template <class Sums>
  DWELL_FN void add_wish(Sums& mine) {
    if (t_.worker() != 0) return;
    t_.each([&](int lane) {
      if (lane == 0) mine[lane].v[1] = t_.observe(&a_.seen->interrupt) ? 1 : 0;
    });
  }

  using callers_arrays<T, Team>::t_;
  using callers_arrays<T, Team>::a_;
  const device_level& fine_;
  const cycle_step* const steps_;
  const device_phases<Flat, Kind> cycles_;
  int done_ = 0, written_ = 0, begun_at_ = 0;
  double norm_ = 0, recursive_ = 0;
  bool stagnated_ = false, slow_ = false;

 private:
  struct both {
    T x, y;
  };
  DWELL_FN void by_cycle(const T* x, double norm, T* z) {
    const int e = binary_exponent(norm), ny = a_.a.n[1], nx = a_.a.n[2], evens = a_.a.evens();
    const T down_by = static_cast<T>(ldexp(1.0, 1 - e)), up_by = static_cast<T>(ldexp(1.0, e - 1));
    over_rows<4, false>(t_, false, a_.a.deal, a_.a.rows(), [&](int, int row) {
      const long long at = static_cast<long long>(row) * nx;
      const float* const inverse =
          a_.only_bottom ? a_.zeros : fine_.inverse + fine_.inverse_at[row];
      float *const f = fine_.f + at, *const u = fine_.u + at;
      in_memory(inverse, f, u);
      // Cells that have their first value now: a half, or zeros in all of three colours.
      const int of_row = fine_.colours == 2 ? colour_of_row(fine_.a, 2, row / ny, row % ny) : 2;
      const int from = of_row == 1 ? evens : 0, to = of_row == 0 ? evens : nx;
      struct value {
        float f, by;
      };
      return job(
          nx,
          [=](int i) {
            return value{static_cast<float>(x[at + i] * down_by), of_row == 2 ? 0.0f : inverse[i]};
          },
          [=](int i, const value& v) {
            f[i] = v.f;
            if (i >= from && i < to) u[i] = v.f * v.by;
          });
    });
    t_.sync_grid();
    cycles_.run(t_, steps_, a_.step_count);
    if (a_.ends_here) {
      cycles_.end(t_, sees_nothing{});
      t_.sync_grid();
    }
    const float* const u = fine_.u;
    in_memory(u);
    each([=](long long i) { return up_by * static_cast<T>(u[i]); },
         [=](long long i, T v) { z[i] = v; });
  }

  T* d_ = nullptr;
  int third_at_ = 0;
  double third_ = 0, begin_ = 0, target_ = 0;
  bool interrupted_ = false;
};

}  // namespace dwell::grids
