// SPDX-License-Identifier: MIT
// gradient2d: diffusion that slows down where the field is steep (Perona and Malik, IEEE PAMI 12,
// 1990): not linear, so it writes `apply`.
#pragma once
#include "dwell/stencil/stencil.hpp"

namespace dwell {

struct gradient2d {
  static constexpr const char* name = "gradient2d";
  static constexpr const char* about =
      "u + w1 (f(n) + f(s) + f(w) + f(e)), where n, s, w, e are the differences of the\n"
      "neighbours to the cell and f(d) = d / (1 + w2 d^2): diffusion that slows down\n"
      "where the field is steep (Perona and Malik, 1990).\n"
      "w1  the rate: stable from 0 to 1/4, where every value stays between those of\n"
      "    the cell and its neighbours; beyond that cells overshoot\n"
      "w2  1 / k^2, at least 0; k is the difference at which the flow is half of what\n"
      "    plain diffusion has";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  static constexpr double defaults[] = {0.2, 4.0};
  static constexpr int flops = 31;  // in f32 two less

  template <class T, class Near>
  DWELL_FN static T apply(const Near& u, const T* w) {
    const T here = u(0, 0);
    const fraction<T> down = two_flows(u(-1, 0) - here, u(1, 0) - here, w[1]);
    const fraction<T> across = two_flows(u(0, -1) - here, u(0, 1) - here, w[1]);
    return multiply_add(w[0], sum(down, across), here);
  }

 private:
  template <class T>
  struct fraction {
    T above, below;
  };
  /// p / (1 + p^2 / k^2) + q / (1 + q^2 / k^2) over one denominator: a division takes as long as
  /// all the rest.
  template <class T>
  DWELL_FN static fraction<T> two_flows(T p, T q, T steepness) {
    const T below_p = multiply_add(p * p, steepness, T(1));
    const T below_q = multiply_add(q * q, steepness, T(1));
    return {multiply_add(p, below_q, q * below_p), below_p * below_q};
  }
  /// In f64 over one denominator again, which holds differences up to 2^125 k. In f32 each alone:
  /// 2^30 k.
  template <class T>
  DWELL_FN static T sum(const fraction<T>& a, const fraction<T>& b) {
    if constexpr (sizeof(T) == 4)
      return quotient(a.above, a.below) + quotient(b.above, b.below);
    else
      return quotient(multiply_add(a.above, b.below, b.above * a.below), a.below * b.below);
  }
};

}  // namespace dwell
