// SPDX-License-Identifier: MIT
// Method "auto" goes on with the direct one where that is projected to end clearly sooner: the rule
// beside counts of its own, and solves of systems on which iterations are slow, against dense
// solutions; what is kept, and what happens where there are no factors.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <random>

#include "direct_systems.hpp"

#include "battery.hpp"
#include "dwell/formats/matrix_market.hpp"
#include "dwell/linear/explain.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/solvers/linear/direct/direct_candidate.hpp"
#include "real_matrices.hpp"
#include "sanitized.hpp"

namespace dwell::test {
namespace {

// The rule --------------------------------------------------------------------------------------

searched_system system_of(double rows, double per_row, int threads = 1) {
  return {rows, rows * per_row, 1.0, threads};
}
rest_of_run rest_of(double spent, double left, bool falls) {
  rest_of_run out;
  out.steps = 100;
  out.iterations = 1000;
  out.spent = spent;
  out.left = out.least = left;
  out.by = preconditioner::jacobi;
  out.falls = falls;
  return out;
}

TEST_F(direct, follows_where_the_rest_is_several_times_as_long) {
  std::mt19937 engine(3);
  int followed = 0, stayed = 0;
  for (int round = 0; round < 400; ++round) {
    const int threads = 1 + static_cast<int>(engine() % 2);
    const bool symmetric = engine() % 2 == 0;
    const auto any = [&](unsigned below) { return static_cast<double>(engine() % below); };
    const searched_system of = system_of(1000.0 + any(40000), 3.0 + any(40), threads);
    counted_fill counted;
    counted.fill.nonzeros = of.nonzeros * std::ldexp(1.0, static_cast<int>(engine() % 8));
    counted.fill.flops = counted.fill.nonzeros * any(3000);
    const double count = threads * cost_of_count(of),
                 factors = threads * cost_of_direct(of, counted.fill, symmetric);
    const double spent = count * any(16), left = factors * any(12);
    const bool falls = engine() % 2 == 0;
    int counts = 0;
    const direct_candidate one(of, symmetric, [&] { return ++counts, &counted; });
    const bool pays = spent + (falls ? std::min(left, 4 * spent) : 0) >= 10 * count;
    const bool expected = pays && left >= (symmetric ? 3 : 6) * factors;
    const auto why = one.better_than("cg", preconditioner::jacobi, rest_of(spent, left, falls));
    EXPECT_EQ(why.has_value(), expected) << round;
    EXPECT_TRUE(pays || counts == 0) << "counted too early";
    if (why) {
      EXPECT_NE(why->find("after 100 iterations with cg and jacobi, 1000 more"), std::string::npos)
          << *why;
    }
    ++(expected ? followed : stayed);
  }
  EXPECT_GT(followed, 20);
  EXPECT_GT(stayed, 20);
}

TEST_F(direct, does_not_follow_without_memory) {
  const searched_system of = system_of(10000, 30);
  counted_fill counted;
  counted.fill = {5e5, 1e7};
  const rest_of_run slow = rest_of(1e12, 1e12, true);
  for (const bool symmetric : {false, true}) {
    const direct_candidate fits(of, symmetric, [&] { return &counted; });
    counted.free_memory = 0;
    EXPECT_TRUE(fits.better_than("cg", preconditioner::jacobi, slow)) << "it is not known";
    counted.free_memory = 1000000000;
    EXPECT_TRUE(fits.better_than("cg", preconditioner::jacobi, slow));
    counted.free_memory = 5000000;
    EXPECT_FALSE(fits.better_than("cg", preconditioner::jacobi, slow));
    const direct_candidate uncounted(of, symmetric, [] { return nullptr; });
    EXPECT_FALSE(uncounted.better_than("cg", preconditioner::jacobi, slow));
  }
}

// Solves ----------------------------------------------------------------------------------------

solve_options auto_options() {
  solve_options o;
  o.method = "auto";
  o.max_iterations = 100000;
  return o;
}

/// Beams of random stiffness side by side, clamped or free (which have rigid motions, so that the
/// matrix is singular), in units of a wide range.
csr<double> beams(std::mt19937& engine, index count, index length, bool clamped) {
  std::uniform_real_distribution<double> value(0.5, 2);
  entries all;
  for (index b = 0; b < count; ++b) {
    std::vector<int> unit(place(length));
    for (int& u : unit) u = static_cast<int>(engine() % 11) - 5;
    const auto add = [&](index i, index j, double v) {
      if (i < 0 || j < 0 || i >= length || j >= length) return;
      all.emplace_back(b * length + i, b * length + j,
                       std::ldexp(v, unit[place(i)] + unit[place(j)]));
    };
    const double bend[3] = {1, -2, 1};
    for (index i = clamped ? 0 : 1; i < (clamped ? length : length - 1); ++i) {
      const double stiffness = std::ldexp(std::round(value(engine) * 1024), -10);  // sums are exact
      for (index p = 0; p < 3; ++p)
        for (index q = 0; q < 3; ++q) add(i - 1 + p, i - 1 + q, stiffness * bend[p] * bend[q]);
    }
  }
  return from_entries(count * length, all);
}

std::vector<double> product(const csr<double>& a, const std::vector<double>& x) {
  std::vector<double> b(place(a.rows), 0.0);
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[place(i)]; k < a.row_ptr[place(i) + 1]; ++k)
      b[place(i)] += a.val[place(k)] * x[place(a.col[place(k)])];
  return b;
}

solution<double> solved_by(const csr<double>& a, const std::vector<double>& b,
                           const solve_options& o, int threads = 1) {
  solution<double> out{{}, std::vector<double>(b.size(), 0.0)};
  out.report = solve(device::cpu(threads), a.view(), b, out.x, o);
  return out;
}

TEST_F(direct, follows_iterations_that_would_take_long) {
  std::mt19937 engine(11);
  for (int round = 0; round < 4; ++round) {
    const csr<double> a = beams(engine, 24 + 3 * round, 100, true);
    const std::vector<double> b =
        product(a, random_vector(a.rows, static_cast<unsigned>(round) + 1));
    SCOPED_TRACE(fmt::format("round {}, {} rows", round, a.rows));
    for (const int threads : {1, 2}) {
      const auto got = solved_by(a, b, auto_options(), threads);
      const solve_report& r = got.report;
      EXPECT_EQ(r.stopped, stop_reason::converged);
      EXPECT_EQ(r.method, "direct") << r.method_reason;
      EXPECT_EQ(r.executor, direct_executor);
      EXPECT_EQ(r.preconditioner, preconditioner::none);
      EXPECT_GT(r.factor_nonzeros, place(a.rows));
      EXPECT_LE(residual_norm(a.view(), std::span<const double>(b), std::span<const double>(got.x)),
                1.01 * auto_options().rtol * r.rhs_norm);
      ASSERT_EQ(r.attempts.size(), 2u);
      EXPECT_EQ(r.attempts[0].method, "cg");
      EXPECT_EQ(r.attempts[0].ended, r.method_reason);
      EXPECT_NE(r.method_reason.find("and with direct"), std::string::npos) << r.method_reason;
      EXPECT_EQ(r.attempts[1].method, "direct");
      EXPECT_EQ(r.iterations, r.attempts[0].iterations + r.attempts[1].iterations);
      // A rate of bytes is that of the whole solve.
      double moved = 0;
      for (const solve_attempt& one : r.attempts) {
        solve_options alone = auto_options();
        alone.method = one.method;
        alone.preconditioner = one.preconditioner;
        alone.max_iterations = 1;
        moved +=
            one.iterations * double(solved_by(a, b, alone, threads).report.bytes_per_iteration);
      }
      EXPECT_NEAR(double(r.bytes_per_iteration), moved / r.iterations, 1.0);
      EXPECT_DOUBLE_EQ(r.per_iteration_us * r.iterations, r.solve_s * 1e6);
      EXPECT_GT(r.setup.analyse_s, 0.0);
      EXPECT_GT(r.setup.factor_s, 0.0);
      EXPECT_GE(r.setup_s, r.setup.analyse_s + r.setup.factor_s);
      // No clock has a say.
      EXPECT_TRUE(same_bits(solved_by(a, b, auto_options(), threads).x, got.x));
    }
  }
}

TEST_F(direct, follows_in_f32) {
  std::mt19937 engine(12);
  const csr<double> a = beams(engine, 60, 60, true);
  const csr<float> single = convert<float>(a.view());
  const std::vector<double> wide_b = product(a, random_vector(a.rows, 9));
  std::vector<float> b(wide_b.begin(), wide_b.end()), x(b.size(), 0.0F);
  solve_options o = auto_options();
  o.rtol = 1e-6;
  const solve_report r =
      solve(device::cpu(1), single.view(), std::span<const float>(b), std::span<float>(x), o);
  EXPECT_EQ(r.method, "direct") << r.method_reason;
  EXPECT_EQ(r.precision, "f32");
  EXPECT_LE(r.componentwise_backward_error, 1e-5);
}

/// What cannot be followed, or is named, keeps iterating.
TEST_F(direct, follows_nobody_who_asked_for_something_else) {
  std::mt19937 engine(13);
  const csr<double> a = beams(engine, 24, 100, true);
  const std::vector<double> b = product(a, random_vector(a.rows, 2));
  const auto stays = [&](auto&& change) {
    solve_options o = auto_options();
    o.max_iterations = 3000;
    change(o);
    const solve_report r = solved_by(a, b, o).report;
    for (const solve_attempt& one : r.attempts) EXPECT_NE(one.method, "direct");
  };
  stays([](solve_options& o) { o.method = "cg"; });
  stays([](solve_options& o) { o.preconditioner = preconditioner::jacobi; });
  stays([](solve_options& o) { o.executor = "persistent"; });
  stays([](solve_options& o) { o.fixed_iterations = true; });
  stays([](solve_options& o) { o.mixed_precision = true; });
  stays([](solve_options& o) { o.columns_at_once = 2; });
  EXPECT_EQ(solved_by(a, b, auto_options()).report.method, "direct") << "a test that cannot fail";
}

/// A singular matrix has no factors: the run before goes on from its answer.
TEST_F(direct, gives_way_where_there_are_no_factors) {
  std::mt19937 engine(14);
  int tried = 0;
  for (int round = 0; round < 3; ++round) {
    const csr<double> a = beams(engine, 60, 40 + 10 * round, false);
    const std::vector<double> b = product(a, random_vector(a.rows, 4));
    const auto got = solved_by(a, b, auto_options());
    const solve_report& r = got.report;
    for (std::size_t k = 1; k < r.attempts.size(); ++k)
      if (r.attempts[k].method == "direct") {
        ++tried;
        ASSERT_LT(k + 1, r.attempts.size()) << "it was the last one";
        EXPECT_EQ(r.attempts[k + 1].method, "cg");
        EXPECT_EQ(r.attempts[k + 1].preconditioner, r.attempts[k - 1].preconditioner);
        EXPECT_NE(r.attempts[k].ended.find("singular"), std::string::npos) << r.attempts[k].ended;
        EXPECT_NE(r.method_reason.find("but the matrix is singular"), std::string::npos)
            << r.method_reason;
      }
    EXPECT_EQ(r.method, "cg");
    EXPECT_EQ(r.stopped, stop_reason::converged) << r.residual_relative_true;
    EXPECT_LE(residual_norm(a.view(), std::span<const double>(b), std::span<const double>(got.x)),
              1.01 * auto_options().rtol * r.rhs_norm);
  }
  EXPECT_GT(tried, 0) << "a test that cannot fail";
  const csr<double> a = beams(engine, 60, 60, false);
  solve_options o = auto_options();
  o.max_iterations = 1200;
  const solve_report r = solved_by(a, random_vector(a.rows, 8), o).report;  // without an answer
  EXPECT_NE(r.stopped, stop_reason::converged);
  for (const solve_attempt& one : r.attempts) {
    if (one.method != "direct") continue;
    EXPECT_EQ(r.advice.find("method direct"), std::string::npos) << r.advice;
    tried = -1;
  }
  EXPECT_EQ(tried, -1) << "a test that cannot fail";
}

TEST_F(direct, that_follows_is_kept_and_follows_other_values) {
  std::mt19937 engine(15);
  csr<double> a = beams(engine, 24, 100, true);
  const auto n = place(a.rows);
  const std::vector<double> b = product(a, random_vector(a.rows, 5)),
                            c = product(a, random_vector(a.rows, 6));
  linear_solver<double> kept(device::cpu(1), a.view(), auto_options());
  std::vector<double> x(n), y(n);
  const solve_report first = kept.solve(b, x), second = kept.solve(b, y);
  EXPECT_EQ(first.method, "direct");
  EXPECT_TRUE(same_bits(x, y));
  EXPECT_EQ(second.iterations, first.iterations);
  EXPECT_EQ(second.method_reason, first.method_reason);
  EXPECT_EQ(second.setup.factor_s, 0.0) << "factors were kept";
  EXPECT_EQ(second.setup.analyse_s, 0.0) << "the fill is counted once";
  const auto fresh = [&](const std::vector<double>& rhs) {
    std::vector<double> z(n);
    linear_solver<double>(device::cpu(1), a.view(), auto_options()).solve(rhs, z);
    return z;
  };
  y.assign(n, 0.0);
  kept.solve(c, y);
  EXPECT_TRUE(same_bits(y, fresh(c)));
  for (double& v : a.val) v *= 1.25;
  a.val[0] *= 1.5;
  kept.update_values(std::span<const double>(a.val));
  std::vector<double> z(n);
  const solve_report other = kept.solve(b, z);
  EXPECT_EQ(other.method, "direct");
  EXPECT_GT(other.setup.factor_s, 0.0);
  EXPECT_TRUE(same_bits(z, fresh(b)));
  EXPECT_LE(residual_norm(a.view(), std::span<const double>(b), std::span<const double>(z)),
            1.01 * auto_options().rtol * other.rhs_norm);
}

/// The first right-hand side decides; the others begin with its factors.
TEST_F(direct, that_follows_solves_what_comes_after_it) {
  std::mt19937 engine(16);
  const csr<double> a = beams(engine, 24, 100, true);
  const auto n = place(a.rows);
  std::vector<double> b;
  for (unsigned k = 1; k <= 3; ++k) {
    const std::vector<double> one = product(a, random_vector(a.rows, k));
    b.insert(b.end(), one.begin(), one.end());
  }
  std::vector<double> x(3 * n);
  linear_solver<double> solver(device::cpu(2), a.view(), auto_options());
  const auto reports = solver.solve(std::span<const double>(b), n, std::span<double>(x), n, 3);
  EXPECT_EQ(reports[0].attempts.size(), 2u);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_EQ(reports[k].method, "direct");
    EXPECT_EQ(reports[k].stopped, stop_reason::converged);
    EXPECT_TRUE(k == 0 || reports[k].iterations <= 3);
    EXPECT_LE(residual_norm(a.view(), std::span<const double>(b).subspan(k * n, n),
                            std::span<const double>(x).subspan(k * n, n)),
              1.01 * auto_options().rtol * reports[k].rhs_norm);
  }
}

