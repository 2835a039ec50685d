// SPDX-License-Identifier: MIT
// T = L D L' with D = 1 / alpha: eigenvalues by bisection, counted in the factors themselves
// (Parlett and Dhillon's stationary transform, LAA 309, 2000), which finds the smallest ones to
// high relative accuracy where T's own elements do not hold it.
#include "dwell/solvers/linear/run/lanczos.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace dwell {
namespace {

/// A row of T has the elements d + (c of the row before) and, beside the diagonal, sqrt(c d).
struct factors {
  double d;  ///< 1 / alpha
  double c;  ///< beta / alpha of the step that follows; 0 where the recurrence began anew
};

/// Eigenvalues under x.
int count_under(std::span<const factors> t, double x) {
  int count = 0;
  double s = -x;
  for (const factors& f : t) {
    double pivot = f.d + s;
    if (pivot == 0.0) pivot = std::numeric_limits<double>::min();
    if (pivot < 0.0) ++count;
    s = f.c * (s / pivot) - x;
  }
  return count;
}

/// The eigenvalue that has `rank` others under it, in (0, most].
double eigenvalue(std::span<const factors> t, int rank, double most) {
  double above = most, below = most;
  for (double step = 2.0; count_under(t, below) > rank; step *= step) {
    above = below;
    below /= step;
    if (below == 0.0) return 0.0;
  }
  while (above > 1.01 * below) {
    const double middle = std::sqrt(above) * std::sqrt(below);
    (count_under(t, middle) > rank ? above : below) = middle;
  }
  return std::sqrt(above) * std::sqrt(below);
}

}  // namespace

spectrum_seen spectrum_of(std::span<const step_coefficients> by) {
  std::vector<factors> t;
  double most = 0.0;
  for (std::size_t k = 1; k < by.size(); ++k) {
    const double alpha = by[k].alpha, beta = by[k].weight / by[k - 1].weight;
    if (!(alpha > 0.0) || !std::isfinite(alpha)) {
      if (!t.empty()) t.back().c = 0.0;
      continue;
    }
    const bool follows = std::isfinite(beta) && beta > 0.0;
    t.push_back({1.0 / alpha, follows ? beta / alpha : 0.0});
    most = std::max({most, t.back().d, t.back().c});
  }
  if (t.size() < 2) return {};
  t.back().c = 0.0;
  most *= 4.0;  // no row of T has a larger sum of magnitudes
  const double smallest = eigenvalue(t, 0, most);
  const double largest = eigenvalue(t, static_cast<int>(t.size()) - 1, most);
  if (!(smallest > 0.0)) return {};
  return {smallest, std::max(smallest, largest)};
}

}  // namespace dwell
