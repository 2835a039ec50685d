// SPDX-License-Identifier: MIT
// Mixed precision: answers beside Eigen's direct ones, by every method and preconditioner and under
// every executor; reports, histories and progress over several attempts; interrupts;
// ill-conditioned systems and values out of the range of f32, which go on in f64; other values;
// refusals. Linked again into the tests of a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "plain_options.hpp"
#include "refusal.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

linear_system<double> system_of(const csr<double>& a, std::uint64_t seed = 3) {
  return {"", a, random_vector(a.rows, seed)};
}

std::vector<double> direct(const linear_system<double>& s) { return solve_by_lu(s.a, s.b); }

double true_residual(const linear_system<double>& s, const std::vector<double>& x) {
  return residual_norm(s.a.view(), std::span<const double>(s.b), std::span<const double>(x)) /
         norm2(s.b);
}

solve_options mixed(double rtol = 1e-10, preconditioner p = preconditioner::jacobi) {
  solve_options o = plain_options();
  o.mixed_precision = true;
  o.rtol = rtol;
  o.preconditioner = p;
  return o;
}

/// A line of points whose couplings go from 1 to 10^-digits: Jacobi does not mend it.
csr<double> stiff(index n, double digits) {
  symmetric s(n);
  for (index i = 0; i < n; ++i) {
    const double t = std::pow(10.0, -digits * i / n);
    s.add(i, i, 1.0 + t * 1e-3);
    if (i + 1 < n) s.add(i, i + 1, -0.5);
  }
  return s.as_is();
}

class mixed_precision : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

void check_mixed(const linear_system<double>& s, const solution<double>& got, double rtol) {
  const solve_report& r = got.report;
  check_report(s, got);
  EXPECT_EQ(r.stopped, stop_reason::converged) << r.residual_relative_true << r.reason;
  EXPECT_EQ(r.precision, "mixed");
  EXPECT_FALSE(r.target_missed);
  EXPECT_LE(r.residual_relative_true, rtol);
  EXPECT_LE(true_residual(s, got.x), 1.01 * rtol + 1e-15);
  EXPECT_GT(r.iterations, 0);
  EXPECT_NE(r.reason.find("iterations in f32"), std::string::npos) << r.reason;
}

TEST_F(mixed_precision, every_executor_and_the_same_bits) {
  for (const char* name : {"poisson2d:33x21", "poisson3d:9x8x7"}) {
    const auto s = system_of(generate(name));
    const auto want = direct(s);
    for (const auto p : {preconditioner::none, preconditioner::jacobi, preconditioner::amg}) {
      std::vector<double> bits;
      for (const std::string& executor : place::executors()) {
        SCOPED_TRACE(executor + " with " + to_string(p));
        solve_options o = mixed(1e-12, p);
        o.executor = executor;
        o.history = true;
        const auto got = run(s, o);
        check_mixed(s, got, o.rtol);
        EXPECT_GE(got.report.refinements, 2);
        EXPECT_LE(distance(got.x, want), 1e-9);
        EXPECT_EQ(got.report.executor, executor);
        const auto again = run(s, o);
        EXPECT_TRUE(same_bits(got.x, again.x));
        EXPECT_EQ(got.report.iterations, again.report.iterations);
        if (place::family(executor) != place::family(place::executors().front())) continue;
        if (bits.empty()) bits = got.x;
        if (p != preconditioner::amg) {
          EXPECT_TRUE(same_bits(bits, got.x));
        }
      }
    }
  }
}

