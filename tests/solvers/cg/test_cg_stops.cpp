// SPDX-License-Identifier: MIT
// How a solve begins and ends under every executor of this place: start vectors, tolerances,
// iteration limits, histories.
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <algorithm>
#include <limits>

#include "each_executor.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

class stops : public each_executor {};

TEST_P(stops, start_vector_is_used) {
  const auto s = system("mesh_33x47");
  const auto cold = run(s, options());
  const auto warm = run(s, options(), cold.x);
  check_report(s, warm);
  EXPECT_EQ(warm.report.stopped, stop_reason::converged);
  EXPECT_LE(warm.report.iterations, 2);
  // From a start that is wrong on purpose, the same answer.
  const auto far = run(s, options(), random_vector(s.a.rows, 99));
  check_solution(
      s,
      [&] {
        expectation e = expect_of(s, preconditioner::none);
        e.eigen_iterations = -1;  // Eigen's count is from zeros
        return e;
      }(),
      far);
  EXPECT_FALSE(same_bits(far.x, cold.x));
}

TEST_P(stops, zero_right_hand_side) {
  auto s = system("arrow_first");
  s.b.assign(s.b.size(), 0.0);
  for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
    solve_options o = options();
    o.preconditioner = p;
    const auto got = run(s, o);
    check_report(s, got);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_EQ(got.report.iterations, 0);
    EXPECT_EQ(got.report.residual_relative_true, 0);
    for (const double e : got.x) ASSERT_EQ(e, 0);
  }
  // Where b = 0 the residuals are absolute.
  solve_options o = options();
  o.atol = 1e-9;
  const auto got = run(s, o, random_vector(s.a.rows, 5));
  check_report(s, got);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_LE(got.report.residual_relative_recursive, 1e-9);
}

TEST_P(stops, exact_start_vector) {
  // Small integers: b - A x0 is exactly zero.
  linear_system<double> s{"exact", mesh(31, 17), {}};
  std::vector<double> x0(static_cast<std::size_t>(s.a.rows));
  for (std::size_t i = 0; i < x0.size(); ++i) x0[i] = static_cast<double>(i % 9) - 4;
  s.b.assign(x0.size(), 0);
  for (index i = 0; i < s.a.rows; ++i)
    for (index k = s.a.row_ptr[static_cast<std::size_t>(i)];
         k < s.a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      s.b[static_cast<std::size_t>(i)] +=
          s.a.val[static_cast<std::size_t>(k)] *
          x0[static_cast<std::size_t>(s.a.col[static_cast<std::size_t>(k)])];
  for (const double rtol : {1e-8, 0.0})
    for (const int limit : {0, 1, 100}) {
      solve_options o = options(rtol);
      o.max_iterations = limit;
      const auto got = run(s, o, x0);
      check_report(s, got);
      EXPECT_EQ(got.report.stopped, stop_reason::converged);
      EXPECT_EQ(got.report.iterations, 0);
      EXPECT_TRUE(same_bits(got.x, x0));
    }
}

TEST_P(stops, iteration_limit) {
  const auto s = system("mesh_33x47");
  const auto x0 = random_vector(s.a.rows, 12);
  for (const int limit : {0, 1, 2, 7}) {
    SCOPED_TRACE(limit);
    solve_options o = options();
    o.max_iterations = limit;
    const auto got = run(s, o, x0);
    check_report(s, got);
    EXPECT_EQ(got.report.stopped, stop_reason::iteration_limit);
    EXPECT_EQ(got.report.iterations, limit);
    EXPECT_EQ(same_bits(got.x, x0), limit == 0);
    EXPECT_NEAR(got.report.residual_relative_recursive, got.report.residual_relative_true,
                1e-12 * got.report.residual_relative_true);
  }
}

TEST_P(stops, convergence_at_the_limit_is_convergence) {
  const auto s = system("tridiagonal_500");
  const int count = run(s, options()).report.iterations;
  solve_options o = options();
  o.max_iterations = count;
  EXPECT_EQ(run(s, o).report.stopped, stop_reason::converged);
  o.max_iterations = count - 1;
  const auto short_of_it = run(s, o);
  EXPECT_EQ(short_of_it.report.stopped, stop_reason::iteration_limit);
  EXPECT_GT(short_of_it.report.residual_relative_recursive, o.rtol);
}

TEST_P(stops, history_has_every_residual) {
  for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
    const auto s = system("power_law_1500");
    const auto x0 = random_vector(s.a.rows, 4);
    solve_options o = options();
    o.preconditioner = p;
    EXPECT_TRUE(run(s, o).report.history.empty());
    o.history = true;
    const auto got = run(s, o, x0);
    const auto& h = got.report.history;
    ASSERT_EQ(h.size(), static_cast<std::size_t>(got.report.iterations) + 1);
    const double first =
        residual_norm(s.a.view(), std::span<const double>(s.b), std::span<const double>(x0));
    EXPECT_NEAR(h.front(), first, 1e-12 * first);
    EXPECT_NEAR(h.back() / got.report.rhs_norm, got.report.residual_relative_recursive,
                1e-12 * got.report.residual_relative_recursive);
    for (std::size_t i = 0; i + 1 < h.size(); ++i)
      ASSERT_GT(h[i], o.rtol * got.report.rhs_norm) << "should have stopped after " << i;
    // An entry in the middle is the residual of a solve that is cut there.
    o.max_iterations = got.report.iterations / 2;
    o.history = false;
    const auto half = run(s, o, x0);
    EXPECT_NEAR(h[static_cast<std::size_t>(o.max_iterations)],
                half.report.residual_relative_recursive * half.report.rhs_norm,
                1e-12 * h[static_cast<std::size_t>(o.max_iterations)]);
  }
  solve_options o = options();
  o.history = true;
  o.max_iterations = 0;
  EXPECT_EQ(run(system("arrow_last"), o).report.history.size(), 1u);
}

