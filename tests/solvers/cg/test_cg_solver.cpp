// SPDX-License-Identifier: MIT
// The prepared solver under every executor of this place: the second solve is the first one's
// equal, other values and tolerances take hold, wrong calls are refused, and solvers do not disturb
// each other.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <thread>
#include <vector>

#include "dwell/linear/linear_solver.hpp"
#include "each_executor.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

/// f() is refused in a message that contains `words`.
template <class Error, class F>
void expect_refusal(F&& f, const std::string& words) {
  const std::string said = refusal<Error>(f);
  EXPECT_NE(said.find(words), std::string::npos) << said;
}

class prepared : public each_executor {
 protected:
  template <class T>
  static solution<T> solve_with(linear_solver<T>& solver, const std::vector<T>& b,
                                std::vector<T> x = {}) {
    solution<T> got{{}, std::move(x)};
    got.x.resize(b.size(), T(0));
    got.report = solver.solve(std::span<const T>(b), std::span<T>(got.x));
    return got;
  }
  template <class T>
  static void expect_same(const solution<T>& got, const solution<T>& want) {
    EXPECT_TRUE(same_bits(got.x, want.x));
    EXPECT_EQ(got.report.iterations, want.report.iterations);
    EXPECT_EQ(got.report.stopped, want.report.stopped);
    EXPECT_EQ(got.report.rhs_norm, want.report.rhs_norm);
    EXPECT_EQ(got.report.residual_relative_true, want.report.residual_relative_true);
    EXPECT_EQ(got.report.residual_relative_recursive, want.report.residual_relative_recursive);
    EXPECT_EQ(got.report.condition_estimate, want.report.condition_estimate);
    EXPECT_EQ(got.report.error_estimate, want.report.error_estimate);
    EXPECT_EQ(got.report.history, want.report.history);
    EXPECT_EQ(got.report.reason, want.report.reason);
  }
  template <class T>
  static std::vector<T> other_rhs(index rows, unsigned seed) {
    const std::vector<double> v = random_vector(rows, seed);
    return {v.begin(), v.end()};
  }
};

template <class T>
void solves_are_equal(const linear_system<T>& s, solve_options o) {
  o.history = true;
  linear_solver<T> solver(place::where(), s.a.view(), o);
  EXPECT_EQ(solver.rows(), s.a.rows);
  EXPECT_GT(solver.setup().total(), 0);
  const solution<T> alone = run(s, o);
  check_report(s, alone);
  linear_system<T> other = s;
  const std::vector<double> rough = random_vector(s.a.rows, 5);
  std::copy(rough.begin(), rough.end(), other.b.begin());
  const solution<T> other_alone = run(other, o);
  for (int k = 0; k < 3; ++k) {
    solution<T> got{{}, std::vector<T>(s.b.size(), T(0))};
    got.report = solver.solve(std::span<const T>(s.b), std::span<T>(got.x));
    EXPECT_TRUE(same_bits(got.x, alone.x)) << "solve " << k;
    EXPECT_EQ(got.report.history, alone.report.history);
    EXPECT_EQ(got.report.setup.total(), 0) << "of the matrix nothing is left to prepare";
    std::fill(got.x.begin(), got.x.end(), T(0));
    got.report = solver.solve(std::span<const T>(other.b), std::span<T>(got.x));
    EXPECT_TRUE(same_bits(got.x, other_alone.x)) << "solve " << k;
    EXPECT_EQ(got.report.iterations, other_alone.report.iterations);
  }
}

TEST_P(prepared, solves_are_what_they_are_alone) {
  for (const char* name : {"mesh_33x47", "one_by_one", "blocks_300"}) {
    SCOPED_TRACE(name);
    solves_are_equal(system(name), options());
    solves_are_equal(system<float>(name), options(1e-5));
    solve_options o = options();
    o.preconditioner = preconditioner::jacobi;
    solves_are_equal(system(name), o);
  }
}

TEST_P(prepared, systems_of_any_scale) {
  const auto s = system("mesh_33x47");
  linear_solver<double> solver(place::where(), s.a.view(), options());
  const auto one = solve_with(solver, s.b);
  for (const int exponent : {-900, -3, 700}) {
    std::vector<double> b = s.b;
    for (double& e : b) e = std::ldexp(e, exponent);
    const auto got = solve_with(solver, b);
    EXPECT_EQ(got.report.iterations, one.report.iterations);
    for (std::size_t i = 0; i < one.x.size(); ++i)
      ASSERT_EQ(got.x[i], std::ldexp(one.x[i], exponent)) << i;
  }
}

TEST_P(prepared, start_vectors_and_zeros) {
  const auto s = system("mesh_33x47");
  linear_solver<double> solver(place::where(), s.a.view(), options());
  const auto cold = solve_with(solver, s.b);
  expect_same(solve_with(solver, s.b, cold.x), run(s, options(), cold.x));
  const auto nothing = solve_with(solver, std::vector<double>(s.b.size(), 0.0));
  EXPECT_EQ(nothing.report.iterations, 0);
  EXPECT_EQ(nothing.x, std::vector<double>(s.b.size(), 0.0));
  expect_same(solve_with(solver, s.b), run(s, options()));
}