TEST_F(mixed_precision, every_method_and_preconditioner) {
  const auto spd = system_of(generate("poisson2d:31x17"));
  const auto other = system_of(generate("convection2d:23x19:5"));
  for (const auto& method : iterative_methods())
    for (const auto p : preconditioners()) {
      SCOPED_TRACE(method.name + " with " + to_string(p));
      const bool general = method.solves == matrix_class::general && p != preconditioner::amg &&
                           p != preconditioner::fsai && p != preconditioner::chebyshev;
      const auto& s = general ? other : spd;
      solve_options o = mixed(1e-11, p);
      o.method = method.name;
      try {
        o.mixed_precision = false;
        (void)run(s, o);
      } catch (const error&) {
        continue;  // they do not go together
      }
      o.mixed_precision = true;
      const auto got = run(s, o);
      check_mixed(s, got, o.rtol);
      EXPECT_EQ(got.report.method, method.name);
      EXPECT_LE(distance(got.x, direct(s)), 1e-8);
    }
}

TEST_F(mixed_precision, odd_sizes_and_starts) {
  for (const index n : {1, 2, 3, 31, 255, 257, 1025}) {
    SCOPED_TRACE(n);
    const auto s = system_of(stiff(n, 1));
    const auto got = run(s, mixed());
    check_mixed(s, got, 1e-10);
    EXPECT_LE(distance(got.x, direct(s)), 1e-6);
    const auto from = run(s, mixed(1e-12), got.x);  // from an answer there is little to do
    EXPECT_LE(from.report.iterations, got.report.iterations);
    EXPECT_LE(true_residual(s, from.x), 1.1e-12);
  }
  linear_system<double> zero{"", generate("poisson2d:9x9"), std::vector<double>(81, 0.0)};
  const auto none = run(zero, mixed());
  EXPECT_EQ(none.report.iterations, 0);
  EXPECT_EQ(none.report.stopped, stop_reason::converged);
  EXPECT_EQ(norm2(none.x), 0.0);
}

TEST_F(mixed_precision, history_progress_and_sums) {
  const auto s = system_of(generate("poisson2d:60x50"));
  solve_options o = mixed(1e-12);
  o.history = true;
  std::vector<int> told;
  std::vector<double> relative;
  o.progress_interval = 0;
  o.progress = [&](const solve_progress& p) {
    told.push_back(p.iteration);
    relative.push_back(p.relative_residual);
    EXPECT_NEAR(p.target, o.rtol, 1e-14);
  };
  const auto got = run(s, o);
  check_mixed(s, got, o.rtol);
  const solve_report& r = got.report;
  ASSERT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1);
  ASSERT_EQ(told.size(), r.history.size());
  for (std::size_t k = 0; k < told.size(); ++k) EXPECT_EQ(told[k], static_cast<int>(k));
  EXPECT_NEAR(r.history.front(), norm2(s.b), 1e-9 * norm2(s.b));
  EXPECT_NEAR(r.history.back(), r.residual_relative_true * r.rhs_norm, 1e-6 * r.history.back());
  EXPECT_NEAR(r.residual_relative_recursive, r.residual_relative_true,
              1e-6 * r.residual_relative_true);
  int higher = 0;  // the curve goes on where an attempt begins
  for (std::size_t k = 1; k < r.history.size(); ++k) {
    EXPECT_NEAR(relative[k - 1] * r.rhs_norm, r.history[k - 1], 0.5 * r.history[k - 1]);
    higher += r.history[k] > 30 * r.history[k - 1];
  }
  EXPECT_EQ(higher, 0);
  EXPECT_NEAR(r.per_iteration_us, r.solve_s * 1e6 / r.iterations, 1e-6 * r.per_iteration_us);
  EXPECT_GT(r.condition_estimate, 100);
  solve_options plain = o;
  plain.mixed_precision = false;
  plain.progress = {};
  const auto f64 = run(s, plain).report;
  EXPECT_LT(r.bytes_per_iteration, 0.75 * static_cast<double>(f64.bytes_per_iteration));
  EXPECT_NEAR(r.condition_estimate, f64.condition_estimate, 0.5 * f64.condition_estimate);
}

