// SPDX-License-Identifier: MIT
// Null spaces that are given as vectors: Laplacians of several parts and elastic bodies that
// nothing holds, beside Eigen's solution of the least norm; by methods, preconditioners and
// executors, in columns, in f32 and in mixed precision; refusals. Linked again into the tests of a
// GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/cg_batch.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/linear/check/null_vectors.hpp"
#include "plain_options.hpp"
#include "refusal.hpp"
#include "singular_systems.hpp"

namespace dwell::test {
namespace {

solve_options given(const singular& p, const std::string& method = "cg",
                    preconditioner m = preconditioner::jacobi, double rtol = 1e-11) {
  solve_options o = plain_options();
  o.null_vectors = p.flat();
  o.method = method;
  o.preconditioner = m;
  o.rtol = rtol;
  return o;
}

class null_vectors_given : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

TEST_F(null_vectors_given, answers_are_those_of_least_norm) {
  for (const singular& p : {three_parts(9, 7), three_parts(1, 2), truss(9, 8), truss(17, 4)}) {
    linear_system<double> s{"", p.a, random_vector(p.a.rows, 9)};
    for (std::size_t i = 0; i < s.b.size(); ++i) s.b[i] += 3 * p.null[i % 3][i];
    const auto b = s.b;
    const auto want = least_norm(s.a, s.b);
    for (const std::string method : {"cg", "minres", "bicgstab", "gmres", "auto"})
      for (const auto m : {preconditioner::none, preconditioner::jacobi, preconditioner::amg}) {
        if (m == preconditioner::amg && method != "cg") continue;
        SCOPED_TRACE(method + " with " + to_string(m) + ", rows " + std::to_string(s.a.rows));
        for (const double start : {0.0, 1e4}) {
          const auto got = run(s, given(p, method, m), std::vector<double>(s.b.size(), start));
          const solve_report& r = got.report;
          EXPECT_EQ(r.stopped, stop_reason::converged) << r.residual_relative_true;
          EXPECT_EQ(r.null_space, "given");
          EXPECT_GT(r.rhs_outside_range, 0);
          EXPECT_LT(r.rhs_outside_range, 1);
          EXPECT_NEAR(std::hypot(r.rhs_norm, r.rhs_outside_range * norm2(b)), norm2(b),
                      1e-9 * norm2(b));
          EXPECT_LE(r.residual_relative_true, 1e-11);
          EXPECT_LE(along(p, got.x), 1e-12);
          EXPECT_LE(distance(got.x, want), 1e-6);
          EXPECT_EQ(s.b, b);
        }
      }
  }
}

TEST_F(null_vectors_given, same_bits_from_every_executor) {
  const singular p = truss(21, 13);
  linear_system<double> s{"", p.a, random_vector(p.a.rows, 4)};
  std::vector<double> bits;
  for (const std::string& executor : place::executors()) {
    SCOPED_TRACE(executor);
    solve_options o = given(p);
    o.executor = executor;
    o.variant = textbook();
    const auto got = run(s, o);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_TRUE(same_bits(got.x, run(s, o).x));
    if (place::family(executor) != place::family(place::executors().front())) continue;
    if (bits.empty()) bits = got.x;
    EXPECT_TRUE(same_bits(bits, got.x));
  }
}

TEST_F(null_vectors_given, one_constant_vector_is_the_mean) {
  singular p;
  p.a = generate("neumann2d:23x19");
  p.null.assign(1, std::vector<double>(static_cast<std::size_t>(p.a.rows), -3.5));
  linear_system<double> s{"", p.a, random_vector(p.a.rows, 4)};
  for (double& e : s.b) e += 0.25;
  solve_options o = given(p);
  const auto by_vector = run(s, o);
  o.null_vectors.clear();
  const auto by_mean = run(s, o);
  EXPECT_EQ(by_mean.report.null_space, "constant");
  EXPECT_NEAR(by_vector.report.rhs_outside_range, by_mean.report.rhs_outside_range, 1e-12);
  EXPECT_NEAR(by_vector.report.iterations, by_mean.report.iterations, 2);
  EXPECT_LE(distance(by_vector.x, by_mean.x), 1e-9);
}

TEST_F(null_vectors_given, any_scale) {
  const singular p = truss(9, 8);
  linear_system<double> s{"", p.a, random_vector(p.a.rows, 4)};
  const auto once = run(s, given(p));
  for (const int power : {-900, 900}) {
    SCOPED_TRACE(power);
    singular q = p;
    for (double& v : q.a.val) v = std::ldexp(v, power);
    for (auto& v : q.null)
      for (double& e : v) e = std::ldexp(e, power);
    linear_system<double> t{"", q.a, s.b};
    auto got = run(t, given(q));
    for (double& e : got.x) e = std::ldexp(e, power);
    EXPECT_TRUE(same_bits(once.x, got.x));
    t = s;
    for (double& e : t.b) e = std::ldexp(e, power);
    got = run(t, given(p));
    for (double& e : got.x) e = std::ldexp(e, -power);
    EXPECT_TRUE(same_bits(once.x, got.x));
  }
  // In the null space all of b is outside the range.
  linear_system<double> none{"", p.a, p.null[2]};
  const auto zero = run(none, given(p));
  EXPECT_EQ(zero.report.stopped, stop_reason::converged);
  EXPECT_EQ(zero.report.rhs_outside_range, 1.0);
  EXPECT_LE(norm2(zero.x), 1e-9);
}

TEST_F(null_vectors_given, f32_and_mixed_precision) {
  const singular p = truss(12, 9);
  linear_system<double> s{"", p.a, random_vector(p.a.rows, 4)};
  linear_system<float> single{"", convert<float>(p.a.view()), {s.b.begin(), s.b.end()}};
  const auto f32 = run(single, given(p, "cg", preconditioner::jacobi, 1e-4));
  EXPECT_EQ(f32.report.stopped, stop_reason::converged);
  EXPECT_EQ(f32.report.null_space, "given");
  EXPECT_LE(along(p, widen(std::span<const float>(f32.x))), 1e-5);
  solve_options o = given(p);
  o.mixed_precision = true;
  const auto mixed = run(s, o);
  EXPECT_EQ(mixed.report.precision, "mixed");
  EXPECT_EQ(mixed.report.null_space, "given");
  EXPECT_EQ(mixed.report.stopped, stop_reason::converged);
  EXPECT_LE(mixed.report.residual_relative_true, 1e-11);
  EXPECT_LE(along(p, mixed.x), 1e-12);
  EXPECT_LE(distance(mixed.x, least_norm(s.a, s.b)), 1e-6);
}

TEST_F(null_vectors_given, columns) {
  const singular p = three_parts(8, 7);
  const auto n = static_cast<std::size_t>(p.a.rows);
  std::vector<double> b, x(5 * n, 3.0);
  for (std::uint64_t k = 0; k < 5; ++k)
    for (const double e : random_vector(p.a.rows, 20 + k)) b.push_back(e + static_cast<double>(k));
  solve_options o = given(p);
  o.columns_at_once = 4;
  linear_solver<double> solver(place::where(), p.a.view(), o);
  const auto reports = solver.solve(std::span<const double>(b), n, std::span<double>(x), n, 5);
  for (std::size_t k = 0; k < 5; ++k) {
    SCOPED_TRACE(k);
    const auto at = static_cast<std::ptrdiff_t>(k * n), end = at + static_cast<std::ptrdiff_t>(n);
    EXPECT_EQ(reports[k].columns_together, k < 4 ? 4 : 1);
    EXPECT_EQ(reports[k].stopped, stop_reason::converged);
    EXPECT_EQ(reports[k].null_space, "given");
    EXPECT_LE(distance({x.begin() + at, x.begin() + end},
                       least_norm(p.a, {b.begin() + at, b.begin() + end})),
              1e-7);
  }
}

TEST_F(null_vectors_given, other_values_are_checked) {
  const singular p = three_parts(8, 7);
  const auto b = random_vector(p.a.rows, 4);
  std::vector<double> x(b.size());
  linear_solver<double> solver(place::where(), p.a.view(), given(p));
  auto twice = p.a.val;
  for (double& v : twice) v *= 2;
  solver.update_values(std::span<const double>(twice));
  EXPECT_EQ(solver.solve(b, x).stopped, stop_reason::converged);
  auto wrong = twice;
  wrong[0] *= 1.01;
  EXPECT_NE(refusal<input_error>([&] {
              solver.update_values(std::span<const double>(wrong));
            }).find("takes to zero"),
            std::string::npos);
  std::fill(x.begin(), x.end(), 0.0);
  EXPECT_EQ(solver.solve(b, x).stopped, stop_reason::converged);
  for (double& e : x) e *= 2;
  EXPECT_LE(distance(x, least_norm(p.a, b)), 1e-7);
}

TEST_F(null_vectors_given, refusals) {
  const singular p = three_parts(5, 4);
  linear_system<double> s{"", p.a, random_vector(p.a.rows, 4)};
  const auto says = [&](const std::vector<double>& v, const char* what) {
    solve_options o = given(p);
    o.null_vectors = v;
    const auto said = refusal<input_error>([&] { (void)run(s, o); });
    EXPECT_NE(said.find(what), std::string::npos) << said;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  };
  const auto n = static_cast<std::size_t>(p.a.rows);
  says(std::vector<double>(n + 1, 1.0), "1 to 6 vectors of 60 elements");
  says(std::vector<double>(7 * n, 1.0), "1 to 6 vectors of 60 elements");
  auto flat = p.flat();
  std::fill_n(flat.begin() + static_cast<std::ptrdiff_t>(n), n, 0.0);
  says(flat, "other than zero, found vector 2");
  flat = p.flat();
  for (std::size_t i = 0; i < n; ++i) flat[2 * n + i] = flat[i] - 7 * flat[n + i];
  says(flat, "vector 3 in the span");
  flat = p.flat();
  flat[3] = std::nan("");
  says(flat, "finite");
  says(random_vector(p.a.rows, 2), "takes to zero");
  solve_options o = given(p);
  o.null_space = "constant";
  EXPECT_NE(refusal<input_error>([&] { (void)run(s, o); }).find("expected auto where"),
            std::string::npos);
  const linear_system<double> other{"", generate("convection2d:10x6:5"), s.b};
  EXPECT_NE(refusal<input_error>([&] {
              (void)run(other, given(p, "bicgstab"));
            }).find("null_vectors ask for it"),
            std::string::npos);
  EXPECT_NE(refusal<input_error>([&] {
              (void)run(other, given(p, "auto"));
            }).find("null_vectors ask for it"),
            std::string::npos);
  const std::vector<csr_view<double>> systems = {p.a.view()};
  EXPECT_NE(refusal<unsupported_error>([&] {
              cg_batch<double>(place::where(), systems, given(p));
            }).find("null_vectors"),
            std::string::npos);
}

TEST(orthonormal, vectors_are) {
  std::vector<double> v;
  const index n = 257;
  for (const std::uint64_t seed : {1, 2, 3, 4, 5, 6}) {
    const auto one = random_vector(n, seed);
    v.insert(v.end(), one.begin(), one.end());
  }
  for (std::size_t i = 0; i < 257; ++i) v[257 + i] = 1e200 * (v[i] + 1e-6 * v[257 + i]);
  const auto q = orthonormal(v, n);
  for (std::size_t a = 0; a < 6; ++a)
    for (std::size_t b = 0; b <= a; ++b) {
      double sum = 0;
      for (std::size_t i = 0; i < 257; ++i) sum += q[a * 257 + i] * q[b * 257 + i];
      EXPECT_NEAR(sum, a == b ? 1 : 0, 1e-14);
    }
}

}  // namespace
}  // namespace dwell::test
