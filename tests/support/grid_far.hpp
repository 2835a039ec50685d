// SPDX-License-Identifier: MIT
// Systems on grids whose coefficients or right-hand sides are so large or so small that the answer
// may be too large or too small for its type, and what is to be said then.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "dwell/grid/grid_operator.hpp"
#include "grid_problem.hpp"

namespace dwell::testing {

template <class T>
struct far_grid {
  grid_problem<T> p;
  std::vector<T> b, start;
  double rtol;
  int answer;  ///< magnitudes of answers are about 2^answer

  explicit far_grid(unsigned seed) {
    std::mt19937 random(seed);
    const auto between = [&](int low, int high) {
      return low + int(random() % unsigned(high - low + 1));
    };
    const int dims = between(1, 3), far = sizeof(T) == 8 ? 1074 : 149;
    for (int a = 0; a < dims; ++a) {
      p.d.cells.push_back(between(1, dims == 3 ? 4 : 9));
      p.d.spacing.push_back(1);
      for (auto& side : p.d.boundary.sides[std::size_t(a)])
        side.kind = between(0, 2) ? boundary_kind::dirichlet : boundary_kind::neumann;
    }
    const auto often_an_end = [&](int low, int high) {
      const int which = between(0, 5);
      return which == 0 ? low : which == 1 ? high : between(low, high);
    };
    const int of_k = often_an_end(-far + 2, far - 60), of_b = often_an_end(-far, far - 60);
    answer = of_b - of_k;
    p.d.k = T(std::ldexp(1.0, of_k));
    rtol = sizeof(T) == 8 ? 1e-8 : 1e-3;
    const bool from_zero = between(0, 1) == 0;
    for (std::size_t i = 0; i < p.cells(); ++i) {
      const double sign = between(0, 1) ? 1 : -1;
      b.push_back(T(std::ldexp(sign * (1 + between(0, 7) / 8.0), of_b)));
      const int e = std::min(std::max(answer, -far), sizeof(T) == 8 ? 1020 : 120);
      start.push_back(from_zero ? T(0) : T(std::ldexp(sign, e)));
    }
  }

  /// What a solve from `start` has said and answered, judged in long double by the operator's
  /// terms.
  void expect_honest(stop_reason stopped, const std::vector<T>& u) const {
    SCOPED_TRACE(::testing::Message()
                 << "k " << p.d.k << ", b " << b[0] << ", start " << start[0] << ", u " << u[0]
                 << ", " << b.size() << " cells, " << to_string(stopped));
    for (const T v : u) ASSERT_TRUE(std::isfinite(v));
    long double left = 0, norm = 0, mean = 0;
    const std::vector<long double> au = product(u);
    if (grid_operator<T>(device::cpu(1), p.d).singular())
      for (const T v : b) mean += static_cast<long double>(v) / static_cast<long double>(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) {
      const long double of = static_cast<long double>(b[i]) - mean;
      left += (of - au[i]) * (of - au[i]);
      norm += of * of;
    }
    const int most = sizeof(T) == 8 ? 1000 : 100, least = sizeof(T) == 8 ? -960 : -90;
    if ((answer > least && answer < most) || norm == 0) {
      EXPECT_EQ(stopped, stop_reason::converged);
    } else if (answer > most + 80) {
      EXPECT_EQ(stopped, stop_reason::not_finite);
    } else if (answer < least - 200 && !(start[0] != 0 && stopped == stop_reason::not_finite)) {
      // Beside such an answer the least start is so large that its residual may overflow.
      EXPECT_EQ(stopped, stop_reason::accuracy_limit);
    }
    if (stopped == stop_reason::not_finite) {
      EXPECT_EQ(u, start);
    }
    if (stopped == stop_reason::converged) {
      EXPECT_LE(std::sqrt(left), 1.01L * static_cast<long double>(rtol) * std::sqrt(norm));
    }
  }

 private:
  std::vector<long double> product(const std::vector<T>& u) const {
    const auto k = static_cast<long double>(p.d.k);
    std::vector<long double> out(u.size());
    std::size_t stride = 1;
    for (std::size_t a = p.d.cells.size(); a-- > 0; stride *= std::size_t(p.d.cells[a])) {
      const auto n = std::size_t(p.d.cells[a]);
      for (std::size_t i = 0; i < u.size(); ++i) {
        const std::size_t at = i / stride % n;
        const auto own = static_cast<long double>(u[i]);
        for (const bool high : {false, true}) {
          if (at != (high ? n - 1 : 0))
            out[i] += k * (own - static_cast<long double>(u[high ? i + stride : i - stride]));
          else if (p.d.boundary.sides[a][high].kind == boundary_kind::dirichlet)
            out[i] += 2 * k * own;
        }
      }
    }
    return out;
  }
};

}  // namespace dwell::testing