TEST_F(mixed_precision, tells_of_a_start_that_is_the_answer) {
  auto s = system_of(generate("poisson2d:6x5"));
  const std::vector<double> x0(s.b.size(), 1.0);
  for (std::size_t i = 0; i < s.b.size(); ++i) {
    s.b[i] = 0;
    for (index k = s.a.row_ptr[i]; k < s.a.row_ptr[i + 1]; ++k)
      s.b[i] += s.a.val[static_cast<std::size_t>(k)];
  }
  solve_options o = mixed(1e-6);
  std::vector<int> told;
  o.progress_interval = 0;
  o.progress = [&](const solve_progress& p) {
    told.push_back(p.iteration);
    EXPECT_EQ(p.relative_residual, 0);
  };
  const auto got = run(s, o, x0);
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_EQ(got.report.iterations, 0);
  EXPECT_EQ(told, std::vector<int>{0});
}

TEST_F(mixed_precision, limit_counts_all_attempts) {
  const auto s = system_of(generate("poisson2d:60x50"));
  solve_options o = mixed(1e-12);
  o.history = true;
  const auto whole = run(s, o);
  ASSERT_GE(whole.report.refinements, 2);
  double last = 2;
  for (const int most : {0, 1, whole.report.iterations / 2, whole.report.iterations * 4 / 5}) {
    SCOPED_TRACE(most);
    o.max_iterations = most;
    const auto got = run(s, o);
    check_report(s, got);
    EXPECT_EQ(got.report.stopped, stop_reason::iteration_limit);
    EXPECT_EQ(got.report.iterations, most);
    EXPECT_EQ(got.report.history.size(), static_cast<std::size_t>(most) + 1);
    EXPECT_LE(got.report.residual_relative_true, last);
    last = got.report.residual_relative_true;
  }
}

TEST_F(mixed_precision, interrupts) {
  const auto s = system_of(generate("poisson2d:60x50"));
  solve_options o = mixed(1e-12);
  const auto whole = run(s, o);
  o.progress_interval = 0;
  std::atomic<bool> stop{false};
  o.interrupt = &stop;
  // In the midst of the second attempt or later.
  const int late = whole.report.iterations * 3 / 5;
  o.progress = [&](const solve_progress& p) { return p.iteration < late; };
  const auto refused = run(s, o);
  EXPECT_EQ(refused.report.stopped, stop_reason::interrupted);
  EXPECT_GE(refused.report.refinements, 1);
  EXPECT_LT(refused.report.residual_relative_true, 1e-3);  // what the attempts before have found
  EXPECT_NEAR(true_residual(s, refused.x), refused.report.residual_relative_true,
              1e-6 * refused.report.residual_relative_true);
  o.progress = [&](const solve_progress& p) { stop = stop || p.iteration >= late; };
  const auto flagged = run(s, o);
  EXPECT_TRUE(flagged.report.stopped == stop_reason::interrupted ||
              (place::on() != backend::cpu && flagged.report.stopped == stop_reason::converged));
  EXPECT_LT(flagged.report.residual_relative_true, 1e-3);
  o.progress = {};
  stop = true;
  const auto at_once = run(s, o);
  EXPECT_EQ(at_once.report.stopped, stop_reason::interrupted);
  EXPECT_LE(at_once.report.iterations, 1);
}

TEST_F(mixed_precision, goes_on_in_f64_where_f32_is_too_short) {
  const auto s = system_of(beam(150));  // its condition is 10^7
  const auto want = direct(s);
  for (const std::string& executor : place::executors()) {
    SCOPED_TRACE(executor);
    solve_options o = mixed(1e-9);
    o.executor = executor;
    o.history = true;
    linear_solver<double> solver(place::where(), s.a.view(), o);
    std::vector<double> x(s.b.size());
    const auto r = solver.solve(s.b, x);
    EXPECT_EQ(r.stopped, stop_reason::converged) << r.reason;
    EXPECT_LE(true_residual(s, x), 1.01e-9);
    EXPECT_LE(distance(x, want), 1e-2);
    EXPECT_EQ(r.precision, "mixed");
    o.mixed_precision = false;  // f32 does not go on and on
    EXPECT_LE(r.iterations, 2 * run(s, o).report.iterations + 2 * (4 * 150 + 500));
    EXPECT_GE(r.refinements, 1);
    EXPECT_NE(r.reason.find("in f64 instead of mixed precision: after"), std::string::npos)
        << r.reason;
    EXPECT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1);
    EXPECT_NEAR(r.per_iteration_us, r.solve_s * 1e6 / r.iterations, 1e-6 * r.per_iteration_us);
    // The next one begins in f32, too.
    std::vector<double> y(x.size(), 0.0);
    const auto next = solver.solve(s.b, y);
    EXPECT_EQ(next.precision, "mixed");
    EXPECT_EQ(next.reason, r.reason);
    EXPECT_TRUE(same_bits(x, y));
  }
}

