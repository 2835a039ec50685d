// SPDX-License-Identifier: MIT
// A whole solve on a device, as teams take it together, all in one run: conjugate gradients with
// multigrid, or cycles alone, in as few phases as may be, or another method (iterations.hpp). What
// grid_run.hpp does on CPUs, in the same order of phases; sums are of lanes, then of teams, in an
// order that depends on how many there are.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/device/sums.hpp"
#include "dwell/solvers/grid/device/method_phases.hpp"
#include "dwell/solvers/grid/device/pair_columns.hpp"

namespace dwell::grids {

/// Flat, Kind: see device_phases. Fused: see chosen_method.
template <class T, class Team, bool Flat, level_kind Kind, bool Fused>
class device_solve : method_phases<T, Team, Flat, Kind> {
  using base = method_phases<T, Team, Flat, Kind>;

 public:
  /// levels, boxes, steps: where this team reads them.
  DWELL_FN device_solve(Team& team, const grid_solve_args<T>& a, const device_level* levels,
                        const device_box_level* boxes, const cycle_step* steps)
      : base(team, a, levels, boxes, steps) {}

  DWELL_FN void operator()() {
    if (!this->measure()) return;
    const double all = static_cast<double>(a_.a.rows()) * a_.a.n[2],
                 of_b = this->take_right_hand_side();
    const double mean = a_.singular ? of_b / all : 0,
                 norm = sqrt(a_.singular ? this->squares(mean) : of_b);
    const double atol = a_.atol > 0 ? ldexp(a_.atol, -scale_) : 0;
    const double target = a_.rtol * norm > atol ? a_.rtol * norm : atol;
    norm_ = norm;
    int at = 0, attempts = 0, stopped = device_stops::converged;
    bool missed = false, indefinite = false;
    double best = from_zero_ ? norm : true_residual(a_.x[0], mean);
    const double begin = best;
    if (!is_finite(best)) stopped = device_stops::not_finite;
    if constexpr (Kind != level_kind::none) {
      if (a_.full.step_count > 0 && stopped == device_stops::converged && best > target) {
        const double now = full_multigrid(best, mean);
        if (now < best) at = 1, best = now;
      }
    }
    done_ = 0;
    recursive_ = best;
    this->tell(best);
    while (stopped == device_stops::converged && best > target) {
      T *const x = a_.x[at], *const d = a_.x[1 - at];
      // Below its last digit the residual of an iteration says nothing.
      const double least = best * (sizeof(T) == 8 ? 2.220446049250313e-16 : 1.1920928955078125e-07);
      this->begin_attempt(best, target > least ? target : least);
      if constexpr (Fused)
        stopped = attempt(d, best);
      else
        stopped = this->iterate(d);
      const double before = best;
      if (done_ > begun_at_) {  // else d is not there
        if (!from_zero_ || at != 0) {
          this->each([=](long long c) { return d[c] + x[c]; }, [=](long long c, T v) { d[c] = v; });
          t_.sync_grid();
        }
        const double now = true_residual(d, mean);
        if (now < best) at = 1 - at, best = now;
      }
      ++attempts;
      if (slow_ || (stopped == device_stops::breakdown && a_.slow_after && a_.twice)) {
        slow_ = best > target;
        break;
      }
      if (stopped == device_stops::breakdown) indefinite = true;
      if (stopped != device_stops::converged || best <= target) break;
      if (!(best <= 0.5 * before)) {  // rounding allows no better
        stopped = device_stops::accuracy_limit;
        missed = true;
      } else if (done_ >= a_.max_iterations) {
        stopped = device_stops::iteration_limit;
      }
    }
    double of_answer = 0;
    if (a_.singular && stopped != device_stops::not_finite)
      of_answer = this->sum([](T x) { return static_cast<double>(x); }, a_.x[at]) / all;
    if (best <= target && stopped != device_stops::not_finite) stopped = device_stops::converged;
    bool held = true;
    const int far = scale_ - a_.scale_of_a;
    if (far >= far_exponent<T> || -far >= far_exponent<T>) {
      const double lost = this->lost_by(far, a_.x[at], static_cast<T>(of_answer));
      held = is_finite(lost);
      if (!held) {
        stopped = device_stops::not_finite;
        best = begin;
        missed = false;
      } else {
        best += lost;
        if (stopped == device_stops::converged && best > target) {
          stopped = device_stops::accuracy_limit;
          missed = true;
        }
      }
    }
    if (held) this->give_answer(a_.x[at], static_cast<T>(of_answer));
    if (t_.worker() != 0) return;
    t_.once([&] {
      device_outcome& o = *a_.out;
      o.stopped = stopped;
      o.iterations = done_;
      o.refinements = attempts > 1 ? attempts - 1 : 0;
      o.scale = scale_;
      o.rhs_norm = norm;
      o.removed = mean * sqrt(all);
      o.recursive = recursive_;
      o.residual = best;
      o.target_missed = missed;
      o.stagnated = stagnated_ && stopped == device_stops::iteration_limit;
      o.indefinite = indefinite;
      o.slow = slow_;
      o.history = written_;
    });
  }

