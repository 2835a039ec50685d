// SPDX-License-Identifier: MIT
// A Stencil says what a cell becomes in one step of an iterative stencil. A shape is one struct:
//
//   struct star2d5 : linear_stencil<star2d5> {
//     static constexpr const char* name = "2d5pt";
//     static constexpr int dims = 2;
//     static constexpr tap taps[] = {{0, 0}, {0, -1}, {0, 1}, {-1, 0}, {1, 0}};
//   };
//
// Taps are compile-time; weights are values, w[i] belongs to taps[i]. How far taps may reach: 2
// cells along an axis in three dimensions; in two 6 for a linear star, else 8. A shape that is not
// linear lists the cells it reads as taps too, gives its parameters' defaults (`defaults`) and the
// floating point operations per cell (`flops`), and writes
//   template <class T, class Near> DWELL_FN static T apply(const Near& u, const T* w);
// where u(dy, dx) or u(dz, dy, dx) is the cell at that offset. The order of operations is part of
// the description: every executor, plan and backend gives the same bits. What a shape computes, and
// what its weights are, it may say in lines of text (`static constexpr const char* about`), which
// 'dwell info' prints.
#pragma once
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <type_traits>
#include <utility>

#include "dwell/base/fn.hpp"
#include "dwell/base/multiply_add.hpp"

namespace dwell {

/// The place of a neighbour, as an offset from the cell: {dy, dx} in two dimensions, in three
/// {dz, dy, dx}. y grows from row to row, z from plane to plane.
struct tap {
  int dz;                                               ///< planes; 0 in two dimensions
  int dy;                                               ///< rows
  int dx;                                               ///< columns
  constexpr tap() : dz(0), dy(0), dx(0) {}              ///< the cell itself
  constexpr tap(int y, int x) : dz(0), dy(y), dx(x) {}  ///< in two dimensions
  /// In three dimensions.
  constexpr tap(int z, int y, int x) : dz(z), dy(y), dx(x) {}
  /// Its row in two dimensions, its plane in three.
  constexpr int layer(int dims) const { return dims == 3 ? dz : dy; }
};

/// What lies beyond the border, at every step.
enum class boundary {
  fixed,     ///< the outermost `radius` cells keep their values; nothing beyond is read
  periodic,  ///< cell -1 is the last cell
  reflect    ///< cell -1 is cell 0, cell -2 is cell 1: a mirror stands on the border
};

/// 1 / d, correctly rounded, where 2^-1000 <= |d| < 2^1000 (f32: 2^-120 and 2^120), else NaN. In
/// f64 but for the last d before a power of two, whose reciprocal is next to the middle between two
/// numbers: there the lower one, a power of two, as Newton's method has it.
DWELL_HD double reciprocal(double d) {
#if defined(__CUDA_ARCH__)
  double y;  // to 20 bits, then to 60, then as good as rounded
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(y) : "d"(d));
  const double e = std::fma(-d, y, 1.0);
  y = std::fma(y, std::fma(e, e, e), y);
  y = std::fma(y, std::fma(-d, y, 1.0), y);
  const int exponent = __double2hiint(d) >> 20 & 0x7ff;
  const bool within = static_cast<unsigned>(exponent - (1023 - 1000)) < 2000u;
#else
  constexpr std::uint64_t ones = (std::uint64_t{1} << 52) - 1;
  const std::uint64_t above = (std::bit_cast<std::uint64_t>(d) & ones) == ones ? 1 : 0;
  const double y = std::bit_cast<double>(std::bit_cast<std::uint64_t>(1 / d) - above);
  const double size = std::fabs(d);
  const bool within = size >= 0x1p-1000 && size < 0x1p1000;
#endif
  return within ? y : std::numeric_limits<double>::quiet_NaN();
}
/// Reciprocal in f32.
DWELL_HD float reciprocal(float d) {
#if defined(__CUDA_ARCH__)
  float y;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(d));
  y = std::fma(y, std::fma(-d, y, 1.0f), y);
#else
  const float y = 1 / d;
#endif
  const float size = std::fabs(d);
  return size >= 0x1p-120f && size < 0x1p120f ? y : std::numeric_limits<float>::quiet_NaN();
}

/// n / d by the reciprocal of d, for which see above, and the remainder, so that the quotient is
/// correctly rounded too (Markstein, IBM J. Res. Dev. 34, 1990) unless n or it is next to the
/// smallest numbers there are, or n is a power of two and d the last number before one. No backend
/// branches, as a GPU's own division does: the cells of a lane are divided side by side.
template <class T>
DWELL_HD T quotient(T n, T d) {
  const T y = reciprocal(d), q = n * y;
  return multiply_add(multiply_add(-d, q, n), y, q);
}