TEST_F(mixed_precision, matrices_out_of_the_range_of_f32) {
  const auto plain = system_of(generate("poisson2d:33x21"));
  const auto once = run(plain, mixed());
  for (const int power : {-900, -300, -100, 100, 300, 900}) {
    SCOPED_TRACE(power);
    auto s = plain;
    for (double& v : s.a.val) v = std::ldexp(v, power);
    auto got = run(s, mixed());
    EXPECT_EQ(got.report.precision, "mixed");
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    for (double& v : got.x) v = std::ldexp(v, power);
    EXPECT_TRUE(same_bits(once.x, got.x));
    s = plain;
    for (double& v : s.b) v = std::ldexp(v, power);
    got = run(s, mixed());
    for (double& v : got.x) v = std::ldexp(v, -power);
    EXPECT_TRUE(same_bits(once.x, got.x));
  }
}

TEST_F(mixed_precision, elements_that_f32_does_not_hold) {
  // Blocks of very different units: 1e-60 times the others is zero in f32.
  auto s = system_of(generate("poisson2d:12x12"));
  const auto& a = s.a;
  const auto unit = [](index i) { return i % 2 == 0 ? 1.0 : 1e-30; };
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      s.a.val[static_cast<std::size_t>(k)] *= unit(i) * unit(a.col[static_cast<std::size_t>(k)]);
  for (index i = 0; i < a.rows; ++i) s.b[static_cast<std::size_t>(i)] *= unit(i);
  const auto got = run(s, mixed());
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_LE(got.report.residual_relative_true, 1e-10);
  EXPECT_EQ(got.report.precision, "f64");
  EXPECT_NE(got.report.reason.find("in f32 matrix: expected a positive diagonal"),
            std::string::npos)
      << got.report.reason;
  solve_options o = mixed();
  o.mixed_precision = false;
  EXPECT_TRUE(same_bits(run(s, o).x, got.x));
  // Weak couplings that vanish in f32 are no reason to leave it.
  auto weak = system_of(generate("poisson2d:12x12"));
  for (index i = 0; i < weak.a.rows; ++i)
    for (index k = weak.a.row_ptr[static_cast<std::size_t>(i)];
         k < weak.a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const index j = weak.a.col[static_cast<std::size_t>(k)];
      if (std::abs(j - i) == 1) weak.a.val[static_cast<std::size_t>(k)] *= 1e-50;
    }
  const auto kept = run(weak, mixed());
  EXPECT_EQ(kept.report.precision, "mixed");
  check_mixed(weak, kept, 1e-10);
  EXPECT_LE(distance(kept.x, direct(weak)), 1e-8);
}

TEST_F(mixed_precision, method_auto_changes_where_cg_breaks_down) {
  // Symmetric with a positive diagonal, and not definite.
  auto s = system_of(generate("poisson2d:24x18"));
  const auto& a = s.a;
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (a.col[static_cast<std::size_t>(k)] == i) s.a.val[static_cast<std::size_t>(k)] -= 2.03;
  solve_options o = mixed(1e-9);
  o.method = "auto";
  const auto got = run(s, o);
  EXPECT_EQ(got.report.method, "minres") << got.report.method_reason;
  EXPECT_EQ(got.report.stopped, stop_reason::converged) << got.report.reason;
  EXPECT_LE(true_residual(s, got.x), 1.01e-9);
  EXPECT_LE(distance(got.x, direct(s)), 1e-5);
  o.method = "cg";  // method as asked: f64 tries too, and the report says what f64 says
  const auto asked = run(s, o);
  EXPECT_EQ(asked.report.stopped, stop_reason::breakdown);
}

