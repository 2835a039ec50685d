// SPDX-License-Identifier: MIT
// Several right-hand sides in one pass over the matrix: answers against Eigen's direct solution and
// against single solves, columns that end in different ways at different steps, and columns whose
// bits must not know of their neighbours. Which groups are taken: test_cg_groups.cpp.
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

solve_options options(int at_once, const cut& c = {}, double rtol = 1e-10,
                      preconditioner p = preconditioner::none) {
  solve_options o = with(executors::persistent.name, c, rtol, p);
  o.columns_at_once = at_once;
  return o;
}

/// Columns of n elements, so far apart; what lies between is not to be touched.
template <class T>
struct block {
  static constexpr T between = T(-42);
  std::size_t n, distance;
  int count;
  std::vector<T> all;

  block(index rows, int columns, int gap, T value)
      : n(static_cast<std::size_t>(rows)),
        distance(n + static_cast<std::size_t>(gap)),
        count(columns),
        all(columns > 0 ? (static_cast<std::size_t>(columns) - 1) * distance + n : 0, between) {
    for (int k = 0; k < count; ++k)
      for (T& e : column(k)) e = value;
  }
  std::span<T> column(int k) {
    return std::span<T>(all).subspan(static_cast<std::size_t>(k) * distance, n);
  }
  std::vector<T> copy(int k) {
    const auto c = column(k);
    return {c.begin(), c.end()};
  }
  void set(int k, const std::vector<T>& from) {
    std::copy(from.begin(), from.end(), column(k).begin());
  }
  void expect_gaps() const {
    for (std::size_t i = 0; i < all.size(); ++i)
      if (i % distance >= n) {
        ASSERT_EQ(all[i], between) << "between two columns, at " << i;
      }
  }
};

template <class T>
std::vector<T> random_rhs(index n, int seed) {
  const std::vector<double> v = random_vector(n, 700u + static_cast<unsigned>(seed));
  return {v.begin(), v.end()};
}

template <class T>
block<T> random_block(index n, int columns, int gap = 0) {
  block<T> b(n, columns, gap, T(0));
  for (int k = 0; k < columns; ++k) b.set(k, random_rhs<T>(n, k));
  return b;
}

template <class T>
std::vector<solve_report> solve(linear_solver<T>& solver, block<T>& b, block<T>& x) {
  return solver.solve(std::span<const T>(b.all), b.distance, std::span<T>(x.all), x.distance,
                      b.count);
}

class columns : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

/// Every column by the rules for single solves: residuals, and the distance to the direct solution.
template <class T>
void expect_right(const csr<T>& a, const std::vector<expectation>& wanted, solve_options o,
                  int count, int gap) {
  block<T> b = random_block<T>(a.rows, count, gap), x(a.rows, count, gap + 1, T(0));
  o.rtol = wanted[0].rtol;  // they depend on the matrix alone
  o.max_iterations = wanted[0].max_iterations;
  linear_solver<T> solver(place::where(), a.view(), o);
  const std::vector<solve_report> reports = solve(solver, b, x);
  ASSERT_EQ(reports.size(), static_cast<std::size_t>(count));
  x.expect_gaps();
  solve_options alone_o = o;
  alone_o.columns_at_once = 1;
  linear_solver<T> alone(place::where(), a.view(), alone_o);
  for (int k = 0; k < count; ++k) {
    SCOPED_TRACE("column " + std::to_string(k) + " of " + std::to_string(count));
    const linear_system<T> s{"column", a, b.copy(k)};
    solve_report report = reports[static_cast<std::size_t>(k)];
    // Single solves have solve_s / iterations here. each_ends_by_itself tests what a group has.
    report.per_iteration_us = report.iterations ? report.solve_s * 1e6 / report.iterations : 0;
    check_solution(s, wanted[static_cast<std::size_t>(k)], solution<T>{report, x.copy(k)});
    std::vector<T> y(b.n, T(0));
    const solve_report other = alone.solve(std::span<const T>(s.b), std::span<T>(y));
    EXPECT_EQ(report.stopped, other.stopped);
    EXPECT_NEAR(report.iterations, other.iterations, 2 + other.iterations / 20);
    EXPECT_NEAR(report.rhs_norm, other.rhs_norm, 1e-12 * other.rhs_norm);
    if (report.condition_estimate > 0 && report.iterations == other.iterations) {
      EXPECT_NEAR(report.condition_estimate, other.condition_estimate,
                  0.1 * other.condition_estimate);
    }
  }
}

