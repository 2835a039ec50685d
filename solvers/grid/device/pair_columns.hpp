// SPDX-License-Identifier: MIT
// The product with the operator by pairs of cells 2i and 2i + 1 of a row, of a vector that is there
// or of the next direction of conjugate gradients, p = scale z + beta p. Then neighbours of p are
// computed from z and p of before where they are needed, which teams have not yet to meet for; so p
// goes to another array. A lane goes from plane to plane and keeps what it read: each value is read
// once for three planes.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"

namespace dwell::grids {

/// Values of a vector, by numbers of cells.
template <class T>
struct cells_of {
  const T* x;
  DWELL_FN void hint() { in_memory(x); }
  DWELL_FN T operator()(long long cell) const { return x[cell]; }
};

/// p as it will be. beta = 0: whatever p was.
template <class T>
struct next_direction {
  T scale, beta;
  const float* z;
  const T* p;
  DWELL_FN void hint() { in_memory(z, p); }
  DWELL_FN T operator()(long long cell) const {
    const T own = scale * static_cast<T>(z[cell]), both = own + beta * p[cell];
    return beta == T(0) ? own : both;
  }
};

/// Pair i of row j of all planes, with all that A reads of it. Flat: there are no faces along y.
template <class T, bool Flat, class Values>
class pair_column {
 public:
  struct pair {
    T even, odd, a_even, a_odd;
  };

  DWELL_FN pair_column(const device_operator<T>& g, Values of, int j, int i)
      : g_(g), of_(of), pool_(g.pool), j_(j), i_(i) {
    of_.hint();
    in_memory(pool_);
    const int evens = g.evens(), odds = g.odds(), ny = g.n[1], nx = g.n[2];
    has_odd_ = i < odds;
    odd_ = has_odd_ ? evens + i : i;
    // Cells before the even one and after the odd one; -1 where there is none.
    const bool ring = g.wraps[2] && nx > 1;
    const int low = i > 0          ? evens + i - 1
                    : !ring        ? -1
                    : evens > odds ? evens - 1
                                   : evens + odds - 1;
    const int high = i + 1 < evens ? i + 1 : ring ? 0 : -1;
    has_low_ = low >= 0, has_high_ = high >= 0;
    low_ = has_low_ ? low : i, high_ = has_high_ ? high : i;
    odd_faces_ = nx / 2 + 1 + i;
    if constexpr (!Flat) {
      const int before = j > 0 ? j - 1 : ny - 1, after = j < ny - 1 ? j + 1 : 0;
      has_y_[0] = j > 0 || g.wraps[1];
      has_y_[1] = j < ny - 1 || g.wraps[1];
      to_y_[0] = has_y_[0] ? static_cast<long long>(before - j) * nx : 0;
      to_y_[1] = has_y_[1] ? static_cast<long long>(after - j) * nx : 0;
    }
  }

  /// put(number of the row's first cell, its pair) for planes from begin to end; where there is no
  /// odd cell, its values are something.
  template <class Put>
  DWELL_FN void walk(int begin, int end, Put&& put) {
    const int last = g_.n[0] - 1;
    const bool has_before = begin > 0 || g_.wraps[0];
    before_ = cells(has_before, begin > 0 ? begin - 1 : last, begin);
    own_ = cells(true, begin, begin);
    const T* const face = pool_ + g_.z[static_cast<long long>(begin) * g_.n[1] + j_];
    in_memory(face);
    face_ = {face[i_], face[odd_]};
    DWELL_ROLLED
    for (int k = begin; k < end; ++k) take(k, put);
  }

 private:
  struct two {
    T even, odd;
  };
  /// What a plane reads but its own cells and those of the plane before.
  struct around {
    two after, face, s, y[2], y_face[2];
    T low, high, low_w, mid_w, high_w;
  };

