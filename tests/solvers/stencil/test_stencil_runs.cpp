// SPDX-License-Identifier: MIT
// Runs of stencils beyond the bits: mathematics with a known answer, plans that are measured,
// refusals.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "each_stencil_way.hpp"
#include "place.hpp"
#include "refusal.hpp"
#include "stencil_oracle.hpp"

namespace dwell::test {
namespace {

class stencil_runs : public each_stencil_way {};

TEST_F(stencil_runs, a_heat_mode_decays_at_the_exact_rate) {
  // A periodic mode is an eigenvector: each step multiplies it by c + 2w (cos kx + cos ky).
  const extents n(48, 60);
  const double c = 0.5, w = 0.125;
  const double kx = 2 * std::numbers::pi * 3 / n.x, ky = 2 * std::numbers::pi * 5 / n.y;
  const double rate = c + 2 * w * (std::cos(kx) + std::cos(ky));
  grid<double> start(n);
  for (int y = 0; y < n.y; ++y)
    for (int x = 0; x < n.x; ++x) start(y, x) = std::cos(kx * x + ky * y + 0.3);
  each_way([&](stencil_options o) {
    o.edge = boundary::periodic;
    o.weights = {c, w, w, w, w};
    o.steps = 101;
    auto u = start;
    solve(stencil_place::where(), u, o);
    double worst = 0;
    for (std::size_t i = 0; i < u.cells().size(); ++i)
      worst = std::max(worst, std::abs(u.cells()[i] - std::pow(rate, 101) * start.cells()[i]));
    EXPECT_LT(worst, 1e-15);
  });
}

TEST_F(stencil_runs, reflection_keeps_the_sum_and_a_constant) {
  each_way([&](stencil_options o) {
    o.edge = boundary::reflect;
    o.weights = {0.5, 0.125, 0.125, 0.125, 0.125};
    o.steps = 50;
    auto u = random_field<double>({19, 23}, 7);
    double before = 0, after = 0;
    for (const double v : u.cells()) before += v;
    solve(stencil_place::where(), u, o);
    for (const double v : u.cells()) after += v;
    EXPECT_NEAR(after, before, 1e-12);
  });
}

TEST_F(stencil_runs, jacobi_solves_a_poisson_problem) {
  // -u'' = g with u = sin(pi x) sin(2 pi y) on the grid: g belongs to the discrete Laplacian, so
  // that the grid's own answer is known exactly.
  const int m = sanitized ? 8 : 14;
  const double h = 1.0 / (m - 1), pi = std::numbers::pi;
  grid<double> exact(extents(m, m)), source(extents(m, m));
  const double eigen = 4 * std::pow(std::sin(pi * h / 2), 2) + 4 * std::pow(std::sin(pi * h), 2);
  for (int y = 0; y < m; ++y)
    for (int x = 0; x < m; ++x) {
      exact(y, x) = std::sin(pi * x * h) * std::sin(2 * pi * y * h);
      source(y, x) = eigen / 4 * exact(y, x);  // (4u - neighbours) / 4
    }
  each_way([&](stencil_options o) {
    o.weights = {0, 0.25, 0.25, 0.25, 0.25};
    o.until = 1e-13;
    o.check_every = 10;
    o.steps = 20000;
    grid<double> u(extents(m, m));
    const auto report = solve(stencil_place::where(), u, o, &source);
    EXPECT_EQ(report.stopped, stencil_stop::converged);
    EXPECT_EQ(report.steps % 10, 0);
    EXPECT_LE(report.change.value(), 1e-13);
    double worst = 0;
    for (std::size_t i = 0; i < u.cells().size(); ++i)
      worst = std::max(worst, std::abs(u.cells()[i] - exact.cells()[i]));
    EXPECT_LT(worst, 1e-10);
  });
}

TEST_F(stencil_runs, a_measured_plan_leaves_the_field_as_it_was_and_gives_its_bits) {
  stencil_options o;
  o.executor = "perks";
  o.policy = "measured";
  o.steps = 13;
  for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect}) {
    o.edge = edge;
    const auto start = random_field<double>({37, 90}, 5),
               source = random_field<double>({37, 90}, 6);
    for (const auto* f : {static_cast<const grid<double>*>(nullptr), &source}) {
      auto u = start;
      const auto report = solve(stencil_place::where(), u, o, f);
      EXPECT_EQ(report.policy, "measured");
      EXPECT_NE(report.reason.find("plans tried"), std::string::npos) << report.reason;
      EXPECT_EQ(report.steps, 13);
      EXPECT_EQ(difference(u, stencil_by_loops("2d5pt", start, 13, edge, {}, f)), "");
    }
  }
}