 private:
  // ---- iterations

  /// r = b - A x and its norm.
  DWELL_APART double true_residual(const T* x, double mean) {
    const T by = static_cast<T>(mean);
    const int evens = a_.a.evens(), odds = a_.a.odds();
    const T* const b = a_.b;
    T* const r = a_.r;
    in_memory(b, r);
    return sqrt(this->template reduced<1>([&](auto& mine) {
                      over_pairs<Flat>(
                          t_, a_.a, cells_of<T>{x},
                          [&](int lane, int i, long long at, const auto& p) {
                            const T even = (b[at + i] - by) - p.a_even;
                            double all = static_cast<double>(even) * static_cast<double>(even);
                            r[at + i] = even;
                            if (i < odds) {
                              const T odd = (b[at + evens + i] - by) - p.a_odd;
                              r[at + evens + i] = odd;
                              all += static_cast<double>(odd) * static_cast<double>(odd);
                            }
                            mine[lane].v[0] += all;
                          });
                    })
                    .v[0]);
  }
  /// The other x becomes the start and what full multigrid finds for its residual r, of the norm
  /// that is given; the result is the norm of the residual of that. r is that residual, if its norm
  /// is smaller.
  DWELL_APART double full_multigrid(double norm, double mean) {
    const T* const x = a_.x[0];
    T* const to = a_.x[1];
    in_memory(x, to);
    const int e = binary_exponent(norm);
    const T down_by = static_cast<T>(ldexp(1.0, 1 - e)), up_by = static_cast<T>(ldexp(1.0, e - 1));
    const T* const r = a_.r;
    float *const f = fine_.f, *const u = fine_.u;
    in_memory(r, f, u);
    this->each([=](long long i) { return static_cast<float>(r[i] * down_by); },
               [=](long long i, float v) {
                 f[i] = v;
                 u[i] = 0;
               });
    t_.sync_grid();
    const device_full_start& start = a_.full;
    const device_phases<Flat, Kind> all_cells(start.levels, start.boxes, a_);
    all_cells.run(t_, start.steps, start.down);
    cycles_.run(t_, start.steps + start.down, start.step_count - start.down);
    this->each([=](long long i) { return x[i] + up_by * static_cast<T>(u[i]); },
               [=](long long i, T v) { to[i] = v; });
    t_.sync_grid();
    const double now = true_residual(to, mean);
    if (!(now < norm)) true_residual(x, mean);
    return now;
  }
  /// d += alpha p, r -= alpha q, f of the cycle and its first colour; the result is r.r. down_by:
  /// what f is scaled by. First: d and r are as they are. from_zero: whatever d was, it is 0.
  template <bool First>
  DWELL_APART double begin_cycle(T* d, bool from_zero, T alpha, T down_by) {
    struct value {
      T d, r;
      float by;
    };
    const int ny = a_.a.n[1], nx = a_.a.n[2], evens = a_.a.evens();
    const T *const p = direction_now(), *const q = a_.q;
    T* const r = a_.r;
    return this
        ->template reduced<1>([&](auto& mine) {
          over_rows<4, false>(t_, false, a_.a.deal, a_.a.rows(), [&](int lane, int row) {
            const long long at = static_cast<long long>(row) * nx;
            const float* const inverse =
                a_.only_bottom ? a_.zeros : fine_.inverse + fine_.inverse_at[row];
            float *const f = fine_.f + at, *const u = fine_.u + at;
            in_memory(inverse, f, u, p, q, r, d);
            // Cells that have their first value now: a half, or zeros in all of three colours.
            const int of_row =
                fine_.colours == 2 ? colour_of_row(fine_.a, 2, row / ny, row % ny) : 2;
            const int from = of_row == 1 ? evens : 0, to = of_row == 0 ? evens : nx;
            return job(
                nx,
                [=](int i) {
                  value v{T(0), r[at + i], of_row == 2 ? 0.0f : inverse[i]};
                  if constexpr (First) return v;
                  const T step = alpha * p[at + i], sum = d[at + i] + step;
                  v.d = from_zero ? step : sum;
                  v.r -= alpha * q[at + i];
                  return v;
                },
                [=, &mine](int i, const value& v) {
                  if constexpr (!First) {
                    d[at + i] = v.d;
                    r[at + i] = v.r;
                  }
                  mine[lane].v[0] += static_cast<double>(v.r) * static_cast<double>(v.r);
                  const float scaled = static_cast<float>(v.r * down_by);
                  f[i] = scaled;
                  if (i >= from && i < to) u[i] = scaled * v.by;
                });
          });
        })
        .v[0];
  }
  /// f.u of the cycle, once its last steps are done, and whether the host wants an end.
  DWELL_APART sums<2> end_cycle() {
    return this->template reduced<2>([&](auto& mine) {
      const int nx = a_.a.n[2];
      const auto seen = [&](int lane, float f, float u) {
        mine[lane].v[0] += static_cast<double>(f) * static_cast<double>(u);
      };
      if (a_.ends_here)
        cycles_.end(t_, seen);
      else
        over_rows<4, false>(t_, false, a_.a.deal, a_.a.rows(), [&](int lane, int row) {
          const long long at = static_cast<long long>(row) * nx;
          const float *const f = fine_.f + at, *const u = fine_.u + at;
          struct value {
            float f, u;
          };
          return job(
              nx,
              [=](int i) {
                return value{f[i], u[i]};
              },
              [=, &seen](int, const value& v) { seen(lane, v.f, v.u); });
        });
      this->add_wish(mine);
    });
  }
  /// p = scale z + beta p, to the other array of p; q = A p. The result is p.q.
  DWELL_APART double turn_and_multiply(T scale, T beta) {
    const next_direction<T> of{scale, beta, fine_.u, direction_now()};
    p_at_ = 1 - p_at_;
    T *const p_now = direction_now(), *const q = a_.q;
    const int evens = a_.a.evens(), odds = a_.a.odds();
    in_memory(p_now, q);
    return this
        ->template reduced<1>([&](auto& mine) {
          over_pairs<Flat>(t_, a_.a, of, [&](int lane, int i, long long at, const auto& v) {
            p_now[at + i] = v.even;
            q[at + i] = v.a_even;
            double sum = static_cast<double>(v.even) * static_cast<double>(v.a_even);
            if (i < odds) {
              p_now[at + evens + i] = v.odd;
              q[at + evens + i] = v.a_odd;
              sum += static_cast<double>(v.odd) * static_cast<double>(v.a_odd);
            }
            mine[lane].v[0] += sum;
          });
        })
        .v[0];
  }
  DWELL_FN T* direction_now() const { return a_.p[p_at_]; }