template <class T>
void expect_right_everywhere(const csr<double>& wide, bool every_cut) {
  const csr<T> a = convert<T>(wide.view());
  for (const preconditioner p : {preconditioner::none, preconditioner::jacobi}) {
    std::vector<expectation> wanted;  // 8 columns only: direct solutions take most of the time
    for (int k = 0; k < (races_only ? 2 : 8); ++k)
      wanted.push_back(expect_of(linear_system<T>{"column", a, random_rhs<T>(a.rows, k)}, p));
    for (const int at_once : {2, 4, 8}) {
      const auto& cuts = every_cut ? place::cuts() : place::few_cuts();
      for (const cut& c : cuts) {
        SCOPED_TRACE(describe(c) + ", " + to_string(p));
        expect_right(a, wanted, options(at_once, c, 0, p), at_once, 3);
        if (races_only) return;
      }
    }
  }
}

TEST_F(columns, sizes_around_warps_and_tiles) {
  for (const index n : {1, 2, 3, 7, 31, 32, 33, 255, 256, 257, 1023}) {
    SCOPED_TRACE(n);
    expect_right_everywhere<double>(tridiagonal(n, 2.5, -1), false);
    if (n < 100) expect_right_everywhere<float>(tridiagonal(n, 2.5, -1), false);
  }
}

TEST_F(columns, matrices_of_every_kind) {
  int turn = 0;
  for (const char* name : {"seventeen_dense", "blocks_300", "arrow_first", "arrow_last",
                           "dense_row_middle", "dense_rows_adjacent", "power_law_1500",
                           "permuted_800", "stored_zeros", "diagonal_512", "ill_scaled"}) {
    SCOPED_TRACE(name);
    ++turn;
    if (sanitized && turn % 3 != 0) continue;
    expect_right_everywhere<double>(battery_at(name).build(), false);
    if (!sanitized && turn % 2 != 0)
      expect_right_everywhere<float>(battery_at(name).build(), false);
  }
}

TEST_F(columns, every_cut_of_a_mesh_and_of_a_long_row) {
  expect_right_everywhere<double>(battery_at("mesh_33x47").build(), true);
  if (!sanitized) expect_right_everywhere<double>(battery_at("row_of_20501").build(), false);
}

TEST_F(columns, any_number_at_any_distance) {
  const csr<double> a = battery_at("mesh_33x47").build();
  for (int count = 0; count <= 17; ++count)
    for (const int at_once : {2, 8}) {
      const std::vector<int> sizes = [&] {
        std::vector<int> all;
        for (int left = count, width = at_once; left > 0; left -= width) {
          while (width > left) width /= 2;
          all.insert(all.end(), static_cast<std::size_t>(width), width);
        }
        return all;
      }();
      block<double> b = random_block<double>(a.rows, count, count), x(a.rows, count, 5, 0.0);
      linear_solver<double> solver(place::where(), a.view(), options(at_once, {}, 1e-8));
      const auto reports = solve(solver, b, x);
      ASSERT_EQ(reports.size(), static_cast<std::size_t>(count));
      x.expect_gaps();
      b.expect_gaps();
      for (int k = 0; k < count; ++k) {
        const auto at = static_cast<std::size_t>(k);
        EXPECT_EQ(reports[at].columns_together, sizes[at]) << "column " << k << " of " << count;
        EXPECT_EQ(reports[at].stopped, stop_reason::converged);
        EXPECT_LE(residual_norm(a.view(), std::span<const double>(b.copy(k)),
                                std::span<const double>(x.copy(k))),
                  1.1e-8 * norm2(b.copy(k)));
      }
    }
}

/// A block of K columns, of which `of` is column `at`; the others are `beside`.
template <class T>
solution<T> among(linear_solver<T>& solver, int width, int at, const std::vector<T>& of,
                  const std::vector<T>& beside) {
  const auto n = static_cast<index>(of.size());
  block<T> b(n, width, 0, T(0)), x(n, width, 0, T(0));
  for (int k = 0; k < width; ++k) b.set(k, k == at ? of : beside);
  const auto reports = solve(solver, b, x);
  return {reports[static_cast<std::size_t>(at)], x.copy(at)};
}

