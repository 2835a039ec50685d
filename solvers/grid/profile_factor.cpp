// SPDX-License-Identifier: MIT
// The profile and its factorization.
#include "dwell/solvers/grid/profile_factor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "dwell/base/parallel.hpp"
#include "dwell/solvers/grid/half_rows.hpp"
#include "dwell/solvers/grid/setup_threads.hpp"

namespace dwell::grids {

profile_factor::profile_factor(const position& n, bool singular, bool halved,
                               const std::function<void(const sink&)>& elements) {
  // The longest axis is the slowest, for a narrow profile.
  std::array<int, 3> order{0, 1, 2};
  std::sort(order.begin(), order.end(),
            [&](int p, int q) { return n[std::size_t(p)] > n[std::size_t(q)]; });
  std::array<std::size_t, 3> stride{};
  std::size_t all = 1;
  for (int o = 2; o >= 0; --o) {
    const auto axis = std::size_t(order[std::size_t(o)]);
    stride[axis] = all;
    all *= std::size_t(n[axis]);
  }
  const auto number = [&](const position& p) {
    return std::size_t(p[0]) * stride[0] + std::size_t(p[1]) * stride[1] +
           std::size_t(p[2]) * stride[2];
  };
  place_.resize(all), first_.resize(all), start_.resize(all), x_.resize(all);
  std::iota(first_.begin(), first_.end(), std::size_t(0));
  elements([&](const position& p, const position& q, double) {
    const std::size_t i = number(p), j = number(q);
    if (j < i) first_[i] = std::min(first_[i], j);
  });
  std::size_t size = 0;
  for (std::size_t i = 0; i < all; ++i) start_[i] = size, size += i - first_[i] + 1;
  l_.assign(size, 0.0);
  elements([&](const position& p, const position& q, double v) {
    const std::size_t i = number(p), j = number(q);
    if (j <= i) row(i)[j - first_[i]] += v;
  });
  position p;
  for (p[0] = 0; p[0] < n[0]; ++p[0])
    for (p[1] = 0; p[1] < n[1]; ++p[1])
      for (p[2] = 0; p[2] < n[2]; ++p[2])
        place_[number(p)] =
            (std::size_t(p[0]) * std::size_t(n[1]) + std::size_t(p[1])) * std::size_t(n[2]) +
            (halved ? std::size_t(p[2] % 2 ? evens_of(n[2]) : 0) + std::size_t(p[2] / 2)
                    : std::size_t(p[2]));
  if (singular) {
    double& held = l_.back();
    held = held > 0 ? 2 * held : 1;
  }
  for (std::size_t i = 0; i < all; ++i) {
    double* const li = row(i);
    for (std::size_t j = first_[i]; j <= i; ++j) {
      const double* const lj = row(j);
      const std::size_t from = std::max(first_[i], first_[j]);
      double sum = li[j - first_[i]];
      for (std::size_t c = from; c < j; ++c) sum -= li[c - first_[i]] * lj[c - first_[j]];
      if (j < i)
        li[j - first_[i]] = sum * lj[j - first_[j]];
      else  // a pivot that rounding has made 0 leaves its unknown out
        li[j - first_[i]] = sum > 0 ? 1 / std::sqrt(sum) : 0;
    }
  }
}

template <class V>
profile_factor::profile_factor(const coefficients<V>& a, bool singular)
    : profile_factor(a.shape.n, singular, true, [&a](const sink& put) {
        const std::array<int, 3> n = a.shape.n;
        position p;
        for (p[0] = 0; p[0] < n[0]; ++p[0])
          for (p[1] = 0; p[1] < n[1]; ++p[1])
            for (p[2] = 0; p[2] < n[2]; ++p[2]) {
              const V faces[3][2] = {
                  {a.z_faces(p[0], p[1])[p[2]], a.z_faces(p[0] + 1, p[1])[p[2]]},
                  {a.y_faces(p[0], p[1])[p[2]], a.y_faces(p[0], p[1] + 1)[p[2]]},
                  {a.x_faces(p[0], p[1])[p[2]], a.x_faces(p[0], p[1])[p[2] + 1]}};
              for (std::size_t axis = 0; axis < 3; ++axis)
                for (const int step : {-1, 1}) {
                  position q = p;
                  q[axis] += step;
                  const bool beyond = q[axis] < 0 || q[axis] == n[axis];
                  q[axis] = (q[axis] + n[axis]) % n[axis];
                  const double w = double(faces[axis][step > 0]);
                  put(p, p, w);
                  if (!beyond || a.shape.wraps[axis]) put(p, q, -w);
                }
              put(p, p, double(a.s_cells(p[0], p[1])[p[2]]));
            }
      }) {}

void profile_factor::inverse(double* to) const {
  constexpr std::size_t together = 8;
  const std::size_t n = size();
  // Columns from the diagonal down. Later ones are shorter, and dealt in turn.
  const std::size_t groups = (n + together - 1) / together;
  const int parts = setup_threads(groups, n * n);
  for_parts(parts, [&](int part) {
    std::vector<double> x(n * together);
    for (std::size_t group = std::size_t(part); group < groups; group += std::size_t(parts)) {
      const std::size_t first = group * together, count = std::min(together, n - first);
      std::ranges::fill(x, 0.0);
      for (std::size_t k = 0; k < count; ++k) x[(first + k) * together + k] = 1;
      substitute<together>(x.data(), first);
      for (std::size_t i = first; i < n; ++i)
        for (std::size_t k = 0; k < count && first + k <= i; ++k) {
          const double v = x[i * together + k];
          to[place_[first + k] * n + place_[i]] = v;
          to[place_[i] * n + place_[first + k]] = v;
        }
    }
  });
}

template profile_factor::profile_factor(const coefficients<double>&, bool);
template profile_factor::profile_factor(const coefficients<float>&, bool);

}  // namespace dwell::grids