  /// A d = r, from d = 0; norm is that of r. Teams have met at the end.
  DWELL_FN int attempt(T* d, double norm) {
    const int e = binary_exponent(norm);
    const T down_by = static_cast<T>(ldexp(1.0, 1 - e));
    const double up_by = ldexp(1.0, e - 1);
    begin_cycle<true>(d, true, T(0), down_by);
    double rz_before = 0;
    bool first = true;
    while (true) {
      cycles_.run(t_, steps_, a_.step_count);
      const sums<2> heard = end_cycle();
      const double rz = heard.v[0];
      if (!is_finite(rz)) return device_stops::not_finite;
      if (!(rz > 0)) return device_stops::breakdown;
      if (heard.v[1] > 0) return device_stops::interrupted;
      const double pq = turn_and_multiply(
          static_cast<T>(up_by), first || a_.alone ? T(0) : static_cast<T>(rz / rz_before));
      if (!is_finite(pq)) return device_stops::not_finite;
      if (!(pq > 0)) return device_stops::breakdown;
      const T alpha = a_.alone ? T(1) : static_cast<T>(rz * up_by * up_by / pq);
      rz_before = rz;
      first = false;
      const double rr = begin_cycle<false>(d, done_ == begun_at_, alpha, down_by);
      if (const int why = this->after_iteration(rr); why != device_stops::none) return why;
    }
  }

  using base::cycles_, base::done_, base::written_, base::begun_at_, base::norm_;
  using base::recursive_, base::stagnated_, base::slow_;
  using base::t_, base::a_, base::scale_, base::from_zero_, base::fine_, base::steps_;
  int p_at_ = 0;
};

}  // namespace dwell::grids
