// SPDX-License-Identifier: MIT
// Method "direct" against dense solutions in long double: random systems of all kinds, in other
// orders, singular ones; blocks, other values; what it refuses.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>

#include "direct_systems.hpp"

#include "dwell/base/error.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/linear/linear_solver.hpp"

namespace dwell::test {
namespace {

// Random systems --------------------------------------------------------------------------------

TEST_F(direct, solves_random_systems_of_all_kinds) {
  std::mt19937 engine(101);
  for (int round = 0; round < 240; ++round) {
    const shape of = static_cast<shape>(round % 3);
    const auto n = static_cast<index>(1 + engine() % 70);
    const csr<double> a = random_matrix(engine, n, of);
    const std::vector<double> b = random_vector(n, static_cast<unsigned>(round) + 1);
    SCOPED_TRACE(fmt::format("round {}, kind {}, {} rows", round, round % 3, n));
    const auto got = solved(a, b);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_FALSE(got.report.target_missed);
    EXPECT_EQ(got.report.method, "direct");
    EXPECT_EQ(got.report.executor, direct_executor);
    EXPECT_EQ(got.report.preconditioner, preconditioner::none);
    EXPECT_LE(distance(got.x, dense_solution(a, b)), 1e-11);
    EXPECT_LE(got.report.componentwise_backward_error, 1e-12);
    EXPECT_GE(got.report.factor_nonzeros, place(n));
    EXPECT_EQ(got.report.iterations >= 1 && got.report.iterations <= 3, true);
    if (of == shape::definite) {
      EXPECT_EQ(got.report.variant, variant_ldlt);
    }
  }
}

TEST_F(direct, of_every_problem_of_the_methods) {
  for (const problem& one : problems()) {
    SCOPED_TRACE(one.name);
    const csr<double> a = one.build();
    const judged_system<double> s = judged<double>(a);
    const auto got = solved(s.system.a, s.system.b);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_LE(distance(got.x, s.x), 1e-9);
    for (const char* variant : {variant_ldlt, variant_lu}) {
      if (variant == std::string(variant_ldlt) && (!one.symmetric || !has_full_diagonal(a)))
        continue;
      solve_options o = direct_options();
      o.variant = variant;
      const auto asked = solved(s.system.a, s.system.b, o);
      EXPECT_EQ(asked.report.variant, variant);
      EXPECT_EQ(asked.report.stopped, stop_reason::converged);
      EXPECT_LE(distance(asked.x, s.x), 1e-9);
    }
  }
}

TEST_F(direct, has_the_same_answer_in_another_order) {
  std::mt19937 engine(7);
  for (int round = 0; round < 60; ++round) {
    const auto n = static_cast<index>(2 + engine() % 60);
    const csr<double> a = random_matrix(engine, n, static_cast<shape>(round % 3));
    const std::vector<double> b = random_vector(n, static_cast<unsigned>(round));
    const std::vector<index> to = random_order(engine, n);
    std::vector<double> other_b(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) other_b[place(to[i])] = b[i];
    const auto one = solved(a, b), other = solved(permuted(a, to), other_b);
    std::vector<double> back(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) back[i] = other.x[place(to[i])];
    EXPECT_LE(distance(back, one.x), 1e-12) << round;
  }
}

// Pivots ----------------------------------------------------------------------------------------

TEST_F(direct, goes_on_with_lu_where_a_pivot_is_zero) {
  const csr<double> zero = from_entries(2, {{0, 1, 1.0}, {1, 0, 1.0}, {0, 0, 0.0}, {1, 1, 0.0}});
  const auto got = solved(zero, {2, 3});
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_EQ(got.report.variant, variant_lu);
  EXPECT_NE(got.report.reason.find("a pivot is zero"), std::string::npos) << got.report.reason;
  EXPECT_EQ(got.x, (std::vector<double>{3, 2}));
  solve_options o = direct_options();
  o.variant = variant_ldlt;
  const auto asked = solved(zero, {2, 3}, o);
  EXPECT_EQ(asked.report.stopped, stop_reason::breakdown);
  EXPECT_NE(asked.report.advice.find("try variant lu"), std::string::npos) << asked.report.advice;
}

TEST_F(direct, goes_on_with_lu_where_pivots_are_needed) {
  // In any order the first pivot is 1e-14, beside elements of 1.
  entries all;
  const index n = 40;
  for (index i = 0; i < n; ++i) all.emplace_back(i, i, 1e-14);
  for (index i = 0; i < n; i += 2) {
    all.emplace_back(i, i + 1, 1.0 + 0.1 * i), all.emplace_back(i + 1, i, 1.0 + 0.1 * i);
    if (i + 2 < n) all.emplace_back(i, i + 2, 0.7), all.emplace_back(i + 2, i, 0.7);
  }
  const csr<double> a = from_entries(n, all);
  for (const double sign : {1.0, -1.0}) {  // a diagonal that is positive is scaled another way
    csr<double> one = a;
    for (index i = 0; i < n; ++i)
      for (index k = one.row_ptr[place(i)]; k < one.row_ptr[place(i) + 1]; ++k)
        if (one.col[place(k)] == i && i % 2 == 0) one.val[place(k)] *= sign;
    const std::vector<double> b = random_vector(n, 3);
    const auto got = solved(one, b);
    EXPECT_EQ(got.report.stopped, stop_reason::converged) << got.report.reason;
    EXPECT_LE(distance(got.x, dense_solution(one, b)), 1e-11) << got.report.reason;
  }
}

TEST_F(direct, refuses_singular_matrices_in_one_line) {
  const csr<double> laplacian = from_entries(4, {{0, 0, 1.},
                                                 {0, 1, -1.},
                                                 {1, 0, -1.},
                                                 {1, 1, 2.},
                                                 {1, 2, -1.},
                                                 {2, 1, -1.},
                                                 {2, 2, 2.},
                                                 {2, 3, -1.},
                                                 {3, 2, -1.},
                                                 {3, 3, 1.}});
  const csr<double> equal_rows =
      from_entries(3, {{0, 0, 1.}, {0, 1, 2.}, {1, 0, 1.}, {1, 1, 2.}, {2, 2, 3.}, {2, 0, 1.}});
  const csr<double> equal_columns =
      from_entries(3, {{0, 0, .1}, {0, 1, .3}, {1, 0, .7}, {1, 1, 2.1}, {2, 2, 3.}});
  csr<double> neumann = generate("poisson2d:20x20");  // with row sums of zero
  for (index i = 0; i < neumann.rows; ++i) {
    double sum = 0;
    index diagonal = 0;
    for (index k = neumann.row_ptr[place(i)]; k < neumann.row_ptr[place(i) + 1]; ++k)
      if (neumann.col[place(k)] == i)
        diagonal = k;
      else
        sum += neumann.val[place(k)] *= 1.0 / 3;
    neumann.val[place(diagonal)] = -sum;
  }
  for (const csr<double>* a :
       std::vector<const csr<double>*>{&laplacian, &equal_rows, &equal_columns, &neumann}) {
    const std::vector<double> b = random_vector(a->rows, 2);
    const std::vector<double> start = random_vector(a->rows, 8);
    solution<double> got{{}, start};
    got.report = solve(device::cpu(1), a->view(), b, got.x, direct_options());
    EXPECT_EQ(got.report.stopped, stop_reason::breakdown);
    EXPECT_EQ(got.report.iterations, 0);
    EXPECT_NE(got.report.advice.find("singular"), std::string::npos) << got.report.advice;
    EXPECT_EQ(got.report.advice.find('\n'), std::string::npos);
    EXPECT_EQ(got.x, start);
  }
  const csr<double> empty_row = from_entries(3, {{0, 0, 1.}, {2, 2, 1.}});
  std::vector<double> x(3), b(3, 1.0);
  EXPECT_THROW((void)solve(device::cpu(1), empty_row.view(), b, x, direct_options()), input_error);
}

TEST_F(direct, solves_what_is_close_to_singular) {
  // Hilbert's matrix of 8 rows has a condition of 1.5e10.
  entries all;
  for (index i = 0; i < 8; ++i)
    for (index j = 0; j < 8; ++j) all.emplace_back(i, j, 1.0 / (i + j + 1));
  const csr<double> a = from_entries(8, all);
  const std::vector<double> b = random_vector(8, 4);
  const auto got = solved(a, b);
  EXPECT_NE(got.report.stopped, stop_reason::breakdown) << got.report.advice;
  EXPECT_LE(distance(got.x, dense_solution(a, b)), 1e-4);
  EXPECT_LE(got.report.componentwise_backward_error, 1e-12);
}

// Solvers ---------------------------------------------------------------------------------------

TEST_F(direct, factorises_once_for_blocks_of_right_hand_sides) {
  std::mt19937 engine(5);
  for (int kind = 0; kind < 3; ++kind) {
    const index n = 50;
    const csr<double> a = random_matrix(engine, n, static_cast<shape>(kind));
    linear_solver<double> solver(device::cpu(2), a.view(), direct_options());
    EXPECT_GT(solver.setup().factor_s, 0);
    const int count = 5;
    const std::size_t apart = place(n) + 3;
    std::vector<double> b(apart * count), x(apart * count, 0.0);
    for (int c = 0; c < count; ++c) {
      const auto one = random_vector(n, 40 + static_cast<unsigned>(c));
      std::copy(one.begin(), one.end(), b.begin() + static_cast<std::ptrdiff_t>(apart) * c);
    }
    const auto reports =
        solver.solve(std::span<const double>(b), apart, std::span<double>(x), apart, count);
    ASSERT_EQ(reports.size(), place(count));
    for (int c = 0; c < count; ++c) {
      const auto from = static_cast<std::ptrdiff_t>(apart) * c;
      const std::vector<double> one(b.begin() + from, b.begin() + from + n),
          answer(x.begin() + from, x.begin() + from + n);
      const auto alone = solved(a, one);
      EXPECT_TRUE(same_bits(alone.x, answer));
      EXPECT_EQ(reports[place(c)].stopped, stop_reason::converged);
      EXPECT_EQ(reports[place(c)].columns_together, 1);
      EXPECT_EQ(reports[place(c)].setup.factor_s, 0);  // the solver had them
    }
  }
}

TEST_F(direct, takes_other_values_of_the_pattern) {
  std::mt19937 engine(6);
  for (int kind = 0; kind < 3; ++kind) {
    const index n = 45;
    csr<double> a = random_matrix(engine, n, static_cast<shape>(kind)), other = a, singular = a;
    for (index i = 0; i < n; ++i)
      for (index k = a.row_ptr[place(i)]; k < a.row_ptr[place(i) + 1]; ++k) {
        other.val[place(k)] *= 1.0 + 0.01 * ((i + a.col[place(k)]) % 7);
        if (i == 7 || a.col[place(k)] == 7) singular.val[place(k)] = 0;
      }
    const std::vector<double> b = random_vector(n, 9);
    linear_solver<double> solver(device::cpu(2), a.view(), direct_options());
    std::vector<double> x(b.size(), 0.0);
    for (const csr<double>* now : {&other, &singular, &a}) {
      solver.update_values(std::span<const double>(now->val));
      EXPECT_GT(solver.setup().factor_s, 0);
      std::fill(x.begin(), x.end(), 0.0);
      const solve_report report = solver.solve(std::span<const double>(b), std::span<double>(x));
      const auto fresh = solved(*now, b);
      EXPECT_EQ(report.stopped, fresh.report.stopped);
      EXPECT_EQ(report.stopped, now == &singular ? stop_reason::breakdown : stop_reason::converged);
      EXPECT_EQ(report.variant, fresh.report.variant);
      EXPECT_TRUE(same_bits(x, fresh.x));
    }
  }
}

TEST_F(direct, has_bits_that_do_not_depend_on_the_solves_before) {
  // Pivots of 1e-17 in one half: right-hand sides of the other half do not need LU.
  std::mt19937 engine(12);
  int by_lu = 0, by_ldlt = 0;
  std::uniform_real_distribution<double> value(0.5, 1);
  for (int round = 0; round < 30; ++round) {
    const index half = static_cast<index>(4 + engine() % 20), n = 2 * half;
    entries all;
    for (index i = 0; i < half; ++i) {
      all.emplace_back(i, i, -1e-17 * value(engine));
      all.emplace_back(half + i, half + i, 2.0 + i % 2);
      for (index j = std::max(0, i - 3); j < i; ++j) {
        if (engine() % 3 == 0) continue;
        const double v = engine() % 2 ? value(engine) : -value(engine);
        all.emplace_back(i, j, v), all.emplace_back(j, i, v);
      }
    }
    const csr<double> a = from_entries(n, all);
    linear_solver<double> solver(device::cpu(1), a.view(), direct_options());
    for (int k = 0; k < 6; ++k) {
      std::vector<double> b = random_vector(n, static_cast<unsigned>(10 * round + k)), x(b.size());
      if (engine() % 2) std::fill(b.begin(), b.begin() + half, 0.0);
      const solve_report report = solver.solve(std::span<const double>(b), std::span<double>(x));
      const auto fresh = solved(a, b);
      SCOPED_TRACE(fmt::format("round {}, solve {}: {}", round, k, report.reason));
      EXPECT_TRUE(same_bits(x, fresh.x));
      EXPECT_EQ(report.variant, fresh.report.variant);
      EXPECT_EQ(report.iterations, fresh.report.iterations);
      EXPECT_EQ(report.reason, fresh.report.reason);
      by_ldlt += report.variant == variant_ldlt;
      by_lu += report.reason.find("left a relative residual") != std::string::npos;
    }
  }
  EXPECT_GT(by_lu, 10);
  EXPECT_GT(by_ldlt, 10);
}

TEST_F(direct, begins_at_the_start_vector) {
  const csr<double> a = generate("poisson2d:20x15");
  const std::vector<double> b = random_vector(a.rows, 3);
  auto got = solved(a, b);
  std::vector<double> x = got.x;
  solve_options o = direct_options();
  o.rtol = 1e-10;
  const solve_report again = solve(device::cpu(1), a.view(), b, x, o);
  EXPECT_EQ(again.iterations, 0);
  EXPECT_EQ(again.stopped, stop_reason::converged);
  EXPECT_TRUE(same_bits(x, got.x));
  x = random_vector(a.rows, 12);
  for (double& v : x) v *= 1e20;
  const solve_report far = solve(device::cpu(1), a.view(), b, x, o);
  EXPECT_EQ(far.stopped, stop_reason::converged);
  EXPECT_LE(distance(x, got.x), 1e-9);
  o.max_iterations = 0;
  EXPECT_EQ(solved(a, b, o).report.stopped, stop_reason::iteration_limit);
  o = direct_options();
  o.rtol = 0;
  const auto most = solved(a, b, o).report;
  EXPECT_TRUE(most.stopped != stop_reason::converged || most.target_missed);
  EXPECT_LE(most.componentwise_backward_error, 1e-14);
}

TEST_F(direct, solves_in_f32_by_factors_in_f64) {
  const csr<double> a = generate("convection2d:20x15:5");
  const csr<float> single = convert<float>(a.view());
  std::vector<float> b(place(a.rows), 1.0F), x(b.size(), 0.0F);
  solve_options o = direct_options();
  o.rtol = 1e-5;
  const solve_report report =
      solve(device::cpu(1), single.view(), std::span<const float>(b), std::span<float>(x), o);
  EXPECT_EQ(report.stopped, stop_reason::converged);
  EXPECT_EQ(report.precision, "f32");
  const auto exact =
      dense_solution(convert<double>(single.view()), std::vector<double>(b.size(), 1));
  EXPECT_LE(distance(std::vector<double>(x.begin(), x.end()), exact), 1e-6);
}

TEST_F(direct, hears_of_an_interrupt_and_tells_of_its_steps) {
  const csr<double> a = generate("poisson2d:20x15");
  const std::vector<double> b = random_vector(a.rows, 3);
  std::atomic<bool> flag{true};
  solve_options o = direct_options();
  o.interrupt = &flag;
  EXPECT_EQ(solved(a, b, o).report.stopped, stop_reason::interrupted);
  o.interrupt = nullptr;
  o.history = true;
  std::vector<int> told;
  o.progress = [&](const solve_progress& now) { told.push_back(now.iteration); };
  const auto got = solved(a, b, o).report;
  ASSERT_EQ(got.history.size(), place(got.iterations) + 1);
  EXPECT_LT(got.history.back(), 1e-12 * got.history.front());
  ASSERT_FALSE(told.empty());
  EXPECT_EQ(told.front(), 0);
  EXPECT_EQ(told.back(), got.iterations);
}

TEST_F(direct, refuses_what_it_cannot_follow) {
  const csr<double> a = generate("poisson2d:8x8");
  const std::vector<double> b(64, 1.0);
  const auto refused = [&](auto&& change, const char* word) {
    solve_options o = direct_options();
    change(o);
    try {
      (void)solved(a, b, o);
      ADD_FAILURE() << word;
    } catch (const unsupported_error& e) {
      EXPECT_NE(std::string(e.what()).find(word), std::string::npos) << e.what();
      EXPECT_NE(std::string(e.what()).find("direct"), std::string::npos) << e.what();
    }
  };
  refused([](solve_options& o) { o.executor = "persistent"; }, "executor");
  refused([](solve_options& o) { o.policy = "greedy"; }, "policy");
  for (const preconditioner p : preconditioners())
    if (p != preconditioner::automatic && p != preconditioner::none)
      refused([&](solve_options& o) { o.preconditioner = p; }, "preconditioner");
  refused([](solve_options& o) { o.mixed_precision = true; }, "precision");
  refused([](solve_options& o) { o.null_space = "constant"; }, "null_space");
  refused([](solve_options& o) { o.null_vectors.assign(64, 1.0); }, "null_vectors");
  refused([](solve_options& o) { o.fixed_iterations = true; }, "fixed_iterations");
  refused([](solve_options& o) { o.columns_at_once = 4; }, "columns_at_once");
  solve_options o = direct_options();
  o.variant = "pipelined";
  EXPECT_THROW((void)solved(a, b, o), input_error);
  EXPECT_THROW((void)explain(a.view(), device::cpu(1).facts(), direct_options()),
               unsupported_error);
}

}  // namespace
}  // namespace dwell::test
