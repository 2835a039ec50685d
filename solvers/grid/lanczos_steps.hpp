// SPDX-License-Identifier: MIT
// Bounds of a spectrum, of some steps of conjugate gradients.
#pragma once
#include <cmath>

#include "dwell/base/fn.hpp"

namespace dwell::grids {

/// The tridiagonal matrix that conjugate gradients find: alpha and beta of each step.
struct lanczos_steps {
  static constexpr int most = 20;
  double alpha[most], beta[most];
  int count = 0;

  DWELL_FN void add(double a, double b) {
    alpha[count] = a;
    beta[count] = b;
    ++count;
  }
  struct bounds {
    double least, most;
  };
  /// Its least and largest eigenvalue, to three digits, by bisection.
  DWELL_APART bounds extremes() const {
    double end = 0;
    for (int i = 0; i < count; ++i) {
      const double of_row =
          diagonal(i) + sqrt(beside(i)) + (i + 1 < count ? sqrt(beside(i + 1)) : 0);
      end = of_row > end ? of_row : end;
    }
    return {eigenvalue(0, end), eigenvalue(count - 1, end)};
  }

 private:
  DWELL_FN double diagonal(int i) const { return 1 / alpha[i] + (i ? beta[i] / alpha[i - 1] : 0); }
  /// The element between rows i - 1 and i, squared.
  DWELL_FN double beside(int i) const { return i ? beta[i] / (alpha[i - 1] * alpha[i - 1]) : 0; }
  /// So many are less than x: signs of the pivots of T - x I.
  DWELL_FN int less(double x) const {
    int found = 0;
    double pivot = 1;
    for (int i = 0; i < count; ++i) {
      pivot = diagonal(i) - x - (i ? beside(i) / pivot : 0);
      if (pivot == 0) pivot = -1e-300;
      found += pivot < 0 ? 1 : 0;
    }
    return found;
  }
  /// The k-th one, between 0 and `end`.
  DWELL_FN double eigenvalue(int k, double end) const {
    double low = 0, high = end;
    for (int step = 0; step < 60 && high - low > 1e-3 * high; ++step) {
      const double middle = 0.5 * (low + high);
      (less(middle) > k ? high : low) = middle;
    }
    return high;
  }
};

}  // namespace dwell::grids