TEST_F(mixed_precision, preconditioner_auto) {
  const auto s = system_of(generate("poisson2d:160x150"));
  solve_options o = mixed(1e-10, preconditioner::automatic);
  linear_solver<double> solver(place::where(), s.a.view(), o);
  std::vector<double> x(s.b.size());
  const auto first = solver.solve(s.b, x);
  EXPECT_EQ(first.stopped, stop_reason::converged);
  EXPECT_NE(first.preconditioner, preconditioner::automatic);
  EXPECT_NE(first.preconditioner_reason, "as asked");
  EXPECT_LE(true_residual(s, x), 1.01e-10);
  std::fill(x.begin(), x.end(), 0.0);
  const auto next = solver.solve(s.b, x);
  EXPECT_EQ(next.preconditioner, first.preconditioner);
  EXPECT_EQ(next.precision, "mixed");
  EXPECT_EQ(next.setup.preconditioner_s, 0.0) << "what was prepared is kept";
}

TEST_F(mixed_precision, null_space_of_constants) {
  for (const auto p : {preconditioner::none, preconditioner::jacobi, preconditioner::amg}) {
    SCOPED_TRACE(to_string(p));
    auto s = system_of(generate("neumann2d:31x23"));
    for (double& e : s.b) e += 0.25;
    const auto got = run(s, mixed(1e-11, p), std::vector<double>(s.b.size(), 7.0));
    EXPECT_EQ(got.report.null_space, "constant");
    EXPECT_EQ(got.report.precision, "mixed");
    EXPECT_EQ(got.report.stopped, stop_reason::converged) << got.report.reason;
    EXPECT_LE(got.report.residual_relative_true, 1e-11);
    solve_options o = mixed(1e-12, p);
    o.mixed_precision = false;
    EXPECT_LE(distance(got.x, run(s, o).x), 1e-8);
  }
}

TEST_F(mixed_precision, columns_one_after_another) {
  const csr<double> a = generate("poisson2d:30x20");
  const auto n = static_cast<std::size_t>(a.rows);
  std::vector<double> b, x(4 * n);
  for (const std::uint64_t seed : {3, 4, 5, 6}) {
    const auto one = random_vector(a.rows, seed);
    b.insert(b.end(), one.begin(), one.end());
  }
  linear_solver<double> solver(place::where(), a.view(), mixed());
  const auto reports = solver.solve(std::span<const double>(b), n, std::span<double>(x), n, 4);
  ASSERT_EQ(reports.size(), 4u);
  for (std::size_t k = 0; k < 4; ++k) {
    EXPECT_EQ(reports[k].columns_together, 1);
    EXPECT_EQ(reports[k].precision, "mixed");
    EXPECT_NE(reports[k].reason.find("one right-hand side at a time"), std::string::npos);
    const auto s = system_of(a, 3 + k);
    const auto alone = run(s, mixed());
    EXPECT_TRUE(same_bits(alone.x, {x.begin() + static_cast<std::ptrdiff_t>(k * n),
                                    x.begin() + static_cast<std::ptrdiff_t>((k + 1) * n)}));
  }
}

