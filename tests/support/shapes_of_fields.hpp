// SPDX-License-Identifier: MIT
// Stencils of several fields for tests of engine ring_fields2d, each of another kind: what a cell
// becomes, by view.tap<array, dz, dy, dx>(), and what is read; any border may be put around them.
// And the plain loop over all cells that they are compared with.
#pragma once
#include <array>
#include <cstddef>
#include <utility>

#include "dwell/execution/stencil/engines/ring_fields2d/sizes.hpp"

namespace dwell::shapes_of_fields {

using enum side_kind;

struct fixed_border {
  static constexpr side_kind beyond(int, int, int) { return fixed; }
};

/// The wave equation: u' = 2 u - v + c (n + s + w + e - 4 u), v' = u.
struct wave : fixed_border {
  static constexpr int fields = 2, coefficients = 1, parameters = 0, stages = 1, radius = 1;
  template <int>
  static constexpr auto taps() {
    return std::array<field_tap, 7>{
        {{0, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}, {1, 0, 0}, {2, 0, 0}}};
  }
  template <int>
  static constexpr bool writes(int) {
    return true;
  }
  template <int>
  static constexpr int copy_of(int f) {
    return f == 1 ? 0 : -1;
  }
  template <int, class V>
  DWELL_HD static void step(const V& v) {
    using T = typename V::value;
    const T u = v.template tap<0, 0, 0, 0>();
    const T around = v.template tap<0, 0, -1, 0>() + v.template tap<0, 0, 1, 0>() +
                     v.template tap<0, 0, 0, -1>() + v.template tap<0, 0, 0, 1>() - T(4) * u;
    v.template put<0>(T(2) * u - v.template tap<1, 0, 0, 0>() +
                      v.template tap<2, 0, 0, 0>() * around);
  }
};

/// The wave equation in order 4: radius 2.
struct wave4 : fixed_border {
  static constexpr int fields = 2, coefficients = 1, parameters = 0, stages = 1, radius = 2;
  template <int>
  static constexpr auto taps() {
    return std::array<field_tap, 11>{{{0, 0, 0},
                                      {0, -1, 0},
                                      {0, 1, 0},
                                      {0, 0, -1},
                                      {0, 0, 1},
                                      {0, -2, 0},
                                      {0, 2, 0},
                                      {0, 0, -2},
                                      {0, 0, 2},
                                      {1, 0, 0},
                                      {2, 0, 0}}};
  }
  template <int>
  static constexpr bool writes(int) {
    return true;
  }
  template <int>
  static constexpr int copy_of(int f) {
    return f == 1 ? 0 : -1;
  }
  template <int, class V>
  DWELL_HD static void step(const V& v) {
    using T = typename V::value;
    const T u = v.template tap<0, 0, 0, 0>();
    const T near = v.template tap<0, 0, -1, 0>() + v.template tap<0, 0, 1, 0>() +
                   v.template tap<0, 0, 0, -1>() + v.template tap<0, 0, 0, 1>();
    const T far = v.template tap<0, 0, -2, 0>() + v.template tap<0, 0, 2, 0>() +
                  v.template tap<0, 0, 0, -2>() + v.template tap<0, 0, 0, 2>();
    v.template put<0>(T(2) * u - v.template tap<1, 0, 0, 0>() +
                      v.template tap<2, 0, 0, 0>() *
                          (T(4.0 / 3) * near - T(1.0 / 12) * far - T(5) * u));
  }
};

/// Oscillators that know nothing of each other: u' = 2 u - v - c u, v' = u. No neighbour is read.
struct oscillators : fixed_border {
  static constexpr int fields = 2, coefficients = 1, parameters = 0, stages = 1, radius = 0;
  template <int>
  static constexpr auto taps() {
    return std::array<field_tap, 3>{{{0, 0, 0}, {1, 0, 0}, {2, 0, 0}}};
  }
  template <int>
  static constexpr bool writes(int) {
    return true;
  }
  template <int>
  static constexpr int copy_of(int f) {
    return f == 1 ? 0 : -1;
  }
  template <int, class V>
  DWELL_HD static void step(const V& v) {
    using T = typename V::value;
    const T u = v.template tap<0, 0, 0, 0>();
    v.template put<0>(T(2) * u - v.template tap<1, 0, 0, 0>() - v.template tap<2, 0, 0, 0>() * u);
  }
};

/// Heat with a conductivity per cell: u' = u + k (n + s + w + e - 4 u).
struct heat : fixed_border {
  static constexpr int fields = 1, coefficients = 1, parameters = 0, stages = 1, radius = 1;
  template <int>
  static constexpr auto taps() {
    return std::array<field_tap, 6>{
        {{0, 0, 0}, {0, -1, 0}, {0, 1, 0}, {0, 0, -1}, {0, 0, 1}, {1, 0, 0}}};
  }
  template <int>
  static constexpr bool writes(int) {
    return true;
  }
  template <int>
  static constexpr int copy_of(int) {
    return -1;
  }
  template <int, class V>
  DWELL_HD static void step(const V& v) {
    using T = typename V::value;
    const T u = v.template tap<0, 0, 0, 0>();
    v.template put<0>(u + v.template tap<1, 0, 0, 0>() *
                              (v.template tap<0, 0, -1, 0>() + v.template tap<0, 0, 1, 0>() +
                               v.template tap<0, 0, 0, -1>() + v.template tap<0, 0, 0, 1>() -
                               T(4) * u));
  }
};

/// Gray and Scott's reaction and diffusion: two fields, not linear, four parameters.
struct gray_scott : fixed_border {
  static constexpr int fields = 2, coefficients = 0, parameters = 4, stages = 1, radius = 1;
  template <int>
  static constexpr auto taps() {
    return std::array<field_tap, 10>{{{0, 0, 0},
                                      {0, -1, 0},
                                      {0, 1, 0},
                                      {0, 0, -1},
                                      {0, 0, 1},
                                      {1, 0, 0},
                                      {1, -1, 0},
                                      {1, 1, 0},
                                      {1, 0, -1},
                                      {1, 0, 1}}};
  }
  template <int>
  static constexpr bool writes(int) {
    return true;
  }
  template <int>
  static constexpr int copy_of(int) {
    return -1;
  }
  template <int, class V>
  DWELL_HD static void step(const V& v) {
    using T = typename V::value;
    const T a = v.template tap<0, 0, 0, 0>(), b = v.template tap<1, 0, 0, 0>();
    const T around_a = v.template tap<0, 0, -1, 0>() + v.template tap<0, 0, 1, 0>() +
                       v.template tap<0, 0, 0, -1>() + v.template tap<0, 0, 0, 1>() - T(4) * a;
    const T around_b = v.template tap<1, 0, -1, 0>() + v.template tap<1, 0, 1, 0>() +
                       v.template tap<1, 0, 0, -1>() + v.template tap<1, 0, 0, 1>() - T(4) * b;
    const T reaction = a * b * b;
    v.template put<0>(a + (v.template parameter<0>() * around_a - reaction +
                           v.template parameter<2>() * (T(1) - a)));
    v.template put<1>(
        b + (v.template parameter<1>() * around_b + reaction - v.template parameter<3>() * b));
  }
};

/// Yee's scheme for E, Hx and Hy: two stages, which read on one side each.
struct fdtd : fixed_border {
  static constexpr int fields = 3, coefficients = 1, parameters = 1, stages = 2, radius = 1;
  template <int G>
  static constexpr auto taps() {
    if constexpr (G == 0)
      return std::array<field_tap, 5>{{{0, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {2, 0, 0}}};
    else
      return std::array<field_tap, 6>{
          {{0, 0, 0}, {1, 0, 0}, {1, -1, 0}, {2, 0, 0}, {2, 0, -1}, {3, 0, 0}}};
  }
  template <int G>
  static constexpr bool writes(int f) {
    return G == 0 ? f > 0 : f == 0;
  }
  template <int>
  static constexpr int copy_of(int) {
    return -1;
  }
  template <int G, class V>
  DWELL_HD static void step(const V& v) {
    using T = typename V::value;
    const T e = v.template tap<0, 0, 0, 0>(), hx = v.template tap<1, 0, 0, 0>(),
            hy = v.template tap<2, 0, 0, 0>();
    if constexpr (G == 0) {
      const T p = v.template parameter<0>();
      v.template put<1>(hx - p * (v.template tap<0, 0, 1, 0>() - e));
      v.template put<2>(hy + p * (v.template tap<0, 0, 0, 1>() - e));
    } else {
      v.template put<0>(e + v.template tap<3, 0, 0, 0>() * ((hy - v.template tap<2, 0, 0, -1>()) -
                                                            (hx - v.template tap<1, 0, -1, 0>())));
    }
  }
};

/// Two fields that read all around them, corners too; no row and column are read alike.
struct box : fixed_border {
  static constexpr int fields = 2, coefficients = 1, parameters = 1, stages = 1, radius = 1;
  template <int>
  static constexpr auto taps() {
    return std::array<field_tap, 13>{{{0, -1, -1},
                                      {0, -1, 0},
                                      {0, -1, 1},
                                      {0, 0, -1},
                                      {0, 0, 0},
                                      {0, 0, 1},
                                      {0, 1, -1},
                                      {0, 1, 0},
                                      {0, 1, 1},
                                      {1, 0, 0},
                                      {1, -1, 1},
                                      {1, 1, 0},
                                      {2, 0, 0}}};
  }
  template <int>
  static constexpr bool writes(int) {
    return true;
  }
  template <int>
  static constexpr int copy_of(int) {
    return -1;
  }
  template <int, class V>
  DWELL_HD static void step(const V& v) {
    using T = typename V::value;
    const T a = v.template tap<0, 0, -1, -1>() + v.template tap<0, 0, -1, 1>() * T(2) -
                v.template tap<0, 0, 1, -1>() + v.template tap<0, 0, 1, 1>() * T(0.5);
    const T b = v.template tap<0, 0, -1, 0>() - v.template tap<0, 0, 1, 0>() +
                v.template tap<0, 0, 0, -1>() * T(0.25) - v.template tap<0, 0, 0, 1>();
    const T p = v.template tap<0, 0, 0, 0>(), q = v.template tap<1, 0, 0, 0>();
    v.template put<0>(p * T(0.5) +
                      v.template parameter<0>() * (a + b) * v.template tap<2, 0, 0, 0>() +
                      q * T(0.1));
    v.template put<1>(q * T(0.5) + v.template tap<1, 0, -1, 1>() * T(0.25) -
                      v.template tap<1, 0, 1, 0>() * T(0.125) + p * p * T(0.01));
  }
};

/// Advection upwind: reads on one side only, two coefficients.
struct upwind : fixed_border {
  static constexpr int fields = 1, coefficients = 2, parameters = 0, stages = 1, radius = 1;
  template <int>
  static constexpr auto taps() {
    return std::array<field_tap, 5>{{{0, 0, 0}, {0, -1, 0}, {0, 0, -1}, {1, 0, 0}, {2, 0, 0}}};
  }
  template <int>
  static constexpr bool writes(int) {
    return true;
  }
  template <int>
  static constexpr int copy_of(int) {
    return -1;
  }
  template <int, class V>
  DWELL_HD static void step(const V& v) {
    using T = typename V::value;
    const T u = v.template tap<0, 0, 0, 0>();
    v.template put<0>(u - v.template tap<1, 0, 0, 0>() * (u - v.template tap<0, 0, 0, -1>()) -
                      v.template tap<2, 0, 0, 0>() * (u - v.template tap<0, 0, -1, 0>()));
  }
};

/// Another border: Y0 and Y1 below and above, X0 and X1 left and right. Vary: of every second field
/// another one. Coefficients go around with the fields, or are those of the nearest cell.
template <class S, side_kind Y0, side_kind Y1, side_kind X0, side_kind X1, bool Vary = false>
struct with_border : S {
  static constexpr side_kind beyond(int array, int axis, int side) {
    const side_kind b = axis == 0 ? (side ? Y1 : Y0) : (side ? X1 : X0);
    if (b == periodic) return b;
    if (array >= S::fields) return nearest;
    if (b == fixed || !Vary || array % 2 == 0) return b;
    return side_kind((static_cast<int>(b) + 1) % 5 + 1);
  }
};

/// A cell of whole arrays, as the plain loop sees it.
template <class S, class T>
struct plain_cell {
  using value = T;
  const T* const* arrays;
  const T* p;
  const T* outside;  ///< [array][axis][side]
  T* next;
  int nx, ny, pitch, x, y;