/// 16 GiB of possible residuals, of which a CPU touches those of the run.
TEST_P(stops, a_history_costs_what_it_holds) {
  if (sanitized || place::on() != backend::cpu) GTEST_SKIP() << "memory is counted on a CPU only";
  solve_options o = options();
  o.history = true;
  o.max_iterations = std::numeric_limits<int>::max();
  const auto peak_kb = [] {
    rusage used;
    getrusage(RUSAGE_SELF, &used);
    return used.ru_maxrss;
  };
  const auto before = peak_kb();
  const auto got = run(system("tridiagonal_500"), o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_EQ(got.report.history.size(), static_cast<std::size_t>(got.report.iterations) + 1);
  EXPECT_LT(peak_kb() - before, 100'000);
}

TEST_P(stops, fixed_iterations_run_them_all) {
  solve_options o = options();
  o.fixed_iterations = true;
  o.history = true;
  // Past convergence; after the residual has become exactly zero; where p.Ap < 0.
  for (const char* name : {"tridiagonal_500", "identity_257", "one_by_one"}) {
    SCOPED_TRACE(name);
    const auto s = system(name);
    o.max_iterations = 300;
    const auto got = run(s, o);
    check_report(s, got);
    EXPECT_EQ(got.report.iterations, 300);
    EXPECT_EQ(got.report.history.size(), 301u);
  }
  const linear_system<double> indefinite{"indefinite", dense({{1, 2}, {2, 1}}), {1, -1}};
  o.max_iterations = 3;
  EXPECT_EQ(run(indefinite, o).report.iterations, 3);
}

TEST_P(stops, tolerances) {
  const auto s = system("dense_row_middle");
  const double b_norm = norm2(s.b);
  solve_options o = options(0);
  o.atol = 1e-5 * b_norm;
  const auto absolute = run(s, o);
  EXPECT_EQ(absolute.report.stopped, stop_reason::converged);
  EXPECT_LE(absolute.report.residual_relative_recursive, 1e-5);
  o = options(1e-5);
  const auto relative = run(s, o);
  EXPECT_EQ(relative.report.iterations, absolute.report.iterations);
  // The larger of the two decides.
  o.atol = 0.1 * b_norm;
  EXPECT_LT(run(s, o).report.iterations, relative.report.iterations);
  o.atol = 1e-20;
  EXPECT_EQ(run(s, o).report.iterations, relative.report.iterations);
  // A tolerance that the start satisfies, whatever the order in which ||b|| and ||r|| are summed.
  o = options(1.0 + 1e-12);
  EXPECT_EQ(run(s, o).report.iterations, 0);
  // None at all: to the limit, unless the residual is exactly zero.
  o = options(0);
  o.max_iterations = 9;
  const auto none = run(s, o);
  EXPECT_EQ(none.report.stopped, stop_reason::iteration_limit);
  EXPECT_EQ(none.report.iterations, 9);
  linear_system<double> exact{"identity", battery_at("identity_257").build(), {}};
  exact.b.assign(257, 3.0);
  const auto zero = run(exact, o);
  EXPECT_EQ(zero.report.stopped, stop_reason::converged);
  EXPECT_EQ(zero.report.iterations, 1);
}

INSTANTIATE_TEST_SUITE_P(every_executor, stops, testing::ValuesIn(executors_and_variants()),
                         executor_name);

TEST(automatic, chooses_an_executor_that_exists) {
  DWELL_SKIP_IF_ABSENT();
  const auto s = make_system<double>(battery_at("mesh_33x47"));
  const auto got = run(s, plain_options());
  check_report(s, got);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  const auto& all = place::executors();
  EXPECT_NE(std::find(all.begin(), all.end(), got.report.executor), all.end())
      << got.report.executor;
}

}  // namespace
}  // namespace dwell::test
