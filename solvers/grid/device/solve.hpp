// SPDX-License-Identifier: MIT
// A whole solve on a device: conjugate gradients with multigrid, or cycles alone, as teams take it
// together, all in one run. What grid_run.hpp does on CPUs, in the same order of phases; sums are
// of lanes, then of teams, in an order that depends on how many there are.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"
#include "dwell/device/sums.hpp"
#include "dwell/solvers/grid/device/next_direction.hpp"
#include "dwell/solvers/grid/device/phases.hpp"
#include "dwell/solvers/grid/slow_end.hpp"

namespace dwell::grids {

/// Numbers of stop_reason, which kernels know by these.
struct device_stops {
  static constexpr int converged = 0, iteration_limit = 1, breakdown = 2, not_finite = 3,
                       interrupted = 4, accuracy_limit = 5;
};

/// 2^e, in three steps: the power itself may be beyond the format where products with it are not.
template <class T>
struct device_power {
  T third, rest;  ///< normal numbers, by which 0 stays 0
  DWELL_FN explicit device_power(int e)
      : third(static_cast<T>(ldexp(1.0, e / 3))), rest(static_cast<T>(ldexp(1.0, e - e / 3 * 2))) {}
  DWELL_FN T operator*(T v) const { return v * third * third * rest; }
};

DWELL_FN bool is_finite(double v) { return v - v == 0; }
/// v = m 2^e with 0.5 <= m < 1; 0 of 0.
DWELL_FN int binary_exponent(double v) { return v != 0 && is_finite(v) ? ilogb(v) + 1 : 0; }

/// Flat, Boxes: see device_phases.
template <class T, class Team, bool Flat, bool Boxes>
class device_solve {
 public:
  /// levels, boxes, steps: where this team reads them.
  DWELL_FN device_solve(Team& team, const grid_solve_args<T>& a, const device_level* levels,
                        const device_box_level* boxes, const cycle_step* steps)
      : t_(team), a_(a), fine_(levels[0]), steps_(steps), cycles_(levels, boxes, a) {}