/// Indefinite ones by minres, whose diagonal is positive or not, and matrices that are not
/// symmetric: whatever follows, the answer is right.
TEST_F(direct, follows_other_methods) {
  std::mt19937 engine(17);
  int by_ldlt = 0, by_lu = 0;
  for (int round = 0; round < 6; ++round) {
    const bool symmetric = round < 4;
    csr<double> a = symmetric ? beams(engine, 24, 100, true)
                              : beams(engine, round - 3, 2400 / (round - 3), true);
    for (index i = 0; i < a.rows; ++i)
      for (index k = a.row_ptr[place(i)]; k < a.row_ptr[place(i) + 1]; ++k) {
        const index j = a.col[place(k)];
        if (symmetric && i == j) a.val[place(k)] *= round % 2 && i == 7 ? -1 : 1 - 1e-4;
        if (!symmetric && j > i) a.val[place(k)] *= 1.0 + 1e-3 * (i % 3);
      }
    const std::vector<double> b = product(a, random_vector(a.rows, 7));
    SCOPED_TRACE(round);
    solve_options o = auto_options();
    o.rtol = 1e-9;
    const auto got = solved_by(a, b, o, 1 + round % 2);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    EXPECT_LE(residual_norm(a.view(), std::span<const double>(b), std::span<const double>(got.x)),
              1.01 * o.rtol * got.report.rhs_norm);
    if (got.report.method != "direct") continue;
    ++(symmetric ? by_ldlt : by_lu);
    EXPECT_NE(got.report.attempts[got.report.attempts.size() - 2].method, "cg");
    EXPECT_TRUE(symmetric || got.report.variant == variant_lu);
  }
  EXPECT_GT(by_ldlt, 0) << "a test that cannot fail";
  EXPECT_GT(by_lu, 0) << "a test that cannot fail";
}

