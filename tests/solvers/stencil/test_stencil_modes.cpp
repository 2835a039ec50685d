// SPDX-License-Identifier: MIT
// Fields that a step multiplies by a number that is known exactly: waves that fit the boundary, for
// every linear shape. Loops that judge bits could share a mistake with the library; this cannot.
//
// A mode is a product of one wave u for each axis, of frequency q; weights do not change where an
// axis is turned round. u(x - d) + u(x + d) = 2 cos(q d) u(x) for any sine or cosine, so that the
// taps of a cell sum up to the cell times the sum of w cos(qx dx) cos(qy dy) cos(qz dz).
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <string>
#include <vector>

#include "stencil_oracle.hpp"
#include "stencil_place.hpp"

namespace dwell::test {
namespace {

constexpr double pi = std::numbers::pi;

/// One axis of a mode.
struct wave {
  double frequency = 0;
  std::vector<double> values = {1.0};
};
/// A wave that fits n cells, `bumps` half waves of it where both ends are borders:
///   periodic  whole waves, which begin anywhere
///   reflect   a cosine, whose crests are where the mirrors stand, half a cell before the first
///             cell and behind the last
///   fixed     a sine, which is zero in the outermost cells; it fits a radius of 1
wave wave_of(boundary edge, int n, int bumps) {
  wave a{
      pi * (edge == boundary::periodic ? 2 * bumps : bumps) / (edge == boundary::fixed ? n - 1 : n),
      {}};
  for (int x = 0; x < n; ++x)
    a.values.push_back(edge == boundary::periodic  ? std::cos(a.frequency * x + 0.3)
                       : edge == boundary::reflect ? std::cos(a.frequency * (x + 0.5))
                       : x == 0 || x == n - 1      ? 0.0
                                                   : std::sin(a.frequency * x));
  return a;
}

/// Turned round along any axis the taps are the same.
bool even(const std::vector<tap>& taps) {
  const auto there = [&](int dz, int dy, int dx) {
    return std::any_of(taps.begin(), taps.end(),
                       [&](const tap& t) { return t.dz == dz && t.dy == dy && t.dx == dx; });
  };
  return std::all_of(taps.begin(), taps.end(), [&](const tap& t) {
    return there(-t.dz, t.dy, t.dx) && there(t.dz, -t.dy, t.dx) && there(t.dz, t.dy, -t.dx);
  });
}

/// Weights that are the same at d and -d along each axis, and others along another one.
std::vector<double> even_weights(const std::vector<tap>& taps) {
  std::vector<double> w;
  for (const tap& t : taps)
    w.push_back(1.0 / (1 + t.dx * t.dx + 2 * t.dy * t.dy + 3 * t.dz * t.dz));
  const double sum = std::accumulate(w.begin(), w.end(), 0.0);
  for (double& v : w) v /= sum;
  return w;
}

class stencil_modes : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = stencil_place::absent(GetParam()); !why.empty()) GTEST_SKIP() << why;
  }
  static void expect_exact_decay(boundary edge) {
    const stencil_shape shape = find_stencil_shape(GetParam());
    if (!shape.linear || !even(shape.taps)) GTEST_SKIP() << "has no modes";
    const extents n = shape.dims == 2 ? extents(18, 25) : extents(11, 14, 18);
    const wave x = wave_of(edge, n.x, 2), y = wave_of(edge, n.y, 1),
               z = shape.dims == 3 ? wave_of(edge, n.z, 1) : wave{};
    grid<double> mode(n);
    for (int k = 0; k < n.z; ++k)
      for (int j = 0; j < n.y; ++j)
        for (int i = 0; i < n.x; ++i) mode(k, j, i) = z.values[k] * y.values[j] * x.values[i];
    stencil_options o;
    o.shape = shape.name;
    o.edge = edge;
    o.weights = even_weights(shape.taps);
    double rate = 0;
    for (std::size_t t = 0; t < shape.taps.size(); ++t) {
      const tap d = shape.taps[t];
      rate += o.weights[t] * std::cos(x.frequency * d.dx) * std::cos(y.frequency * d.dy) *
              std::cos(z.frequency * d.dz);
    }
    ASSERT_GT(rate, 0.2);
    ASSERT_LT(rate, 0.99);
    // A thousandth is left then. What is rounded in the first steps decays more slowly.
    o.steps = static_cast<int>(std::log(1e-3) / std::log(rate));
    const double left = std::pow(rate, o.steps);
    for (const char* executor : {"host-loop", "persistent", "perks"}) {
      if (!stencil_place::absent(shape.name, executor).empty()) continue;
      o.executor = executor;
      auto u = mode;
      solve(stencil_place::where(), u, o);
      double worst = 0;
      for (std::size_t i = 0; i < u.cells().size(); ++i)
        worst = std::max(worst, std::abs(u.cells()[i] - left * mode.cells()[i]));
      EXPECT_LT(worst, 5e-13 * left) << executor << ", " << o.steps << " steps";
    }
  }
};

TEST_P(stencil_modes, of_a_periodic_field_decay_at_the_exact_rate) {
  expect_exact_decay(boundary::periodic);
}
TEST_P(stencil_modes, between_mirrors_decay_at_the_exact_rate) {
  expect_exact_decay(boundary::reflect);
}
TEST_P(stencil_modes, between_fixed_borders_decay_at_the_exact_rate) {
  if (find_stencil_shape(GetParam()).radius > 1) GTEST_SKIP() << "a border of several cells";
  expect_exact_decay(boundary::fixed);
}

INSTANTIATE_TEST_SUITE_P(shapes, stencil_modes, testing::ValuesIn(shape_names()),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace dwell::test