template <class T>
void expect_independence(const cut& c, preconditioner p) {
  const csr<T> a = convert<T>(battery_at("blocks_300").build().view());
  const std::vector<T> b = random_rhs<T>(a.rows, 1), rough = random_rhs<T>(a.rows, 2),
                       nothing(b.size(), T(0));
  std::vector<T> large = rough, tiny = rough;
  for (T& e : large) e *= T(1e30);
  for (T& e : tiny) e *= T(1e-30);
  for (const int width : {2, 4, 8}) {
    linear_solver<T> solver(place::where(), a.view(),
                            options(width, c, sizeof(T) == 8 ? 1e-10 : 1e-5, p));
    const solution<T> first = among(solver, width, 0, b, rough);
    EXPECT_EQ(first.report.columns_together, width);
    for (const auto& beside : {rough, nothing, large, tiny, b})
      for (const int at : {0, 1, width - 1}) {
        const solution<T> got = among(solver, width, at, b, beside);
        EXPECT_TRUE(same_bits(got.x, first.x)) << "column " << at << " of " << width;
        EXPECT_EQ(got.report.iterations, first.report.iterations);
        EXPECT_EQ(got.report.residual_relative_true, first.report.residual_relative_true);
        EXPECT_EQ(got.report.condition_estimate, first.report.condition_estimate);
      }
  }
}

TEST_F(columns, bits_do_not_depend_on_neighbours_nor_on_the_place) {
  for (const cut& c : place::few_cuts()) {
    SCOPED_TRACE(describe(c));
    expect_independence<double>(c, preconditioner::none);
    expect_independence<double>(c, preconditioner::jacobi);
    expect_independence<float>(c, preconditioner::jacobi);
  }
}

TEST_F(columns, reversed_lanes_and_repetition_change_no_bit) {
  const csr<double> a = battery_at("dense_row_middle").build();
  const bool on_cpu = place::on() == backend::cpu;
  for (const int width : {2, 4, 8})
    for (const preconditioner p : {preconditioner::none, preconditioner::jacobi}) {
      std::vector<double> first;
      for (const bool reverse : {false, true, false}) {
        if (reverse && !on_cpu) continue;
        linear_solver<double> solver(place::where(), a.view(),
                                     options(width, {3, on_cpu ? 1 : 0, reverse}, 1e-10, p));
        for (int again = 0; again < 2; ++again) {
          block<double> b = random_block<double>(a.rows, width), x(a.rows, width, 0, 0.0);
          (void)solve(solver, b, x);
          if (first.empty()) first = x.all;
          EXPECT_TRUE(same_bits(x.all, first)) << "width " << width << ", reversed " << reverse;
        }
      }
    }
}

TEST_F(columns, have_the_same_bits_under_every_executor) {
  const csr<double> a = battery_at("dense_row_middle").build();
  for (const int width : {2, 4, 8})
    for (const preconditioner p : {preconditioner::none, preconditioner::jacobi})
      for (const cut& c : place::few_cuts()) {
        block<double> b = random_block<double>(a.rows, width), wanted(a.rows, width, 0, 0.0);
        for (double& e : b.column(1)) e = 0;
        linear_solver<double> one_launch(place::where(), a.view(), options(width, c, 1e-10, p));
        const auto reports = solve(one_launch, b, wanted);
        for (const std::string& executor : place::executors()) {
          if (has_policies(executor)) continue;
          solve_options o = options(width, c, 1e-10, p);
          o.executor = executor;
          linear_solver<double> solver(place::where(), a.view(), o);
          for (int again = 0; again < 2; ++again) {
            block<double> x(a.rows, width, 0, 0.0);
            const auto got = solve(solver, b, x);
            EXPECT_TRUE(same_bits(x.all, wanted.all)) << executor << ", width " << width;
            for (std::size_t k = 0; k < got.size(); ++k) {
              EXPECT_EQ(got[k].executor, executor);
              EXPECT_EQ(got[k].columns_together, width);
              EXPECT_EQ(got[k].iterations, reports[k].iterations);
              EXPECT_EQ(got[k].condition_estimate, reports[k].condition_estimate);
            }
          }
        }
      }
}

