// SPDX-License-Identifier: MIT
// Between the arrays of the caller and the vectors of a solve: scaled by a power of two, in halved
// rows.
#pragma once
#include <cmath>

#include "dwell/base/finite.hpp"
#include "dwell/base/fn.hpp"
#include "dwell/device/sums.hpp"
#include "dwell/solvers/grid/device/finest_loops.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/over_rows.hpp"
#include "dwell/solvers/grid/device/power_of_two.hpp"

namespace dwell::grids {

/// v = m 2^e with 0.5 <= m < 1; 0 of 0.
DWELL_FN int binary_exponent(double v) { return v != 0 && is_finite(v) ? ilogb(v) + 1 : 0; }

/// f times what a cell has of the volume, and what sides add, of the cells of a row.
template <class T>
class rhs_row {
 public:
  DWELL_FN rhs_row(const grid_solve_args<T>& a, int row)
      : a_(a), k_(row / a.a.n[1]), j_(row % a.a.n[1]), nx_(a.a.n[2]) {
    f_ = a.f + a.callers_row(row);
    step_ = a.callers[2];
    is_scaled_ = a.volume[0] != nullptr;
    of_x_ = is_scaled_ ? a.volume[2] : f_;
    if (is_scaled_) of_row_ = a.volume[0][k_] * a.volume[1][j_];
    in_memory(f_, of_x_);
    for (int s = 0; s < a.side_count; ++s) {
      const device_side<T>& side = a.sides[s];
      if (side.axis == 2)
        (side.high ? last_ : first_) = side.of_cell[row];
      else if (is_at(side))
        all_cells_ = true;
    }
    if (nx_ == 1) all_cells_ = true;  // both ends may be one cell
  }
  /// A side along y or z goes through the row: then cells are those of at(), else of inside().
  DWELL_FN bool has_side() const { return all_cells_; }
  DWELL_FN T inside(int x) const {
    const T v = volume(x), end = x == 0 ? first_ : last_;
    return x == 0 || x == nx_ - 1 ? v + end : v;
  }
  DWELL_FN T at(int x) const {
    T v = volume(x);
    for (int s = 0; s < a_.side_count; ++s) {
      const device_side<T>& side = a_.sides[s];
      if (side.axis == 2 ? x != (side.high ? nx_ - 1 : 0) : !is_at(side)) continue;
      v += side.of_cell[side.axis == 2   ? k_ * a_.a.n[1] + j_
                        : side.axis == 1 ? k_ * nx_ + x
                                         : j_ * nx_ + x];
    }
    return v;
  }

 private:
  DWELL_FN bool is_at(const device_side<T>& side) const {
    return (side.axis == 0 ? k_ : j_) == (side.high ? a_.a.n[side.axis] - 1 : 0);
  }
  /// Without a branch: loads of several cells are to be under way together.
  DWELL_FN T volume(int x) const {
    const T v = f_[x * step_], of_x = of_x_[x];
    return is_scaled_ ? v * (of_row_ * of_x) : v;
  }

  const grid_solve_args<T>& a_;
  int k_, j_, nx_;
  long long step_;
  const T *f_, *of_x_;
  T of_row_ = 1, first_ = 0, last_ = 0;
  bool is_scaled_, all_cells_ = false;
};
template <class T, class Team>
class callers_arrays : protected finest_loops<T, Team> {
 protected:
  DWELL_FN callers_arrays(Team& team, const grid_solve_args<T>& a)
      : finest_loops<T, Team>(team, a) {}

  /// put(lane, row, x, get(place in the caller's arrays, right-hand side there)) for all cells.
  template <class Get, class Put>
  DWELL_FN void over_right_hand_side(Get&& get, Put&& put) {
    const int nx = a_.a.n[2];
    each_row<false, false>(
        t_, false, a_.a.deal, a_.a.rows(), [&](int lane, int row, const row_part& part) {
          const rhs_row<T> b(a_, row);
          const long long at = a_.callers_row(row), step = a_.callers[2];
          const auto put_it = [=, &put](int x, const auto& v) { put(lane, row, x, v); };
          if (b.has_side())
            part.template take<1>(job(
                nx, [=, &get](int x) { return get(at + x * step, b.at(x)); }, put_it));
          else
            part.template take<4>(job(
                nx, [=, &get](int x) { return get(at + x * step, b.inside(x)); }, put_it));
        });
  }
  struct two_values {
    T b, u;
  };