TEST_P(prepared, other_values_of_the_same_pattern) {
  auto s = system("mesh_33x47");
  for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
    solve_options o = options();
    o.preconditioner = p;
    linear_solver<double> solver(place::where(), s.a.view(), o);
    expect_same(solve_with(solver, s.b), run(s, o));
    linear_system<double> changed = s;
    for (double& v : changed.a.val) v *= 3;
    for (index i = 0; i < changed.a.rows; ++i)
      for (index k = changed.a.row_ptr[i]; k < changed.a.row_ptr[i + 1]; ++k)
        if (changed.a.col[k] == i) changed.a.val[k] += 0.25 * (i % 7);
    solver.update_values(std::span<const double>(changed.a.val));
    expect_same(solve_with(solver, s.b), run(changed, o));
    solver.update_values(std::span<const double>(s.a.val));
    expect_same(solve_with(solver, s.b), run(s, o));
  }
}

TEST_P(prepared, values_that_cannot_be_leave_the_solver_as_it_was) {
  const auto s = system("mesh_33x47");
  linear_solver<double> solver(place::where(), s.a.view(), options());
  std::vector<double> values = s.a.val;
  values[3] = std::numeric_limits<double>::quiet_NaN();
  expect_refusal<input_error>([&] { solver.update_values(std::span<const double>(values)); },
                              "finite");
  values = s.a.val;
  values[0] = -1;
  expect_refusal<input_error>([&] { solver.update_values(std::span<const double>(values)); },
                              "positive diagonal");
  values.pop_back();
  expect_refusal<input_error>([&] { solver.update_values(std::span<const double>(values)); },
                              "values: expected");
  expect_same(solve_with(solver, s.b), run(s, options()));
}

TEST_P(prepared, tolerances) {
  const auto s = system("mesh_33x47");
  linear_solver<double> solver(place::where(), s.a.view(), options(1e-3));
  const auto coarse = solve_with(solver, s.b);
  solver.set_tolerances(1e-10);
  expect_same(solve_with(solver, s.b), run(s, options(1e-10)));
  solver.set_tolerances(1e-3);
  expect_same(solve_with(solver, s.b), coarse);
  expect_refusal<input_error>([&] { solver.set_tolerances(-1); }, "rtol");
}

TEST_P(prepared, many_right_hand_sides) {
  const auto s = system("blocks_300");
  const auto n = static_cast<std::size_t>(s.a.rows), ldb = n + 3, ldx = n + 1;
  constexpr int count = 4;
  solve_options o = options();
  o.columns_at_once = 1;  // several at once: test_cg_columns.cpp
  linear_solver<double> solver(place::where(), s.a.view(), o);
  std::vector<double> b(ldb * (count - 1) + n, -7.0), x(ldx * (count - 1) + n, 0.0);
  for (int k = 0; k < count; ++k) {
    const auto rhs = other_rhs<double>(s.a.rows, 20u + static_cast<unsigned>(k));
    std::copy(rhs.begin(), rhs.end(), b.begin() + static_cast<std::ptrdiff_t>(ldb) * k);
    if (k + 1 < count) x[ldx * static_cast<std::size_t>(k) + n] = 42;
  }
  const auto reports =
      solver.solve(std::span<const double>(b), ldb, std::span<double>(x), ldx, count);
  ASSERT_EQ(reports.size(), static_cast<std::size_t>(count));
  for (int k = 0; k < count; ++k) {
    const auto at = static_cast<std::size_t>(k);
    const auto alone =
        solve_with(solver, other_rhs<double>(s.a.rows, 20u + static_cast<unsigned>(k)));
    EXPECT_TRUE(std::equal(alone.x.begin(), alone.x.end(),
                           x.begin() + static_cast<std::ptrdiff_t>(ldx * at)));
    EXPECT_EQ(reports[at].iterations, alone.report.iterations);
    if (k + 1 < count) {
      EXPECT_EQ(x[ldx * at + n], 42) << "between two columns";
    }
  }
  const auto solve = [&](std::size_t ldb_, std::size_t ldx_, int count_) {
    (void)solver.solve(std::span<const double>(b), ldb_, std::span<double>(x), ldx_, count_);
  };
  expect_refusal<input_error>([&] { solve(n - 1, ldx, count); }, "elements apart");
  expect_refusal<input_error>([&] { solve(ldb, ldx, count + 1); }, "5 columns");
  expect_refusal<input_error>([&] { solve(ldb, ldx, -1); }, "count");
}