  DWELL_FN void operator()() {
    if (!take_right_hand_side()) return;
    const double all = static_cast<double>(a_.a.rows()) * a_.a.n[2];
    double mean = 0;
    if (a_.singular) mean = sum([](T b) { return static_cast<double>(b); }, a_.b) / all;
    const double norm = sqrt(sum(
        [=](T b) {
          const double v = static_cast<double>(b) - mean;
          return v * v;
        },
        a_.b));
    const double atol = a_.atol > 0 ? ldexp(a_.atol, -scale_) : 0;
    const double target = a_.rtol * norm > atol ? a_.rtol * norm : atol;
    norm_ = norm;
    int at = 0, attempts = 0, stopped = device_stops::converged;
    bool missed = false, indefinite = false;
    double best = true_residual(a_.x[0], mean);
    const double begin = best;
    if (!is_finite(best)) stopped = device_stops::not_finite;
    done_ = 0;
    recursive_ = best;
    tell(best);
    while (stopped == device_stops::converged && best > target) {
      T *const x = a_.x[at], *const d = a_.x[1 - at];
      // Below its last digit the residual of an iteration says nothing.
      const double least = best * (sizeof(T) == 8 ? 2.220446049250313e-16 : 1.1920928955078125e-07);
      recursive_ = best;
      third_ = best * best, third_at_ = done_;
      slow_ = false;
      stopped = attempt(d, best, target > least ? target : least);
      each([=](long long c) { return d[c] + x[c]; }, [=](long long c, T v) { d[c] = v; });
      t_.sync_grid();
      const double before = best, now = true_residual(d, mean);
      if (now < best) at = 1 - at, best = now;
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
      of_answer = sum([](T x) { return static_cast<double>(x); }, a_.x[at]) / all;
    if (best <= target && stopped != device_stops::not_finite) stopped = device_stops::converged;
    bool held = true;
    const int far = scale_ - a_.scale_of_a;
    if (far >= far_exponent<T> || -far >= far_exponent<T>) {
      const double lost = lost_by(far, a_.x[at], static_cast<T>(of_answer));
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
    if (held) give_answer(a_.x[at], static_cast<T>(of_answer));
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
  // ---- loops over the finest level

  /// cell(i) for the pairs of cells of rows, of_row(lane, row) being that function of a row.
  template <class F>
  DWELL_FN void over_pairs(F&& of_row) {
    over_rows<1, true>(t_, false, a_.a.deal, a_.a.rows(), [&](int lane, int row) {
      const auto cell = of_row(lane, row);
      return job(
          a_.a.evens(), [](int) { return 0; }, [=](int i, int) { cell(i); });
    });
  }
  /// put(place, get(place)) for all cells, in halved rows.
  template <class Get, class Put>
  DWELL_FN void each(Get&& get, Put&& put) {
    const int nx = a_.a.n[2];
    over_rows<4, false>(t_, false, a_.a.deal, a_.a.rows(), [&](int, int row) {
      const long long at = static_cast<long long>(row) * nx;
      return job(
          nx, [=, &get](int i) { return get(at + i); }, [=, &put](int i, T v) { put(at + i, v); });
    });
  }
  /// N sums over all cells, after which all teams have met: rows(sums of each lane) adds to them.
  template <int N, class Rows>
  DWELL_FN sums<N> reduced(Rows&& rows) {
    auto mine = t_.template per_lane<sums<N>>();
    t_.each([&](int lane) {
      for (int k = 0; k < N; ++k) mine[lane].v[k] = 0;
    });
    rows(mine);
    // Two groups of slots in turn: who writes to one again has met those who read it.
    slot_ = slot_ == 0 ? 4 : 0;
    t_.template give<N>(slot_, mine);
    t_.sync_grid();
    double none = 0;
    return t_.template total<N, false>(slot_, 0, none);
  }
  /// The sum of of(element) over all cells.
  template <class F>
  DWELL_FN double sum(F&& of, const T* v) {
    const int nx = a_.a.n[2], evens = a_.a.evens(), odds = a_.a.odds();
    return reduced<1>([&](auto& mine) {
             over_pairs([&](int lane, int row) {
               const T* const cells = v + static_cast<long long>(row) * nx;
               return [=, &mine, &of](int i) {
                 double s = of(cells[i]);
                 if (i < odds) s += of(cells[evens + i]);
                 mine[lane].v[0] += s;
               };
             });
           })
        .v[0];
  }
  /// put(lane, place, u there, A u there) of all cells.
  template <class Put>
  DWELL_FN void product(const T* u, Put&& put) {
    for (int odd = 0; odd < 2; ++odd) product_of(u, odd == 1, put);
  }
  template <class Put>
  DWELL_FN void product_of(const T* u, bool odd, Put&& put) {
    const int ny = a_.a.n[1], nx = a_.a.n[2], evens = a_.a.evens(), odds = a_.a.odds();
    struct value {
      T own, all;
    };
    over_rows<2, true>(t_, false, a_.a.deal, a_.a.rows(), [&](int lane, int row) {
      const int at_half = odd ? evens : 0;
      const half_cells<T, Flat> half(a_.a, u, row / ny, row % ny, odd);
      const T* const s = a_.a.pool + a_.a.s[row] + at_half;
      const long long at = static_cast<long long>(row) * nx + at_half;
      in_memory(s);
      return job(
          odd ? odds : evens,
          [=](int i) {
            const T own = half.own[i];
            return value{own,
                         half.sum(i, [&](T w, T other) { return w * (own - other); }) + s[i] * own};
          },
          [=, &put](int i, const value& v) { put(lane, at + i, v.own, v.all); });
    });
  }

  // ---- the caller's arrays

  /// The right-hand side and the start in halved rows, scaled. False where one is not finite.
  DWELL_APART bool take_right_hand_side() {
    const int ny = a_.a.n[1], nx = a_.a.n[2], evens = a_.a.evens(), odds = a_.a.odds();
    const auto b_of = [this, nx, ny](int row, int x) {
      const long long at = static_cast<long long>(row) * nx + x;
      T v = a_.f[at];
      const int p[3] = {row / ny, row % ny, x};
      if (a_.volume[0]) v = v * (a_.volume[0][p[0]] * a_.volume[1][p[1]] * a_.volume[2][x]);
      for (int k = 0; k < a_.side_count; ++k) {
        const device_side<T>& side = a_.sides[k];
        if (p[side.axis] != (side.high ? a_.a.n[side.axis] - 1 : 0)) continue;
        const int along = side.axis == 2   ? p[0] * ny + p[1]
                          : side.axis == 1 ? p[0] * nx + x
                                           : p[1] * nx + x;
        v += side.of_cell[along];
      }
      return v;
    };
    // Sums of magnitudes, small ones and large ones apart; not finite where a value is not.
    const sums<3> size = reduced<3>([&](auto& mine) {
      over_pairs([&](int lane, int row) {
        return [=, &mine, this](int i) {
          for (int odd = 0; odd < 2; ++odd) {
            if (i >= (odd ? odds : evens)) continue;
            const double b = fabs(static_cast<double>(b_of(row, 2 * i + odd)));
            const double u =
                fabs(static_cast<double>(a_.u[static_cast<long long>(row) * nx + 2 * i + odd]));
            mine[lane].v[0] += b * small;
            mine[lane].v[1] += b < large ? b * large : large;
            mine[lane].v[2] += u * small;
          }
        };
      });
    });
    const bool bad_rhs = !is_finite(size.v[0]), bad_start = !is_finite(size.v[2]);
    if (t_.worker() == 0)
      t_.once([&] {
        a_.out->bad_rhs = bad_rhs;
        a_.out->bad_start = bad_start;
      });
    if (bad_rhs || bad_start) return false;
    const double all = static_cast<double>(a_.a.rows()) * nx;
    const bool tiny = size.v[0] < small;
    const double of = size.v[tiny ? 1 : 0] / all;
    const bool zero = of == 0;
    scale_ = binary_exponent(of) + (zero ? 0 : tiny ? -small_bits : small_bits);
    const int to_u = a_.scale_of_a - scale_;
    const device_power<T> b_by(-scale_), x_by(to_u);
    over_pairs([&](int, int row) {
      return [=, this](int i) {
        for (int odd = 0; odd < 2; ++odd) {
          if (i >= (odd ? odds : evens)) continue;
          const long long at = static_cast<long long>(row) * nx;
          const long long here = at + (odd ? evens : 0) + i;
          a_.b[here] = b_by * b_of(row, 2 * i + odd);
          a_.x[0][here] = zero ? T(0) : x_by * a_.u[at + 2 * i + odd];
        }
      };
    });
    t_.sync_grid();
    return true;
  }
  /// What the residual may grow by where u, x multiplied by a power of two, is too small for all of
  /// its digits; not finite where it is too large. As of grid_handle.
  DWELL_APART double lost_by(int exponent, const T* x, T mean) {
    const device_power<T> back(exponent), forth(-exponent);
    return norm_of_divided * sqrt(sum(
                                 [=](T v) {
                                   const double of = static_cast<double>(v - mean);
                                   const double lost =
                                       of - static_cast<double>(forth * (back * (v - mean)));
                                   return lost * lost;
                                 },
                                 x));
  }
  DWELL_APART void give_answer(const T* x, T mean) {
    const int nx = a_.a.n[2], evens = a_.a.evens(), odds = a_.a.odds();
    const device_power<T> back(scale_ - a_.scale_of_a);
    T* const u = a_.u;
    over_pairs([&](int, int row) {
      const long long at = static_cast<long long>(row) * nx;
      return [=](int i) {
        u[at + 2 * i] = back * (x[at + i] - mean);
        if (i < odds) u[at + 2 * i + 1] = back * (x[at + evens + i] - mean);
      };
    });
  }

  // ---- iterations

  /// r = b - A x and its norm.
  DWELL_APART double true_residual(const T* x, double mean) {
    const T by = static_cast<T>(mean);
    const T* const b = a_.b;
    T* const to = a_.r;
    return sqrt(reduced<1>([&](auto& mine) {
                  product(x, [&](int lane, long long c, T, T ax) {
                    const T r = (b[c] - by) - ax;
                    to[c] = r;
                    mine[lane].v[0] += static_cast<double>(r) * static_cast<double>(r);
                  });
                }).v[0]);
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

  /// d += alpha p, r -= alpha q (at the beginning d = 0), f of the cycle and its first colour; the
  /// result is r.r. down_by: what f is scaled by.
  DWELL_APART double begin_cycle(T* d, bool first, T alpha, T down_by) {
    struct value {
      T d, r;
      float by;
    };
    const int ny = a_.a.n[1], nx = a_.a.n[2], evens = a_.a.evens();
    const T *const p = this->p(), *const q = a_.q;
    T* const r = a_.r;
    return reduced<1>([&](auto& mine) {
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
                     if (first) return v;
                     v.d = d[at + i] + alpha * p[at + i];
                     v.r -= alpha * q[at + i];
                     return v;
                   },
                   [=, &mine](int i, const value& v) {
                     d[at + i] = v.d;
                     r[at + i] = v.r;
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
    return reduced<2>([&](auto& mine) {
      const int nx = a_.a.n[2], evens = a_.a.evens(), odds = a_.a.odds();
      const auto seen = [&](int lane, float f, float u) {
        mine[lane].v[0] += static_cast<double>(f) * static_cast<double>(u);
      };
      if (a_.ends_here)
        cycles_.end(t_, seen);
      else
        over_pairs([&](int lane, int row) {
          const float *const f = fine_.f + static_cast<long long>(row) * nx,
                             *const u = fine_.u + static_cast<long long>(row) * nx;
          return [=, &seen](int i) {
            seen(lane, f[i], u[i]);
            if (i < odds) seen(lane, f[evens + i], u[evens + i]);
          };
        });
      if (t_.worker() == 0)  // the host's word, for all teams alike
        t_.each([&](int lane) {
          if (lane == 0) mine[lane].v[1] = t_.observe(&a_.seen->interrupt) ? 1 : 0;
        });
    });
  }
  /// p = scale z + beta p, to the other array of p; q = A p. The result is p.q.
  DWELL_APART double turn_and_multiply(T scale, T beta) {
    const direction<T> of{scale, beta};
    const T* const before = p();
    p_at_ = 1 - p_at_;
    T *const p_now = p(), *const q = a_.q;
    const int nx = a_.a.n[2], evens = a_.a.evens(), odds = a_.a.odds();
    in_memory(p_now, q);
    return reduced<1>([&](auto& mine) {
             over_rows<Flat ? 2 : 1, true>(
                 t_, false, a_.a.deal, a_.a.rows(), [&](int lane, int row) {
                   const direction_row<T, Flat> cells(a_.a, of, fine_.u, before, a_.zeros, row);
                   using pair = typename direction_row<T, Flat>::pair;
                   const long long at = static_cast<long long>(row) * nx;
                   return job(evens, cells, [=, &mine](int i, const pair& v) {
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
                 });
           })
        .v[0];
  }
  /// The direction as it is.
  DWELL_FN T* p() const { return a_.p[p_at_]; }

  /// A d = r, from d = 0; norm is that of r. Teams have met at the end.
  DWELL_FN int attempt(T* d, double norm, double target) {
    const int begun_at = done_;
    const int e = binary_exponent(norm);
    const T down_by = static_cast<T>(ldexp(1.0, 1 - e));
    const double up_by = ldexp(1.0, e - 1);
    begin_cycle(d, true, T(0), down_by);
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
      const double rr = begin_cycle(d, false, alpha, down_by);
      ++done_;
      recursive_ = sqrt(rr);
      tell(recursive_);
      if (!is_finite(rr)) return device_stops::not_finite;
      if (recursive_ <= target) return device_stops::converged;
      if (done_ >= a_.max_iterations) {
        stagnated_ = rr > 0.25 * third_ && done_ - third_at_ > 2;
        return device_stops::iteration_limit;
      }
      if (a_.slow_after && done_ - begun_at == a_.slow_after && is_slow(norm, recursive_, target)) {
        slow_ = true;
        return device_stops::breakdown;
      }
      if (done_ == a_.max_iterations * 2 / 3) third_ = rr, third_at_ = done_;
    }
  }

  // Bits by which magnitudes are scaled before they are added up: no sum of up to 2^31 is beyond
  // the format, and none of small ones below it.
  static constexpr int small_bits = 40;
  static constexpr double small = 0x1p-40, large = 0x1p+40;

  Team& t_;
  const grid_solve_args<T>& a_;
  const device_level& fine_;
  const cycle_step* const steps_;
  const device_phases<Flat, Boxes> cycles_;
  int p_at_ = 0, slot_ = 0, scale_ = 0, done_ = 0, third_at_ = 0, written_ = 0;
  double norm_ = 0, recursive_ = 0, third_ = 0;
  bool stagnated_ = false, slow_ = false;
};

}  // namespace dwell::grids
