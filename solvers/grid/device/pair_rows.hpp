// SPDX-License-Identifier: MIT
// The product with the operator by pairs of cells 2i and 2i + 1 of a row, of a vector that is there
// or of the next direction of conjugate gradients, p = scale z + beta p. Then neighbours of p are
// computed from z and p of before where they are needed, which teams have not yet to meet for; so p
// goes to another array.
#pragma once
#include "dwell/base/fn.hpp"
#include "dwell/solvers/grid/device/half_cells.hpp"
#include "dwell/solvers/grid/device/over_rows.hpp"

namespace dwell::grids {

/// Values of a vector. What a pair_row is made with: row(number of its first cell, or -1 for zeros)
/// gives a row of values, in halves.
template <class T>
struct cells_of {
  const T *x, *zeros;

  struct cells {
    const T* x;
    DWELL_FN T operator[](int place) const { return x[place]; }
  };
  DWELL_FN cells row(long long first) const {
    const cells c{first < 0 ? zeros : x + first};
    in_memory(c.x);
    return c;
  }
};

/// p as it will be. beta = 0: whatever p was.
template <class T>
struct direction {
  T scale, beta;
  DWELL_FN T operator()(float z, T p) const {
    const T own = scale * static_cast<T>(z), both = own + beta * p;
    return beta == T(0) ? own : both;
  }
};
/// Values of it.
template <class T>
struct next_direction {
  direction<T> of;
  const float* z;
  const T* p;
  const float* no_z;
  const T* no_p;

  struct cells {
    direction<T> of;
    const float* z;
    const T* p;
    DWELL_FN T operator[](int place) const { return of(z[place], p[place]); }
  };
  DWELL_FN cells row(long long first) const {
    const cells c{of, first < 0 ? no_z : z + first, first < 0 ? no_p : p + first};
    in_memory(c.z, c.p);
    return c;
  }
};

/// A row of cells in halves, with all that A reads of it. Flat: there are no faces along y.
template <class T, bool Flat, class Values>
class pair_row {
 public:
  struct pair {
    T even, odd, a_even, a_odd;
  };

  DWELL_FN pair_row(const device_operator<T>& g, const Values& of, int row)
      : evens_(g.evens()), odds_(g.odds()), ring_(g.wraps[2] && g.n[2] > 1) {
    const int nz = g.n[0], ny = g.n[1], nx = g.n[2], k = row / ny, j = row % ny;
    const auto at = [&](bool there, int plane, int line) {
      return of.row(there ? (static_cast<long long>(plane) * ny + line) * nx : -1);
    };
    own_ = at(true, k, j);
    rows_[0] = at(k > 0 || g.wraps[0], k > 0 ? k - 1 : nz - 1, j);
    rows_[1] = at(k < nz - 1 || g.wraps[0], k < nz - 1 ? k + 1 : 0, j);
    faces_[0] = g.pool + g.z[row];
    faces_[1] = g.pool + g.z[row + ny];
    if constexpr (!Flat) {
      rows_[2] = at(j > 0 || g.wraps[1], k, j > 0 ? j - 1 : ny - 1);
      rows_[3] = at(j < ny - 1 || g.wraps[1], k, j < ny - 1 ? j + 1 : 0);
      const long long face = static_cast<long long>(k) * (ny + 1) + j;
      faces_[2] = g.pool + g.y[face];
      faces_[3] = g.pool + g.y[face + 1];
    }
    DWELL_UNROLL
    for (int side = 0; side < sides; ++side) in_memory(faces_[side]);
    even_faces_ = g.pool + g.x[row];
    odd_faces_ = even_faces_ + nx / 2 + 1;
    s_ = g.pool + g.s[row];
    in_memory(even_faces_, odd_faces_, s_);
  }

  /// Values of cells 2i and 2i + 1; where there is no odd one, something.
  DWELL_FN pair operator()(int i) const {
    const bool has_odd = i < odds_;
    const int o = has_odd ? evens_ + i : i;
    // Cells before the even one and after the odd one; -1 where there is none.
    const int low_at = i > 0            ? evens_ + i - 1
                       : !ring_         ? -1
                       : evens_ > odds_ ? evens_ - 1
                                        : evens_ + odds_ - 1;
    const int high_at = i + 1 < evens_ ? i + 1 : ring_ ? 0 : -1;
    const T even = own_[i], odd = own_[o];
    const T some_low = own_[low_at < 0 ? i : low_at], some_high = own_[high_at < 0 ? i : high_at];
    const T low = low_at < 0 ? T(0) : some_low, high = high_at < 0 ? T(0) : some_high;
    const T after_even = has_odd ? odd : high;
    const T low_w = even_faces_[i], mid_w = odd_faces_[i], high_w = even_faces_[i + 1];
    const T of_even = sum(i, even, low_w * (even - low) + mid_w * (even - after_even)),
            of_odd = sum(o, odd, mid_w * (odd - even) + high_w * (odd - high));
    return {even, odd, of_even + s_[i] * even, of_odd + s_[o] * odd};
  }

 private:
  /// along_x, and what goes through the faces along z and y, in the order of half_cells.
  DWELL_FN T sum(int place, T own, T along_x) const {
    const auto through = [&](int side) { return faces_[side][place] * (own - rows_[side][place]); };
    T all = along_x + (through(0) + through(1));
    if constexpr (!Flat) all += through(2) + through(3);
    return all;
  }

  static constexpr int sides = Flat ? 2 : 4;
  using cells = typename Values::cells;
  int evens_, odds_;
  bool ring_;
  cells own_, rows_[sides];
  const T *faces_[sides], *even_faces_, *odd_faces_, *s_;
};

}  // namespace dwell::grids