TEST_P(prepared, wrong_calls) {
  const auto s = system("blocks_300");
  linear_solver<double> solver(place::where(), s.a.view(), options());
  const std::vector<double> b = s.b, shorter(b.begin(), b.end() - 1);
  std::vector<double> x(b.size(), 0.0), before = x;
  expect_refusal<input_error>([&] { solve_with(solver, shorter, x); }, "right-hand side: expected");
  expect_refusal<input_error>([&] { solver.solve(b, std::span<double>(x).first(3)); },
                              "start vector: expected");
  expect_refusal<input_error>(
      [&] { solver.solve(std::span<const double>(x), std::span<double>(x)); }, "overlaps");
  expect_refusal<input_error>([&] { (void)solver.wait(); }, "none");
  std::vector<double> bad = b;
  bad[5] = std::numeric_limits<double>::infinity();
  x[2] = 3;
  before = x;
  expect_refusal<input_error>([&] { solver.solve(bad, x); }, "right-hand side: expected finite");
  EXPECT_EQ(x, before);
  const device_span<const double> view_b{b.data(), b.size(), 0};
  const device_span<double> view_x{x.data(), x.size(), 0};
  expect_refusal<input_error>([&] { (void)solver.solve(view_b, view_x); },
                              place::on() == backend::cpu ? "memory of the host" : "the host's");
  solve_options wrong = options();
  wrong.rtol = -1;
  expect_refusal<input_error>([&] { linear_solver<double>(place::where(), s.a.view(), wrong); },
                              "rtol");
  x.assign(x.size(), 0.0);
  solver.solve(b, x);
  EXPECT_TRUE(same_bits(x, run(s, options()).x)) << "a refused call leaves the solver usable";
}

TEST_P(prepared, an_interrupt_ends_a_solve_and_not_the_solver) {
  const auto s = system("mesh_33x47");
  std::atomic<bool> stop = true;
  solve_options o = options();
  o.interrupt = &stop;
  linear_solver<double> solver(place::where(), s.a.view(), o);
  EXPECT_EQ(solve_with(solver, s.b).report.stopped, stop_reason::interrupted);
  stop = false;
  const auto got = solve_with(solver, s.b);
  EXPECT_TRUE(same_bits(got.x, run(s, options()).x));
}

TEST_P(prepared, an_exception_of_the_progress_ends_a_solve_and_not_the_solver) {
  const auto s = system("mesh_33x47");
  bool fail = true;
  solve_options o = options();
  o.progress_interval = 0;
  o.progress = [&](const solve_progress&) {
    if (fail) throw std::runtime_error("enough");
  };
  linear_solver<double> solver(place::where(), s.a.view(), o);
  std::vector<double> x(s.b.size(), 0.0);
  EXPECT_THROW(solver.solve(s.b, x), std::runtime_error);
  EXPECT_EQ(x, std::vector<double>(s.b.size(), 0.0));
  fail = false;
  EXPECT_TRUE(same_bits(solve_with(solver, s.b).x, run(s, options()).x));
}

/// One kernel runs with different amounts of scratch, which on a GPU is limited for all launches of
/// a kernel together.
TEST_P(prepared, a_smaller_system_does_not_disturb_a_larger_one) {
  solve_options o = options();
  o.teams = 1;
  o.config = 0;
  const auto large = system("prime_1009"), small = system("mesh_33x47");
  linear_solver<double> first(place::where(), large.a.view(), o);
  linear_solver<double> second(place::where(), small.a.view(), o);
  expect_same(solve_with(second, small.b), run(small, o));
  const auto again = solve_with(first, large.b);
  expect_same(again, run(large, o));
  expect_same(solve_with(second, small.b), run(small, o));
}

TEST_P(prepared, moves) {
  const auto s = system("blocks_300");
  linear_solver<double> first(place::where(), s.a.view(), options());
  const auto want = solve_with(first, s.b);
  linear_solver<double> second(std::move(first));
  expect_same(solve_with(second, s.b), want);
  const auto other = system("mesh_33x47");
  linear_solver<double> third(place::where(), other.a.view(), options());
  third = std::move(second);
  expect_same(solve_with(third, s.b), want);
}

TEST_P(prepared, eight_solvers_in_eight_threads) {
  const auto s = system("blocks_300");
  const auto want = run(s, options());
  std::vector<std::vector<double>> x(8, std::vector<double>(s.b.size(), 0.0));
  {
    std::vector<std::jthread> threads;
    for (std::size_t t = 0; t < x.size(); ++t)
      threads.emplace_back([&, t] {
        linear_solver<double> solver(place::where(), s.a.view(), options());
        for (int k = 0; k < 3; ++k) {
          std::fill(x[t].begin(), x[t].end(), 0.0);
          (void)solver.solve(s.b, x[t]);
        }
      });
  }
  for (const auto& got : x) EXPECT_TRUE(same_bits(got, want.x));
}

INSTANTIATE_TEST_SUITE_P(every_executor, prepared, testing::ValuesIn(executors_and_variants()),
                         executor_name);

}  // namespace
}  // namespace dwell::test
