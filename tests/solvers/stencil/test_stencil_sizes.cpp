// SPDX-License-Identifier: MIT
// Fields of 60 arbitrary sizes, half of them of odd width, under the plans that are made where
// nothing is asked for: all executors and `auto` have the bits of plain loops. How fast they are,
// scripts/measure/regret.py measures.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

namespace dwell::test {
namespace {

/// Axes of about equal chance on a scale of ratios; no field is larger than a CPU's tests bear.
class size_source {
 public:
  extents next(int dims) {
    for (;;) {
      const extents n = dims == 3 ? extents(axis(6, 90), axis(6, 90), axis(20, 300))
                                  : extents(axis(12, 600), axis(20, 900));
      if (n.cells() > 4000 && n.cells() < 150000) return n;
    }
  }
  int steps() { return 5 + static_cast<int>(random_() % 9); }

 private:
  int axis(double least, double most) {
    const double part = static_cast<double>(random_() % 4096) / 4096;
    return static_cast<int>(least * std::pow(most / least, part));
  }
  std::mt19937 random_{21};
};

TEST(stencil_sizes, all_executors_have_the_bits_of_loops) {
  if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
  const device where = stencil_place::where();
  const auto shapes = stencil_place::shapes();
  std::vector<std::string> executors = {"host-loop", "persistent", "perks", "temporal", "auto"};
  if (where.on() == backend::cuda) executors.emplace_back("graph");
  size_source sizes;
  int odd = 0;
  for (std::size_t k = 0; k < 60; ++k) {
    stencil_options o;
    o.shape = shapes[k % shapes.size()];
    o.steps = sizes.steps();
    o.weights = uneven_weights(o.shape);
    const extents n = sizes.next(find_stencil_shape(o.shape).dims);
    odd += n.x % 2;
    const auto start = random_field<double>(n, static_cast<unsigned>(k)),
               source = random_field<double>(n, 100);
    const grid<double>* f = k % 4 == 3 ? &source : nullptr;
    const auto expected = stencil_by_loops(o.shape, start, o.steps, o.edge, o.weights, f);
    for (const auto& executor : executors) {
      if (executor != "auto" && !stencil_place::absent(o.shape, executor).empty()) continue;
      o.executor = executor;
      auto u = start;
      const auto report = solve(where, u, o, f);
      EXPECT_EQ(difference(u, expected), "")
          << o.shape << ' ' << to_string(n) << ", " << executor << ": " << report.reason;
    }
  }
  EXPECT_GE(odd, 20);
}

/// A test of the largest change reads whole fields, with the padding between their rows.
TEST(stencil_sizes, odd_widths_end_at_a_tolerance) {
  if (const auto why = stencil_place::absent(); !why.empty()) GTEST_SKIP() << why;
  for (const char* shape : {"2d5pt", "3d7pt"})
    for (const char* executor : {"host-loop", "persistent", "auto"}) {
      stencil_options o;
      o.shape = shape;
      o.executor = executor;
      o.steps = 4000;
      o.until = 1e-3;
      o.check_every = 4;
      const extents n = o.shape == "2d5pt" ? extents(21, 53) : extents(9, 10, 37);
      const auto start = random_field<double>(n, 3);
      auto u = start;
      const auto report = solve(stencil_place::where(), u, o);
      EXPECT_EQ(report.stopped, stencil_stop::converged) << shape << ' ' << executor;
      EXPECT_EQ(difference(u, stencil_by_loops(o.shape, start, report.steps, o.edge)), "");
    }
}

}  // namespace
}  // namespace dwell::test