  /// What the right-hand side is divided by, and whether the start is 0. False where one is not
  /// finite.
  DWELL_APART bool measure() {
    const int nx = a_.a.n[2];
    const T* const start = a_.u;
    in_memory(start);
    // Sums of magnitudes, small ones and large ones apart; not finite where a value is not.
    const sums<3> size = this->template reduced<3>([&](auto& mine) {
      over_right_hand_side(
          [=](long long at, T b) {
            return two_values{b, start[at]};
          },
          [&](int lane, int, int, const two_values& v) {
            const double b = fabs(static_cast<double>(v.b)), u = fabs(static_cast<double>(v.u));
            mine[lane].v[0] += b * small;
            mine[lane].v[1] += b < large ? b * large : large;
            mine[lane].v[2] += u * small + (u > 0 ? least : 0);
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
    is_zero_ = of == 0;
    from_zero_ = is_zero_ || size.v[2] == 0;
    scale_ = binary_exponent(of) + (is_zero_ ? 0 : tiny ? -small_bits : small_bits);
    // Zeros are closer than a start whose residual would leave the range.
    const int of_start = binary_exponent(size.v[2] / all) + small_bits + a_.scale_of_a - scale_;
    if (of_start > far_start<T>) from_zero_ = true;
    return true;
  }
  /// The right-hand side and the start in halved rows, scaled. The result is a sum over the
  /// right-hand side: of squares, or of values if A is singular. If the start is 0 and A is not
  /// singular, the residual is there, too.
  DWELL_APART double take_right_hand_side() {
    const int nx = a_.a.n[2], evens = a_.a.evens();
    const power_of_two<T> b_by(-scale_), x_by(a_.scale_of_a - scale_);
    const bool zero = from_zero_, singular = a_.singular, gives_residual = zero && !singular;
    const T* const start = zero ? a_.f : a_.u;
    T *const b_to = a_.b, *const x_to = a_.x[0], *const r_to = a_.r;
    in_memory(start, b_to, x_to, r_to);
    return this
        ->template reduced<1>([&](auto& mine) {
          over_right_hand_side(
              [=](long long at, T b) {
                const T u = start[at];
                return two_values{b_by * b, zero ? T(0) : x_by * u};
              },
              [&](int lane, int row, int x, const two_values& v) {
                const long long here =
                    static_cast<long long>(row) * nx + (x & 1 ? evens : 0) + (x >> 1);
                b_to[here] = v.b;
                x_to[here] = v.u;
                if (gives_residual) r_to[here] = v.b;
                const double b = static_cast<double>(v.b);
                mine[lane].v[0] += singular ? b : b * b;
              });
        })
        .v[0];
  }
  /// The sum of the squares of b - mean. If the start is 0, that is the residual.
  DWELL_APART double squares(double mean) {
    const T by = static_cast<T>(mean);
    const bool gives_residual = from_zero_;
    const int nx = a_.a.n[2];
    return this
        ->template reduced<1>([&](auto& mine) {
          over_rows<4, false>(t_, false, a_.a.deal, a_.a.rows(), [&](int lane, int row) {
            const long long at = static_cast<long long>(row) * nx;
            const T* const b = a_.b + at;
            T* const r = a_.r + at;
            in_memory(b, r);
            return job(
                nx, [=](int i) { return b[i]; },
                [=, &mine](int i, T v) {
                  if (gives_residual) r[i] = v - by;
                  const double left = static_cast<double>(v) - mean;
                  mine[lane].v[0] += left * left;
                });
          });
        })
        .v[0];
  }
  /// What the residual may grow by where u, x multiplied by a power of two, is too small for all of
  /// its digits; not finite where it is too large. See thread_solves.
  DWELL_APART double lost_by(int exponent, const T* x, T mean) {
    const power_of_two<T> back(exponent), forth(-exponent);
    return norm_of_divided * sqrt(this->sum(
                                 [=](T v) {
                                   const double of = static_cast<double>(v - mean);
                                   const double lost =
                                       of - static_cast<double>(forth * (back * (v - mean)));
                                   return lost * lost;
                                 },
                                 x));
  }
  DWELL_APART void give_answer(const T* x, T mean) {
    const int nx = a_.a.n[2], evens = a_.a.evens();
    const power_of_two<T> back(scale_ - a_.scale_of_a);
    over_rows<4, false>(t_, false, a_.a.deal, a_.a.rows(), [&](int, int row) {
      const long long step = a_.callers[2];
      const T* const from = x + static_cast<long long>(row) * nx;
      T* const u = a_.u + a_.callers_row(row);
      in_memory(from, u);
      return job(
          nx, [=](int i) { return back * (from[(i & 1 ? evens : 0) + (i >> 1)] - mean); },
          [=](int i, T v) { u[i * step] = v; });
    });
  }

  // Bits by which magnitudes are scaled before they are added up: no sum of up to 2^31 is beyond
  // the format, and none of small ones below it.
  static constexpr int small_bits = 40;
  static constexpr double small = 0x1p-40, large = 0x1p+40;
  static constexpr double least = 0x1p-1000;  // counts values that are not 0

  using finest_loops<T, Team>::t_;
  using finest_loops<T, Team>::a_;
  int scale_ = 0;
  bool is_zero_ = false, from_zero_ = false;  ///< the right-hand side is 0; so is the start
};

}  // namespace dwell::grids