TEST_F(columns, each_ends_by_itself) {
  // A sine is an eigenvector of a tridiagonal matrix: one step. Zero needs none.
  constexpr index n = 400;
  const csr<double> a = tridiagonal(n, 2.01, -1);
  std::vector<double> sine(n), two(n), nothing(n, 0.0);
  for (index i = 0; i < n; ++i) {
    const double pi = std::acos(-1.0);
    sine[static_cast<std::size_t>(i)] = std::sin(pi * (i + 1) * 7 / (n + 1));
    two[static_cast<std::size_t>(i)] =
        sine[static_cast<std::size_t>(i)] + std::sin(pi * (i + 1) * 90 / (n + 1));
  }
  for (const cut& c : place::few_cuts()) {
    solve_options o = options(4, c, 1e-9);
    block<double> b(n, 4, 0, 0.0), x(n, 4, 0, 0.0);
    b.set(0, sine);
    b.set(1, random_rhs<double>(n, 3));
    b.set(2, nothing);
    b.set(3, two);
    linear_solver<double> solver(place::where(), a.view(), o);
    const auto reports = solve(solver, b, x);
    EXPECT_EQ(reports[0].iterations, 1);
    EXPECT_GT(reports[1].iterations, 50);
    EXPECT_EQ(reports[2].iterations, 0);
    EXPECT_EQ(reports[3].iterations, 2);
    EXPECT_EQ(x.copy(2), nothing);
    for (const auto& r : reports) {
      EXPECT_EQ(r.stopped, stop_reason::converged);
      EXPECT_LE(r.residual_relative_true, 1.01e-9);
      EXPECT_EQ(r.solve_s, reports[0].solve_s);
      EXPECT_DOUBLE_EQ(r.per_iteration_us, r.solve_s * 1e6 / reports[1].iterations);
    }
    // At a limit that the quick ones do not reach.
    o.max_iterations = 10;
    linear_solver<double> limited(place::where(), a.view(), o);
    for (int k = 0; k < 4; ++k) x.set(k, nothing);
    const auto at_limit = solve(limited, b, x);
    EXPECT_EQ(at_limit[0].stopped, stop_reason::converged);
    EXPECT_EQ(at_limit[1].stopped, stop_reason::iteration_limit);
    EXPECT_EQ(at_limit[1].iterations, 10);
    EXPECT_EQ(at_limit[3].iterations, 2);
  }
}

TEST_F(columns, start_vectors_and_any_scale) {
  const csr<double> a = battery_at("mesh_33x47").build();
  linear_solver<double> solver(place::where(), a.view(), options(4));
  block<double> b = random_block<double>(a.rows, 4), x(a.rows, 4, 2, 0.0);
  const auto cold = solve(solver, b, x);
  block<double> warm = x;
  for (const auto& r : solve(solver, b, warm)) EXPECT_LE(r.iterations, 2);
  block<double> scaled = b, y(a.rows, 4, 2, 0.0);
  const int exponents[] = {-900, 0, 700, -3};
  for (int k = 0; k < 4; ++k)
    for (double& e : scaled.column(k)) e = std::ldexp(e, exponents[k]);
  const auto reports = solve(solver, scaled, y);
  for (int k = 0; k < 4; ++k) {
    EXPECT_EQ(reports[static_cast<std::size_t>(k)].iterations,
              cold[static_cast<std::size_t>(k)].iterations);
    for (std::size_t i = 0; i < b.n; ++i)
      ASSERT_EQ(y.column(k)[i], std::ldexp(x.column(k)[i], exponents[k]));
  }
}

TEST_F(columns, one_that_is_not_finite_is_refused_and_leaves_the_others_right) {
  const csr<double> a = battery_at("mesh_33x47").build();
  for (const cut& c : place::few_cuts())
    for (const preconditioner p : {preconditioner::none, preconditioner::jacobi}) {
      linear_solver<double> solver(place::where(), a.view(), options(4, c, 1e-10, p));
      block<double> b = random_block<double>(a.rows, 4), want(a.rows, 4, 0, 0.0), x = want;
      (void)solve(solver, b, want);
      b.column(1)[700] = nan;
      for (double& e : x.column(1)) e = 5;
      const std::string said = refusal<input_error>([&] { (void)solve(solver, b, x); });
      EXPECT_NE(said.find("right-hand side of column 2"), std::string::npos) << said;
      EXPECT_NE(said.find("row 701"), std::string::npos) << said;
      for (const int k : {0, 2, 3}) EXPECT_TRUE(same_bits(x.copy(k), want.copy(k))) << k;
      EXPECT_EQ(x.copy(1), std::vector<double>(b.n, 5.0));
      b.set(1, random_rhs<double>(a.rows, 1));
      x.column(3)[0] = std::numeric_limits<double>::infinity();
      const std::string start = refusal<input_error>([&] { (void)solve(solver, b, x); });
      EXPECT_NE(start.find("start vector of column 4"), std::string::npos) << start;
      for (double& e : x.all) e = 0;
      (void)solve(solver, b, x);
      EXPECT_TRUE(same_bits(x.all, want.all)) << "nothing of it stays in the solver";
    }
}