  template <int P>
  DWELL_HD T parameter() const {
    return p[P];
  }
  template <int F>
  DWELL_HD void put(T v) const {
    next[F] = v;
  }
  template <int A, int, int Dy, int Dx>
  DWELL_HD T tap() const {
    const int yy = y + Dy, xx = x + Dx;
    const bool high_y = yy >= ny, high_x = xx >= nx;
    const side_kind by_y = S::beyond(A, 0, high_y), by_x = S::beyond(A, 1, high_x);
    bool minus = false;
    // Axes apply one after the other, x last, as numpy.pad does.
    if (xx < 0 || high_x) {
      if (by_x == constant) return outside[A * 4 + 2 + high_x];
      minus = by_x == antisymmetric;
    }
    T v;
    if ((yy < 0 || high_y) && by_y == constant) {
      v = outside[A * 4 + high_y];
    } else {
      v = arrays[A][static_cast<std::size_t>(found(by_y, yy, ny)) * pitch + found(by_x, xx, nx)];
      if ((yy < 0 || high_y) && by_y == antisymmetric) v = -v;
    }
    return minus ? -v : v;
  }
  /// Keeps its value in every step.
  DWELL_HD bool is_fixed() const {
    constexpr int r = S::radius;
    return (S::beyond(0, 0, 0) == fixed && y < r) || (S::beyond(0, 0, 1) == fixed && y >= ny - r) ||
           (S::beyond(0, 1, 0) == fixed && x < r) || (S::beyond(0, 1, 1) == fixed && x >= nx - r);
  }
  /// Stage G of the cell: new values of all fields.
  template <int G>
  DWELL_HD void stage() const {
    keep<0>();
    if (is_fixed()) return;
    S::template step<G>(*this);
    copy<G, 0>();
  }

 private:
  template <int F>
  DWELL_HD void keep() const {
    if constexpr (F < S::fields) {
      next[F] = arrays[F][static_cast<std::size_t>(y) * pitch + x];
      keep<F + 1>();
    }
  }
  template <int G, int F>
  DWELL_HD void copy() const {
    if constexpr (F < S::fields) {
      if constexpr (S::template copy_of<G>(F) >= 0)
        next[F] = tap<S::template copy_of<G>(F), 0, 0, 0>();
      copy<G, F + 1>();
    }
  }
  DWELL_HD static int found(side_kind b, int i, int n) {
    if (i >= 0 && i < n) return i;
    if (b == periodic) return (i % n + n) % n;
    if (b == nearest || b == fixed) return i < 0 ? 0 : n - 1;
    if (b == mirror) return i < 0 ? -i : 2 * (n - 1) - i;
    return i < 0 ? -1 - i : 2 * n - 1 - i;
  }
};

}  // namespace dwell::shapes_of_fields
