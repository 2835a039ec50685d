// SPDX-License-Identifier: MIT
// Singular systems whose null space is that of the constant vectors: Neumann Laplacians with
// constant and variable coefficients, consistent and inconsistent right-hand sides, beside Eigen's
// solution of the least norm. Linked again into the tests of a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "plain_options.hpp"
#include "refusal.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

/// A grid with Neumann boundaries and random coefficients from 1/16 to 16 between its points.
csr<double> variable(index width, index height, index depth, std::uint64_t seed = 5) {
  symmetric s(width * height * depth);
  splitmix64 random(seed);
  std::vector<double> sum(static_cast<std::size_t>(width * height * depth));
  const auto couple = [&](index i, index j) {
    const int exponent = random.below(9) - 4;  // drawn first, whatever the compiler
    const double c = std::ldexp(1.0 + 0.5 * random.uniform(), exponent);
    s.add(i, j, -c);
    sum[static_cast<std::size_t>(i)] += c;
    sum[static_cast<std::size_t>(j)] += c;
  };
  for (index z = 0; z < depth; ++z)
    for (index y = 0; y < height; ++y)
      for (index x = 0; x < width; ++x) {
        const index i = (z * height + y) * width + x;
        if (x + 1 < width) couple(i, i + 1);
        if (y + 1 < height) couple(i, i + width);
        if (z + 1 < depth) couple(i, i + width * height);
      }
  for (index i = 0; i < width * height * depth; ++i) s.add(i, i, sum[static_cast<std::size_t>(i)]);
  return s.as_is();
}

struct neumann_problem {
  const char* name;
  csr<double> a;
};
std::vector<neumann_problem> neumann_problems() {
  return {{"line", generate("neumann2d:150x1")},  {"grid", generate("neumann2d:19x23")},
          {"box", generate("neumann3d:7x9x6")},   {"variable line", variable(90, 1, 1)},
          {"variable grid", variable(17, 21, 1)}, {"variable box", variable(6, 7, 8)}};
}

double mean_of(const std::vector<double>& v) {
  return std::accumulate(v.begin(), v.end(), 0.0) / static_cast<double>(v.size());
}
std::vector<double> without_mean(std::vector<double> v) {
  const double mean = mean_of(v);
  for (double& e : v) e -= mean;
  return v;
}

solve_options by(const std::string& method, preconditioner p, double rtol = 1e-11) {
  solve_options o = plain_options();
  o.method = method;
  o.preconditioner = p;
  o.rtol = rtol;
  return o;
}

class null_space : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

TEST_F(null_space, answers_are_those_of_least_norm) {
  for (const neumann_problem& p : neumann_problems())
    for (const double offset : {0.0, 0.25, 1e3}) {
      linear_system<double> s{p.name, p.a, random_vector(p.a.rows, 9)};
      s.b = without_mean(std::move(s.b));
      for (double& e : s.b) e += offset;
      const auto b = s.b;
      const auto want = least_norm(s.a, without_mean(s.b));
      const double whole = norm2(s.b), part = std::abs(offset) * std::sqrt(double(s.a.rows));
      for (const std::string method : {"cg", "minres", "auto"})
        for (const auto m : {preconditioner::none, preconditioner::jacobi, preconditioner::amg}) {
          if (m == preconditioner::amg && method != "cg") continue;
          SCOPED_TRACE(std::string(p.name) + " by " + method + " with " + to_string(m));
          for (const double start : {0.0, 1e4}) {
            const auto got = run(s, by(method, m), std::vector<double>(s.b.size(), start));
            const solve_report& r = got.report;
            EXPECT_EQ(r.stopped, stop_reason::converged);
            EXPECT_EQ(r.null_space, "constant");
            EXPECT_NEAR(r.rhs_outside_range, part / whole, 1e-12 + 1e-12 * offset);
            EXPECT_NEAR(r.rhs_norm, norm2(without_mean(b)), 1e-9 * whole);
            EXPECT_LE(r.residual_relative_true, 1e-11);
            EXPECT_LE(std::abs(mean_of(got.x)), 1e-13 * norm2(got.x));
            EXPECT_LE(distance(got.x, want), 1e-7);
            EXPECT_EQ(s.b, b);
          }
        }
    }
}

TEST_F(null_space, same_bits_from_every_executor) {
  linear_system<double> s{"", variable(40, 31, 1), random_vector(40 * 31, 4)};
  for (const auto m : {preconditioner::none, preconditioner::jacobi}) {
    std::vector<double> bits;
    for (const std::string& executor : place::executors()) {
      if (place::family(executor) != place::family(place::executors().front())) continue;
      solve_options o = by("cg", m);
      o.executor = executor;
      o.variant = textbook();
      const auto got = run(s, o);
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      if (bits.empty()) bits = got.x;
      EXPECT_TRUE(same_bits(bits, got.x)) << executor;
    }
  }
}

