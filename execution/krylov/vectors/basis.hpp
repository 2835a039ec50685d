// SPDX-License-Identifier: MIT
// Passes over the basis of a Program as members of workspace. Basis vectors are in device memory;
// an element of theirs is touched by the lane that owns it in every other pass, so that lanes need
// not meet between two of them. Several vectors go by at once, so that their loads are under way
// together.
#pragma once
#include "dwell/execution/krylov/vectors/workspace.hpp"

namespace dwell {

/// Factor k of a combination, times `sign`; the parts of a complex one lie side by side.
template <class T>
DWELL_FN T factor_of(const double* by, int k, double sign) {
  using part = part_type<T>;
  if constexpr (is_complex_value<T>)
    return {static_cast<part>(sign * by[2 * k]), static_cast<part>(sign * by[2 * k + 1])};
  else
    return static_cast<T>(sign * by[k]);
}
template <class T>
DWELL_FN void add_basis_product(T e, T v, double* sum) {
  if constexpr (is_complex_value<T>)
    add_product(e, v, sum);
  else
    sum[0] = std::fma(static_cast<double>(e), static_cast<double>(v), sum[0]);
}

/// f(v, e): e[k] is the element of basis vector first + k.
template <class P, class T, class Team, class Shape>
template <int Count, bool Stores, int... R, int... W, class F>
DWELL_FN void workspace<P, T, Team, Shape>::pass_basis(reads<R...>, writes<W...>, int first,
                                                       F&& f) {
  static_assert(P::in_registers::count == 0 && columns == 1);
  const index owned = part_.end.row - part_.begin.row;
  if (pending_) team_.section([](int) {});
  pending_ = false;
  note_writes<W...>();
  const std::ptrdiff_t rows = a_.matrix.rows;
  T* const from = a_.basis + first * rows + part_.begin.row;
  for (index base = 0; base < owned; base += Team::lanes())
    team_.each([&](int lane) {
      const index at_lane = base + lane;
      if (at_lane >= owned) return;
      T v[P::vectors], e[Count];
      if constexpr (!Stores) {
        DWELL_UNROLL
        for (int k = 0; k < Count; ++k) e[k] = from[k * rows + at_lane];
      }
      ((v[R] = *at<R>(at_lane)), ...);
      f(lane, v, e);
      (put<W>(at_lane, v[W]), ...);
      if constexpr (Stores) from[at_lane] = e[0];
    });
}

template <class P, class T, class Team, class Shape>
template <int... R, int... W, class F>
DWELL_FN void workspace<P, T, Team, Shape>::put_basis(reads<R...> in, writes<W...> out, int k,
                                                      F&& f) {
  pass_basis<1, true>(in, out, k, [&](int, T* v, T* e) { f(v, e[0]); });
}

template <class P, class T, class Team, class Shape>
template <int F>
DWELL_FN void workspace<P, T, Team, Shape>::add_basis(int count, const double* by, double sign,
                                                      bool afresh) {
  constexpr int group = 8;
  const auto add = [&]<int Count>(int first) {
    T factor[Count];
    DWELL_UNROLL
    for (int k = 0; k < Count; ++k) factor[k] = factor_of<T>(by, first + k, sign);
    const bool from_zero = afresh && first == 0;
    pass_basis<Count, false>(reads<F>{}, writes<F>{}, first, [=](int, T* v, T* e) {
      T sum = from_zero ? T(0) : v[F];
      DWELL_UNROLL
      for (int k = 0; k < Count; ++k) sum = multiply_add(factor[k], e[k], sum);
      v[F] = sum;
    });
  };
  int first = 0;
  for (; first + group <= count; first += group) add.template operator()<group>(first);
  for (; first + 2 <= count; first += 2) add.template operator()<2>(first);
  if (first < count) add.template operator()<1>(first);
}

template <class P, class T, class Team, class Shape>
template <int F>
DWELL_FN void workspace<P, T, Team, Shape>::multiply_basis(int count, int set) {
  constexpr int width = sums_per_product<T>;
  constexpr int group = 5 / width;  // sums that travel together: five at most
  const auto multiply = [&]<int Count>(int first) {
    auto acc = team_.template per_lane<sums<Count * width>>();
    team_.each([&](int lane) {
      for (int k = 0; k < Count * width; ++k) acc[lane].v[k] = 0.0;
    });
    pass_basis<Count, false>(reads<F>{}, writes<>{}, first, [&](int lane, T* v, T* e) {
      const T here = v[F];
      DWELL_UNROLL
      for (int k = 0; k < Count; ++k) add_basis_product(e[k], here, acc[lane].v + k * width);
    });
    give(basis_slot(set) + first * width, acc);
  };
  int first = 0;
  for (; first + group <= count; first += group) multiply.template operator()<group>(first);
  for (; first < count; ++first) multiply.template operator()<1>(first);
}

/// A warp takes a sum at a time, and adds it up as total() does.
template <class P, class T, class Team, class Shape>
DWELL_FN void workspace<P, T, Team, Shape>::basis_totals(int count, int set, double* to) {
  constexpr int lanes = Team::warp, at_once = 5;
  const int first = basis_slot(set), summands = team_.summands();
  count *= sums_per_product<T>;
  team_.warps([&](auto& warp) {
    for (int k = warp.number(); k < count; k += Team::warp_count) {
      auto sum = warp.template per_lane<double>();
      warp.each([&](int lane) {
        double all = 0.0;
        for (int block = lane % lanes; block < summands; block += at_once * lanes) {
          double v[at_once];
          DWELL_UNROLL
          for (int i = 0; i < at_once; ++i) {
            const int number = block + i * lanes;
            v[i] = number < summands ? team_.summand(first + k, number) : 0.0;
          }
          DWELL_UNROLL
          for (int i = 0; i < at_once; ++i) all += v[i];
        }
        sum[lane] = all;
      });
      warp.halve_groups(sum, lanes);
      warp.each([&](int lane) {
        if (lane % lanes == 0) to[k] = sum[lane];
      });
    }
  });
  team_.section([](int) {});
  pending_ = false;
}

}  // namespace dwell