TEST_F(stencil_runs, default_weights_neither_let_a_field_die_nor_grow) {
  for (const auto& name : stencil_place::shapes()) {
    const stencil_shape shape = find_stencil_shape(name);
    stencil_options o;
    o.shape = name;
    o.edge = boundary::periodic;
    o.steps = sanitized ? 500 : 2000;
    grid<double> u(shape.dims == 2 ? extents(6, 7) : extents(4, 5, 3));
    for (double& v : u.cells()) v = 1.5;
    const auto report = solve(stencil_place::where(), u, o);
    EXPECT_NEAR(report.least, 1.5, 2e-12) << shape.name;
    EXPECT_NEAR(report.greatest, 1.5, 2e-12) << shape.name;
  }
}

TEST_F(stencil_runs, what_cannot_be_used_is_refused_in_one_line) {
  const auto run = [](stencil_options o, extents n = {8, 8}, const grid<double>* f = nullptr) {
    return refusal([&] {
      grid<double> u(n, 1.0);
      solve(stencil_place::where(), u, o, f);
    });
  };
  stencil_options o;
  o.shape = "2d6pt";
  EXPECT_NE(run(o).find("found '2d6pt'"), std::string::npos) << run(o);
  o = {};
  EXPECT_NE(run(o, {4, 4, 4}).find("2 dimensions, found 4x4x4"), std::string::npos);
  o.executor = "turbo";
  EXPECT_NE(run(o).find("found 'turbo'"), std::string::npos) << run(o);
  o = {};
  o.steps = -1;
  EXPECT_EQ(run(o), "steps: expected at least 0, found -1");
  o = {};
  o.check_every = 0;
  EXPECT_EQ(run(o), "check_every: expected at least 1, found 0");
  o = {};
  o.until = -1;
  EXPECT_EQ(run(o), "until: expected a finite number of at least 0, found -1");
  o = {};
  o.weights = {1, 2};
  EXPECT_EQ(run(o), "weights: expected 5 numbers for 2d5pt, found 2");
  o.weights = {1, 2, 3, NAN, 5};
  EXPECT_EQ(run(o), "weights: expected numbers that are finite in f64, found nan");
  o.weights = {1, 2, 3, 1e39, 5};
  EXPECT_EQ(run(o), "accepted");
  grid<float> single(extents(8, 8), 1.0f);
  EXPECT_EQ(refusal([&] { solve(stencil_place::where(), single, o); }),
            "weights: expected numbers that are finite in f32, found 1e+39");
  o = {};
  const grid<double> other(extents(8, 9));
  EXPECT_EQ(run(o, {8, 8}, &other), "source: expected 8x8 cells as the field has, found 8x9");
  grid<double> bad(extents(3, 3), 1.0);
  bad(1, 2) = NAN;
  EXPECT_EQ(run(o, {3, 3}, &bad),
            "source: expected finite values, found nan at [1, 2] (counted from 0)");
  EXPECT_EQ(refusal([&] { solve(stencil_place::where(), bad); }),
            "field: expected finite values, found nan at [1, 2] (counted from 0)");
  EXPECT_EQ(refusal([&] { grid<double>(extents(0, 5)); }),
            "size: expected at least one cell along each axis, found 0x5");
}

}  // namespace
}  // namespace dwell::test