TEST_F(direct, that_follows_hears_of_interrupts_and_tells_of_its_steps) {
  std::mt19937 engine(18);
  const csr<double> a = beams(engine, 24, 100, true);
  const std::vector<double> b = product(a, random_vector(a.rows, 3));
  solve_options o = auto_options();
  o.history = true;
  o.progress_interval = 0;
  std::vector<int> told;
  o.progress = [&](const solve_progress& now) { told.push_back(now.iteration); };
  const solve_report whole = solved_by(a, b, o).report;
  ASSERT_EQ(whole.method, "direct");
  ASSERT_EQ(whole.history.size(), place(whole.iterations) + 1);
  EXPECT_LT(whole.history.back(), 1e-8 * whole.history.front());
  for (std::size_t k = 0; k < told.size(); ++k) EXPECT_EQ(told[k], static_cast<int>(k));
  EXPECT_EQ(told.back(), whole.iterations);
  const int left = whole.attempts[0].iterations;
  std::atomic<bool> flag{false};
  o.interrupt = &flag;
  for (const int at : {left / 2, left - 1, left}) {
    flag = false;
    o.progress = [&](const solve_progress& now) { flag = flag || now.iteration >= at; };
    const auto got = solved_by(a, b, o).report;
    EXPECT_EQ(got.stopped, stop_reason::interrupted) << at;
    EXPECT_LE(got.residual_relative_true, 1.0) << at;
  }
}