  DWELL_FN long long row_of(int k) const { return static_cast<long long>(k) * g_.n[1] + j_; }
  DWELL_FN two cells(bool there, int k, int other) const {
    const long long at = row_of(there ? k : other) * g_.n[2];
    const T even = of_(at + i_), odd = of_(at + odd_);
    return {there ? even : T(0), there ? odd : T(0)};
  }
  DWELL_FN two weights(unsigned place) const {
    const T* const w = pool_ + place;
    return {w[i_], w[odd_]};
  }
  DWELL_FN around read(int k) const {
    const long long row = row_of(k), at = row * g_.n[2];
    around v;
    const bool has_after = k < g_.n[0] - 1 || g_.wraps[0];
    v.after = cells(has_after, k < g_.n[0] - 1 ? k + 1 : 0, k);
    v.face = weights(g_.z[row + g_.n[1]]);
    const T low = of_(at + low_), high = of_(at + high_);
    v.low = has_low_ ? low : T(0), v.high = has_high_ ? high : T(0);
    const T* const x_faces = pool_ + g_.x[row];
    v.low_w = x_faces[i_], v.mid_w = x_faces[odd_faces_], v.high_w = x_faces[i_ + 1];
    v.s = weights(g_.s[row]);
    if constexpr (!Flat) {
      const long long face = static_cast<long long>(k) * (g_.n[1] + 1) + j_;
      DWELL_UNROLL
      for (int side = 0; side < 2; ++side) {
        const long long there = at + to_y_[side];
        const T even = of_(there + i_), odd = of_(there + odd_);
        v.y[side] = {has_y_[side] ? even : T(0), has_y_[side] ? odd : T(0)};
        v.y_face[side] = weights(g_.y[face + side]);
      }
    }
    return v;
  }
  template <class Put>
  DWELL_FN void take(int k, Put& put) {
    const around v = read(k);
    const T even = own_.even, odd = own_.odd, after_even = has_odd_ ? odd : v.high;
    T of_even = (v.low_w * (even - v.low) + v.mid_w * (even - after_even)) +
                (face_.even * (even - before_.even) + v.face.even * (even - v.after.even));
    T of_odd = (v.mid_w * (odd - even) + v.high_w * (odd - v.high)) +
               (face_.odd * (odd - before_.odd) + v.face.odd * (odd - v.after.odd));
    if constexpr (!Flat) {
      of_even += v.y_face[0].even * (even - v.y[0].even) + v.y_face[1].even * (even - v.y[1].even);
      of_odd += v.y_face[0].odd * (odd - v.y[0].odd) + v.y_face[1].odd * (odd - v.y[1].odd);
    }
    put(row_of(k) * g_.n[2], pair{even, odd, of_even + v.s.even * even, of_odd + v.s.odd * odd});
    before_ = own_, own_ = v.after, face_ = v.face;
  }

  const device_operator<T>& g_;
  Values of_;
  const T* pool_;
  int j_, i_, odd_, low_, high_, odd_faces_;
  bool has_odd_, has_low_, has_high_, has_y_[2] = {};
  long long to_y_[2] = {};
  two before_, own_, face_;  ///< values of two planes, and the faces between them
};

/// put(lane, i, number of the row's first cell, pair) for all pairs of cells.
template <bool Flat, class T, class Team, class Values, class Put>
DWELL_FN void over_pairs(Team& team, const device_operator<T>& g, const Values& of, Put&& put) {
  const column_deal d = g.columns;
  const int worker = team.worker(), evens = g.evens();
  const int first = worker * d.each + (worker < d.rest ? worker : d.rest);
  const int last = first + d.each + (worker < d.rest ? 1 : 0);
  team.each([&](int lane) {
    const int along = lane & ((1 << d.lane_bits) - 1), groups = Team::lanes() >> d.lane_bits;
    DWELL_ROLLED
    for (int unit = first + (lane >> d.lane_bits); unit < last; unit += groups) {
      const int column = unit / d.strips, i = ((unit - column * d.strips) << d.lane_bits) + along;
      const int band = column / g.n[1], j = column - band * g.n[1], begin = band * d.height;
      if (i >= evens) continue;
      const int end = begin + d.height < g.n[0] ? begin + d.height : g.n[0];
      pair_column<T, Flat, Values>(g, of, j, i).walk(begin, end, [&](long long at, const auto& v) {
        put(lane, i, at, v);
      });
    }
  });
}

}  // namespace dwell::grids