namespace detail {
/// Taps by layers, from the first to the last: rows in two dimensions, planes in three. Within a
/// layer as they are written.
template <class Shape>
constexpr auto order_of_sum() {
  constexpr std::size_t n = std::size(Shape::taps);
  std::array<std::size_t, n> order{};
  for (std::size_t i = 0; i < n; ++i) {
    std::size_t at = i;
    for (; at > 0 &&
           Shape::taps[order[at - 1]].layer(Shape::dims) > Shape::taps[i].layer(Shape::dims);
         --at)
      order[at] = order[at - 1];
    order[at] = i;
  }
  return order;
}
}  // namespace detail

/// The sum of w[i] * taps[i], by fma, layer by layer (see above) in the order written: a pass that
/// meets one layer after the other can add what it meets, and has the same bits. Always in the
/// place of the call: a loop over cells that calls a function does not become vectors.
template <class Shape>
struct linear_stencil {
  /// The cell's next value: u(dz, dy, dx) is the cell at that offset, w the weights.
  template <class T, class Near>
  [[gnu::always_inline]] DWELL_FN static T apply(const Near& u, const T* w) {
    return add<0>(T{}, u, w, std::make_index_sequence<std::size(Shape::taps)>{});
  }
  /// `acc`, the sum of all layers before, and that of one layer more: what apply() adds after it.
  /// In the first layer that has taps `acc` does not count.
  template <int Layer, class T, class Near>
  [[gnu::always_inline]] DWELL_FN static T add_layer(T acc, const Near& u, const T* w) {
    constexpr std::size_t before = taps_before(Layer);
    return add<before>(acc, u, w, std::make_index_sequence<taps_before(Layer + 1) - before>{});
  }

 private:
  static constexpr std::size_t taps_before(int layer) {
    std::size_t n = 0;
    for (const tap& t : Shape::taps) n += t.layer(Shape::dims) < layer ? 1 : 0;
    return n;
  }
  /// The tap that is added as the i-th.
  template <std::size_t I>
  static constexpr std::size_t nth = detail::order_of_sum<Shape>()[I];

  template <std::size_t Before, class T, class Near, std::size_t... I>
  [[gnu::always_inline]] DWELL_FN static T add(T acc, [[maybe_unused]] const Near& u,
                                               [[maybe_unused]] const T* w,
                                               std::index_sequence<I...>) {
    ((acc = add_one<Before + I>(acc, u, w)), ...);
    return acc;
  }
  template <std::size_t Nth, class T, class Near>
  [[gnu::always_inline]] DWELL_FN static T add_one(T acc, const Near& u, const T* w) {
    constexpr std::size_t i = nth<Nth>;
    constexpr tap t = Shape::taps[i];
    if constexpr (Nth == 0) return w[i] * u(t.dz, t.dy, t.dx);
    return multiply_add(w[i], u(t.dz, t.dy, t.dx), acc);
  }
};

/// Cells that a cell reads.
template <class S>
inline constexpr int tap_count = static_cast<int>(std::size(S::taps));
/// Is it a weighted sum?
template <class S>
inline constexpr bool is_linear = std::is_base_of_v<linear_stencil<S>, S>;

namespace detail {
constexpr int magnitude(int v) { return v < 0 ? -v : v; }
template <class S>
constexpr int reach() {
  int r = 0;
  for (const tap& t : S::taps)
    for (const int d : {magnitude(t.dz), magnitude(t.dy), magnitude(t.dx)}) r = d > r ? d : r;
  return r;
}
template <class S>
constexpr bool star() {
  for (const tap& t : S::taps)
    if ((t.dz != 0) + (t.dy != 0) + (t.dx != 0) > 1) return false;
  return true;
}
template <class S>
constexpr int weights() {
  if constexpr (requires { S::defaults; })
    return static_cast<int>(std::size(S::defaults));
  else
    return tap_count<S>;
}
template <class S>
constexpr int operations() {
  if constexpr (requires { S::flops; })
    return S::flops;
  else
    return 2 * tap_count<S> - 1;
}
}  // namespace detail

/// The farthest neighbour along an axis.
template <class S>
inline constexpr int radius_of = detail::reach<S>();
/// All neighbours lie on the axes.
template <class S>
inline constexpr bool is_star = detail::star<S>();
/// Weights, or parameters.
template <class S>
inline constexpr int weight_count = detail::weights<S>();
/// Floating-point operations per cell and step, a fused multiply-add counted as two.
template <class S>
inline constexpr int flops_of = detail::operations<S>();

/// A struct that says what a cell becomes, as the head of this file has it.
template <class S>
concept Stencil = requires {
  { S::name } -> std::convertible_to<const char*>;
  requires S::dims == 2 || S::dims == 3;
  requires tap_count<S>
  >= 1;
  requires radius_of<S>
  >= 1;
  requires is_linear<S> ||(
      requires { S::defaults; } && requires { S::flops; });
};

/// What the shape says of itself, or "".
template <Stencil S>
constexpr const char* about_of() {
  if constexpr (requires { S::about; })
    return S::about;
  else
    return "";
}

}  // namespace dwell