TEST_F(direct, is_said_to_follow) {
  std::mt19937 engine(19);
  const csr<double> slow = beams(engine, 24, 100, true), quick = generate("poisson2d:40x40");
  const device_facts cpu = device::cpu(1).facts();
  const direct_prospect found = explain(slow.view(), cpu, auto_options()).direct;
  EXPECT_TRUE(found.sooner && found.follows) << found.words;
  EXPECT_NE(found.words.find("auto goes on with it"), std::string::npos) << found.words;
  EXPECT_FALSE(explain(quick.view(), cpu, auto_options()).direct.follows);
  solve_options o = auto_options();
  o.method = "cg";
  EXPECT_FALSE(explain(slow.view(), cpu, o).direct.follows);
  EXPECT_NE(explain(slow.view(), cpu, o).direct.words.find("try --solver direct"),
            std::string::npos);
}

TEST_F(direct, is_advised_as_auto_decides) {
  const std::vector<indexed_matrix> all = indexed_matrices();
  if (all.empty()) GTEST_SKIP() << why_no_matrices();
  const device cpu = device::cpu(1);
  int followed = 0, others = 0, borderline = 0;
  for (const indexed_matrix& one : all) {
    const csr<double> a = read_matrix_market(one.file, 1).matrix;
    if (a.rows > (sanitized ? 1000 : 20000)) continue;
    SCOPED_TRACE(one.name);
    solve_options o = auto_options();
    o.rtol = 1e-8;
    o.max_iterations = 20000;
    const direct_prospect advice = explain(a.view(), cpu.facts(), o).direct;
    const auto tries = [](const direct_prospect& of) {
      return of.words.find("try --solver direct") != std::string::npos;
    };
    EXPECT_FALSE(tries(advice)) << advice.words;
    solve_options by_cg = o;
    by_cg.method = "cg";
    EXPECT_EQ(tries(explain(a.view(), cpu.facts(), by_cg).direct), advice.follows) << advice.words;
    std::vector<double> b(place(a.rows), 0.0), x(b.size(), 0.0);
    for (index i = 0; i < a.rows; ++i)
      for (index k = a.row_ptr[place(i)]; k < a.row_ptr[place(i) + 1]; ++k)
        b[place(i)] += a.val[place(k)];
    const solve_report report = solve(cpu, a.view(), b, x, o);
    if (report.method == "direct") {
      ++followed;
      EXPECT_TRUE(advice.follows) << advice.words;
    } else {
      ++others;
      borderline += advice.follows;  // this residual fell faster than that of the probe
    }
  }
  if (!sanitized) {
    EXPECT_GE(followed, 5);
    EXPECT_GE(others, 15);
  }
  EXPECT_LE(borderline, 1);
}

}  // namespace
}  // namespace dwell::test