TEST_F(null_space, nothing_drifts_under_jacobi) {
  // Far below the tolerance of a user, where what has gathered along the constants would show.
  linear_system<double> s{"", variable(60, 50, 1), random_vector(3000, 6)};
  const auto once = run(s, by("cg", preconditioner::jacobi, 1e-6));
  const auto far = run(s, by("cg", preconditioner::jacobi, 1e-13));
  EXPECT_NE(far.report.stopped, stop_reason::breakdown);
  EXPECT_LE(far.report.residual_relative_true, 1e-12);
  EXPECT_LE(std::abs(mean_of(far.x)), 1e-13 * norm2(far.x));
  EXPECT_LE(distance(once.x, far.x), 1e-2);
}

TEST_F(null_space, constant_right_hand_sides_and_any_scale) {
  for (const double scale : {1.0, 0.3, 1e300, 1e-300}) {
    linear_system<double> s{"", generate("neumann2d:33x14"), std::vector<double>(33 * 14, scale)};
    for (const double start : {0.0, 5 * scale}) {
      const auto got =
          run(s, by("cg", preconditioner::jacobi), std::vector<double>(s.b.size(), start));
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      EXPECT_EQ(got.report.rhs_outside_range, 1.0);
      EXPECT_LE(norm2(got.x) / scale, 1e-10);
      EXPECT_FALSE(got.report.target_missed);
    }
    s.b = random_vector(s.a.rows, 8);
    const auto plain = run(s, by("cg", preconditioner::none));
    for (double& e : s.b) e = std::ldexp(e, 900);
    auto scaled = run(s, by("cg", preconditioner::none));
    for (double& e : scaled.x) e = std::ldexp(e, -900);
    EXPECT_TRUE(same_bits(plain.x, scaled.x));
  }
}

/// What rounding to f32 leaves of a residual, relative to b: of the terms of the rows. An iteration
/// may end at a multiple of it that grows with its steps (Greenbaum, SIAM J. Matrix Anal. 18,
/// 1997).
double left_by_rounding(const csr<float>& a, std::span<const float> b, std::span<const float> x) {
  double terms = 0, size = 0;
  for (std::size_t i = 0; i < b.size(); ++i) {
    double row = std::abs(static_cast<double>(b[i]));
    for (auto k = static_cast<std::size_t>(a.row_ptr[i]);
         k < static_cast<std::size_t>(a.row_ptr[i + 1]); ++k)
      row += std::abs(static_cast<double>(a.val[k]) * x[static_cast<std::size_t>(a.col[k])]);
    terms += row * row;
    size += static_cast<double>(b[i]) * b[i];
  }
  return 0x1p-24 * std::sqrt(terms / size);
}

TEST_F(null_space, f32) {
  for (std::uint64_t seed = 0; seed < (sanitized ? 3u : 12u); ++seed) {
    // Rounded to f32 the rows no longer sum to zero.
    const csr<float> a = convert<float>(variable(30, 20, 1, seed).view());
    linear_system<float> s{"", a, {}};
    const auto b = random_vector(a.rows, 2 + seed);
    for (const double e : b) s.b.push_back(static_cast<float>(e + 0.5));
    for (const auto m : {preconditioner::none, preconditioner::jacobi, preconditioner::amg}) {
      SCOPED_TRACE("matrix " + std::to_string(seed) + ", " + to_string(m));
      const auto got = run(s, by("cg", m, 1e-4));
      EXPECT_EQ(got.report.null_space, "constant");
      if (got.report.stopped == stop_reason::accuracy_limit)
        EXPECT_LE(got.report.residual_relative_true, 16 * left_by_rounding(a, s.b, got.x));
      else
        EXPECT_EQ(got.report.stopped, stop_reason::converged) << got.report.residual_relative_true;
      EXPECT_LE(std::abs(mean_of({got.x.begin(), got.x.end()})),
                1e-6 * norm2(widen(std::span<const float>(got.x))));
    }
  }
}

TEST_F(null_space, columns) {
  const csr<double> a = variable(25, 16, 1);
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> b, x(5 * n, 3.0);
  for (std::uint64_t k = 0; k < 5; ++k)
    for (const double e : random_vector(a.rows, 20 + k)) b.push_back(e + static_cast<double>(k));
  solve_options o = by("cg", preconditioner::jacobi);
  o.columns_at_once = 4;
  linear_solver<double> solver(place::where(), a.view(), o);
  const auto reports = solver.solve(std::span<const double>(b), n, std::span<double>(x), n, 5);
  for (std::size_t k = 0; k < 5; ++k) {
    const auto at = static_cast<std::ptrdiff_t>(k * n), end = at + static_cast<std::ptrdiff_t>(n);
    EXPECT_EQ(reports[k].columns_together, k < 4 ? 4 : 1);
    EXPECT_EQ(reports[k].stopped, stop_reason::converged);
    EXPECT_EQ(reports[k].null_space, "constant");
    EXPECT_LE(distance({x.begin() + at, x.begin() + end},
                       least_norm(a, {b.begin() + at, b.begin() + end})),
              1e-7);
  }
}