TEST_F(mixed_precision, other_values) {
  const csr<double> a = generate("poisson2d:30x20");
  csr<double> b = a, wide = a;
  for (std::size_t k = 0; k < b.val.size(); ++k) b.val[k] = std::ldexp(b.val[k], 40) * 1.1;
  for (index i = 0; i < wide.rows; ++i)  // one row that f32 does not hold beside the others
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (i == 5 || a.col[static_cast<std::size_t>(k)] == 5)
        wide.val[static_cast<std::size_t>(k)] *=
            i == 5 && a.col[static_cast<std::size_t>(k)] == 5 ? 1e-60 : 1e-30;
  for (const auto p : {preconditioner::jacobi, preconditioner::amg, preconditioner::fsai}) {
    SCOPED_TRACE(to_string(p));
    const auto rhs = random_vector(a.rows, 3);
    std::vector<double> x(rhs.size());
    linear_solver<double> solver(place::where(), a.view(), mixed(1e-10, p));
    (void)solver.solve(rhs, x);
    solver.update_values(std::span<const double>(b.val));
    std::fill(x.begin(), x.end(), 0.0);
    const auto r = solver.solve(rhs, x);
    const linear_system<double> changed{"", b, rhs};
    EXPECT_EQ(r.precision, "mixed");
    EXPECT_EQ(r.stopped, stop_reason::converged);
    EXPECT_LE(true_residual(changed, x), 1.01e-10);
    solver.set_tolerances(1e-3);
    std::fill(x.begin(), x.end(), 0.0);
    EXPECT_LE(solver.solve(rhs, x).iterations, r.iterations);
    auto broken = b.val;
    broken[3] = std::nan("");
    EXPECT_NE(refusal<input_error>([&] { solver.update_values(std::span<const double>(broken)); }),
              "accepted");
    std::fill(x.begin(), x.end(), 0.0);
    EXPECT_EQ(solver.solve(rhs, x).precision, "mixed");
    solver.set_tolerances(1e-10);
    solver.update_values(std::span<const double>(wide.val));
    std::fill(x.begin(), x.end(), 0.0);
    const auto in_f64 = solver.solve(rhs, x);
    EXPECT_EQ(in_f64.precision, "f64");
    EXPECT_NE(in_f64.reason.find("in f32 matrix"), std::string::npos) << in_f64.reason;
  }
}

TEST_F(mixed_precision, refusals) {
  const auto s = system_of(generate("poisson2d:9x9"));
  solve_options o = mixed();
  o.fixed_iterations = true;
  EXPECT_NE(refusal<input_error>([&] { (void)run(s, o); }).find("fixed_iterations"),
            std::string::npos);
  o.fixed_iterations = false;
  linear_system<float> single{"", convert<float>(s.a.view()), std::vector<float>(81, 1.f)};
  EXPECT_NE(refusal<input_error>([&] { (void)run(single, o); }).find("a system in f64"),
            std::string::npos);
  o.method = "minres";
  o.preconditioner = preconditioner::ilu0;
  EXPECT_NE(refusal<unsupported_error>([&] { (void)run(s, o); }), "accepted");
  auto nan = s;
  nan.b[7] = std::nan("");
  EXPECT_NE(refusal<input_error>([&] { (void)run(nan, mixed()); }).find("in row 8"),
            std::string::npos);
  const auto convection = system_of(generate("convection2d:9x9:5"));
  EXPECT_NE(refusal<input_error>([&] { (void)run(convection, mixed()); }).find("symmetric"),
            std::string::npos);
}

TEST_F(mixed_precision, explained) {
  const csr<double> a = generate("poisson2d:200x150");
  solve_options o = mixed(1e-8);
  const auto e = explain(a.view(), place::where().facts(), o);
  EXPECT_EQ(e.precision, "mixed");
  o.mixed_precision = false;
  const auto f64 = explain(a.view(), place::where().facts(), o);
  EXPECT_EQ(f64.precision, "f64");
  EXPECT_LT(e.bytes_per_iteration, f64.bytes_per_iteration);
  EXPECT_EQ(
      e.bytes_per_iteration,
      explain(convert<float>(a.view()).view(), place::where().facts(), o).bytes_per_iteration);
}

}  // namespace
}  // namespace dwell::test
