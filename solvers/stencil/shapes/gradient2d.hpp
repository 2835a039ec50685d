// SPDX-License-Identifier: MIT
// gradient2d: diffusion that slows down where the field is steep (Perona and Malik, IEEE PAMI 12,
// 1990): not linear, so it writes `apply`. Parameters: the rate (at most 1/4 keeps values between
// their neighbours'), and 1 / k^2, where k is the difference at which the flow has fallen to half.
#pragma once
#include "dwell/execution/core/sweep.hpp"

namespace dwell {

struct gradient2d {
  static constexpr const char* name = "gradient2d";
  static constexpr int dims = 2;
  static constexpr tap taps[] = {{0, 0}, {-1, 0}, {1, 0}, {0, -1}, {0, 1}};
  static constexpr double defaults[] = {0.2, 4.0};
  static constexpr int flops = 24;

  template <class T, class Near>
  DWELL_FN static T apply(const Near& u, const T* w) {
    const T here = u(0, 0);
    const T flows = (flow(u(-1, 0) - here, w[1]) + flow(u(1, 0) - here, w[1])) +
                    (flow(u(0, -1) - here, w[1]) + flow(u(0, 1) - here, w[1]));
    return multiply_add(w[0], flows, here);
  }

 private:
  template <class T>
  DWELL_FN static T flow(T difference, T steepness) {
    return difference / multiply_add(difference * difference, steepness, T(1));
  }
};

}  // namespace dwell