TEST_F(columns, breakdown_of_some_and_of_all) {
  // Eigenvalues 3 and -1, of (1, 1) and (1, -1).
  const csr<double> a = dense({{1, 2}, {2, 1}});
  for (const int width : {2, 4, 8})
    for (const cut& c : place::few_cuts()) {
      linear_solver<double> solver(place::where(), a.view(), options(width, c));
      block<double> b(2, width, 0, 1.0), x(2, width, 0, 0.0);
      for (int k = 1; k < width; ++k) b.column(k)[1] = -1;
      const auto some = solve(solver, b, x);
      EXPECT_EQ(some[0].stopped, stop_reason::converged);
      EXPECT_NEAR(x.column(0)[0], 1.0 / 3, 1e-12);
      for (int k = 1; k < width; ++k) {
        EXPECT_EQ(some[static_cast<std::size_t>(k)].stopped, stop_reason::breakdown);
        EXPECT_EQ(some[static_cast<std::size_t>(k)].iterations, 0);
        EXPECT_EQ(x.column(k)[0], 0.0);
      }
      b.column(0)[1] = -1;
      for (double& e : x.all) e = 0;
      for (const auto& r : solve(solver, b, x)) EXPECT_EQ(r.stopped, stop_reason::breakdown);
      EXPECT_EQ(x.all, std::vector<double>(2 * static_cast<std::size_t>(width), 0.0));
    }
}

TEST_F(columns, overflow_in_one_leaves_its_start_vector) {
  // x = b / 1e-30 leaves f32 in the column whose right-hand side is large.
  const csr<float> a = convert<float>(tridiagonal(40, 3e-30, -1e-30).view());
  linear_solver<float> solver(place::where(), a.view(), options(2, {}, 1e-5));
  block<float> b(40, 2, 0, 1e-20f), x(40, 2, 0, 0.0f);
  for (float& e : b.column(1)) e = 1e20f;
  for (float& e : x.column(1)) e = 2;
  const auto reports = solve(solver, b, x);
  EXPECT_EQ(reports[0].stopped, stop_reason::converged);
  EXPECT_EQ(reports[1].stopped, stop_reason::not_finite);
  EXPECT_EQ(x.copy(1), std::vector<float>(40, 2.0f));
}

TEST_F(columns, other_values_and_tolerances) {
  const csr<double> a = battery_at("blocks_300").build();
  std::vector<double> twice = a.val;
  for (double& v : twice) v *= 2;
  for (const bool group_first : {true, false}) {
    linear_solver<double> solver(place::where(), a.view(),
                                 options(4, {}, 1e-10, preconditioner::jacobi));
    block<double> b = random_block<double>(a.rows, 4), x(a.rows, 4, 0, 0.0), y = x;
    linear_solver<double> before(place::where(), a.view(),
                                 options(4, {}, 1e-10, preconditioner::jacobi));
    (void)solve(before, b, x);
    if (group_first) (void)solve(solver, b, y);
    solver.update_values(std::span<const double>(twice));
    for (double& e : y.all) e = 0;
    (void)solve(solver, b, y);
    for (std::size_t i = 0; i < x.all.size(); ++i)
      ASSERT_EQ(y.all[i], x.all[i] / 2) << "group prepared before: " << group_first;
    solver.set_tolerances(1e-2);
    for (double& e : y.all) e = 0;
    for (const auto& r : solve(solver, b, y)) {
      EXPECT_LE(r.residual_relative_true, 1e-2);
      EXPECT_GT(r.residual_relative_true, 1e-6);
    }
  }
}

TEST_F(columns, an_interrupt_ends_all) {
  const csr<double> a = tridiagonal(4000, 2, -1);
  const std::atomic<bool> stop = true;
  solve_options o = options(8, {}, 1e-14);
  o.interrupt = &stop;
  linear_solver<double> solver(place::where(), a.view(), o);
  block<double> b = random_block<double>(a.rows, 8), x(a.rows, 8, 0, 0.0);
  for (const auto& r : solve(solver, b, x)) {
    EXPECT_EQ(r.stopped, stop_reason::interrupted);
    EXPECT_LT(r.iterations, 100);
  }
}

TEST_F(columns, fixed_iterations) {
  const csr<double> a = battery_at("mesh_33x47").build();
  solve_options o = options(2);
  o.fixed_iterations = true;
  o.max_iterations = 7;
  linear_solver<double> solver(place::where(), a.view(), o);
  block<double> b = random_block<double>(a.rows, 2), x(a.rows, 2, 0, 0.0);
  for (double& e : b.column(1)) e = 0;
  for (const auto& r : solve(solver, b, x)) EXPECT_EQ(r.iterations, 7);
}

}  // namespace
}  // namespace dwell::test