TEST_F(null_space, options_and_other_matrices) {
  linear_system<double> s{"", generate("poisson2d:33x21"), random_vector(33 * 21, 3)};
  solve_options o = by("cg", preconditioner::jacobi);
  const auto on = run(s, o);
  EXPECT_EQ(on.report.null_space, "none");
  EXPECT_EQ(on.report.rhs_outside_range, 0.0);
  o.null_space = "none";
  const auto off = run(s, o);
  EXPECT_EQ(on.report.iterations, off.report.iterations);
  EXPECT_TRUE(same_bits(on.x, off.x));
  o.null_space = "some";
  EXPECT_NE(refusal<input_error>([&] { (void)run(s, o); }).find("auto, none or constant"),
            std::string::npos);
  // A small term on the diagonal makes it definite, and large constants are part of the answer.
  csr<double> shifted = generate("neumann2d:20x20");
  for (index i = 0; i < shifted.rows; ++i)
    for (index k = shifted.row_ptr[static_cast<std::size_t>(i)];
         k < shifted.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (shifted.col[static_cast<std::size_t>(k)] == i)
        shifted.val[static_cast<std::size_t>(k)] += 1e-12;
  linear_system<double> t{"", shifted, std::vector<double>(400, 1.0)};
  EXPECT_EQ(run(t, by("cg", preconditioner::none)).report.null_space, "none");
  // Bi-CGSTAB looks at no symmetry: it is told.
  linear_system<double> u{"", generate("neumann2d:20x20"), random_vector(400, 5)};
  o = by("bicgstab", preconditioner::none, 1e-9);
  o.max_iterations = 100;
  EXPECT_EQ(run(u, o).report.null_space, "none");
  o.null_space = "constant";
  o.max_iterations = 10000;
  const auto told = run(u, o);
  EXPECT_EQ(told.report.stopped, stop_reason::converged);
  EXPECT_LE(distance(told.x, least_norm(u.a, u.b)), 1e-6);
}

TEST_F(null_space, of_a_matrix_that_has_another_one_is_refused) {
  const std::string words = "null_space: expected auto, none, or a matrix that takes constant";
  for (unsigned seed = 1; seed <= 8; ++seed) {
    const auto n = static_cast<index>(1 + 37 * seed % 200);
    const linear_system<double> other{
        "", generate("poisson2d:" + std::to_string(n) + "x" + std::to_string(seed)),
        std::vector<double>(static_cast<std::size_t>(n) * seed, 1.0)};
    for (const char* method : {"cg", "minres", "bicgstab", "gmres", "auto"})
      for (const bool mixed : {false, true}) {
        SCOPED_TRACE(method + std::string(mixed ? ", mixed, seed " : ", seed ") +
                     std::to_string(seed));
        solve_options o = by("cg", preconditioner::jacobi);
        o.method = method;
        o.mixed_precision = mixed;
        o.null_space = "constant";
        EXPECT_NE(refusal<input_error>([&] { (void)run(other, o); }).find(words),
                  std::string::npos);
      }
  }
  // Nor are other values taken that have another one; those before stay.
  const csr<double> a = variable(17, 21, 1);
  std::vector<double> values = a.val;
  for (double& v : values) v = std::abs(v);
  const auto b = random_vector(a.rows, 5);
  std::vector<double> x(b.size());
  solve_options o = by("cg", preconditioner::jacobi);
  o.null_space = "constant";
  linear_solver<double> solver(place::where(), a.view(), o);
  EXPECT_NE(refusal<input_error>([&] {
              solver.update_values(std::span<const double>(values));
            }).find(words),
            std::string::npos);
  EXPECT_EQ(solver.solve(b, x).stopped, stop_reason::converged);
  EXPECT_LE(distance(x, least_norm(a, b)), 1e-7);
}

TEST_F(null_space, follows_other_values) {
  csr<double> a = generate("poisson2d:20x20");
  csr<double> singular = a;
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (a.col[static_cast<std::size_t>(k)] == i)
        singular.val[static_cast<std::size_t>(k)] =
            a.row_ptr[static_cast<std::size_t>(i) + 1] - a.row_ptr[static_cast<std::size_t>(i)] - 1;
  const auto b = random_vector(400, 5);
  std::vector<double> x(400);
  linear_solver<double> solver(place::where(), a.view(), by("cg", preconditioner::jacobi));
  EXPECT_EQ(solver.solve(b, x).null_space, "none");
  solver.update_values(std::span<const double>(singular.val));
  EXPECT_EQ(solver.solve(b, x).null_space, "constant");
  EXPECT_LE(distance(x, least_norm(singular, b)), 1e-7);
  solver.update_values(std::span<const double>(a.val));
  EXPECT_EQ(solver.solve(b, x).null_space, "none");
}

}  // namespace
}  // namespace dwell::test
