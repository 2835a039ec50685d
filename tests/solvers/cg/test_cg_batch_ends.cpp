// SPDX-License-Identifier: MIT
// How the systems of a batch end: each by itself, also where a neighbour breaks down, is not finite
// or is of quite another scale; at limits and interrupts; and again with other values.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cmath>
#include <limits>
#include <thread>
#include <utility>
#include <vector>

#include "batch_runner.hpp"

namespace dwell::test {
namespace {

/// Neighbours of a system that ends otherwise get the bits that they have without it.
TEST_F(batches, a_system_that_fails_does_not_disturb_others) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  std::vector<linear_system<double>> good;
  for (std::uint64_t k = 0; k < 5; ++k) good.push_back(system_of<double>(spd(130, 80 + k), k));
  const auto x0 = random_vector(5 * 130, 9);
  const auto neighbours_are_equal = [&](const outcome<double>& got, const outcome<double>& want,
                                        std::size_t failed) {
    for (std::size_t k = 0; k < good.size(); ++k) {
      if (k == failed) continue;
      EXPECT_TRUE(same_bits(got.x[k], want.x[k])) << k;
      expect_equal(got.report.systems[k], want.report.systems[k]);
    }
    EXPECT_EQ(got.report.converged, 4);
  };
  each_way([&](const way& w) {
    for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
      solve_options o = options(w);
      o.preconditioner = p;
      const auto want = run_all(good, o, x0);
      EXPECT_EQ(want.report.converged, 5);
      for (const std::size_t failed : {0u, 2u, 4u}) {
        const auto entry = [failed](const auto& got) { return got.report.systems[failed]; };
        const std::vector<double> start(
            x0.begin() + static_cast<std::ptrdiff_t>(130 * failed),
            x0.begin() + static_cast<std::ptrdiff_t>(130 * failed + 130));
        auto systems = good;
        csr<double>& a = systems[failed].a;  // indefinite: neighbours outweigh the diagonal
        for (index i = 0; i < a.rows; ++i)
          for (index k = a.row_ptr[i]; k < a.row_ptr[i + 1]; ++k)
            if (a.col[k] != i) a.val[k] *= 8;
        const auto indefinite = run_all(systems, o, x0);
        EXPECT_EQ(entry(indefinite).stopped, stop_reason::breakdown);
        neighbours_are_equal(indefinite, want, failed);

        for (const double bad : {nan, std::numeric_limits<double>::infinity()}) {
          systems = good;
          systems[failed].b[77] = bad;
          const auto got = run_all(systems, o, x0);
          EXPECT_EQ(entry(got).stopped, stop_reason::not_finite);
          EXPECT_EQ(entry(got).iterations, 0);
          EXPECT_TRUE(same_bits(got.x[failed], start)) << "x is as it was";
          neighbours_are_equal(got, want, failed);
        }
        systems = good;
        auto wrong = x0;  // its first element is beside the system before
        wrong[130 * failed] = nan;
        const auto all = views(systems);
        cg_batch<double> batch(place::where(), std::span<const csr_view<double>>(all), o);
        for (int again = 0; again < 2; ++again) {  // then beside vectors of the solve before
          const auto got = solve_with(batch, rhs(systems), wrong);
          EXPECT_EQ(entry(got).stopped, stop_reason::not_finite);
          neighbours_are_equal(got, want, failed);
        }

        systems = good;
        std::fill(systems[failed].b.begin(), systems[failed].b.end(), 0.0);
        const auto nothing = run_all(systems, o);
        EXPECT_EQ(entry(nothing).stopped, stop_reason::converged);
        EXPECT_EQ(entry(nothing).iterations, 0);
        EXPECT_EQ(entry(nothing).rhs_norm, 0);
        EXPECT_EQ(nothing.x[failed], std::vector<double>(130, 0.0));
        EXPECT_EQ(nothing.report.converged, 5);
      }
    }
  });
}

/// ||b - A x||, and the largest |b - A x|_i / (|A||x| + |b|)_i.
std::pair<double, double> residuals(const linear_system<double>& s, const std::vector<double>& x) {
  long double squares = 0, worst = 0;
  for (index i = 0; i < s.a.rows; ++i) {
    long double r = s.b[static_cast<std::size_t>(i)], terms = std::fabs(r);
    for (index k = s.a.row_ptr[static_cast<std::size_t>(i)];
         k < s.a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
      const long double one = static_cast<long double>(s.a.val[static_cast<std::size_t>(k)]) *
                              x[static_cast<std::size_t>(s.a.col[static_cast<std::size_t>(k)])];
      r -= one;
      terms += std::fabs(one);
    }
    squares += r * r;
    if (terms > 0) worst = std::max(worst, std::fabs(r) / terms);
  }
  return {static_cast<double>(std::sqrt(squares)), static_cast<double>(worst)};
}

/// Conjugate gradients reduce the error, not the residual, which rises in between.
TEST_F(batches, an_answer_is_never_worse_than_its_start) {
  std::vector<linear_system<double>> systems;
  std::vector<std::vector<double>> starts;
  for (std::uint64_t k = 0; k < 24; ++k) {
    const index n = k % 3 == 0 ? 100 : 40 + static_cast<index>(k);
    systems.push_back(system_of<double>(k % 3 == 0 ? beam(n) : spd(n, 300 + k, 1e-3), k));
    std::vector<double> x0 = random_vector(systems.back().a.rows, 400 + k);
    const double size = k % 4 == 0 ? 0.0 : std::pow(10.0, static_cast<double>(k % 7) - 3);
    for (double& v : x0) v *= size;
    starts.push_back(x0);
  }
  int came_back = 0;
  each_way([&](const way& w) {
    for (const auto p : {preconditioner::none, preconditioner::jacobi})
      for (const int most : {1, 2, 5, 20, 400}) {
        solve_options o = options(w);
        o.preconditioner = p;
        o.max_iterations = most;
        SCOPED_TRACE(to_string(p) + ", " + std::to_string(most));
        const auto got = run_all(systems, o, joined(starts));
        for (std::size_t k = 0; k < systems.size(); ++k) {
          const cg_batch_entry& e = got.report.systems[k];
          const auto [norm, worst] = residuals(systems[k], got.x[k]);
          const double start = residuals(systems[k], starts[k]).first;
          EXPECT_LE(norm, start * (1 + 1e-9)) << k;
          EXPECT_NEAR(e.residual_relative_true, norm / e.rhs_norm, 1e-2 * norm / e.rhs_norm + 1e-12)
              << k;  // by long doubles: rounding is large beside small residuals
          EXPECT_NEAR(e.componentwise_backward_error, worst, 1e-2 * worst + 1e-14) << k;
          came_back += e.iterations > 0 && same_bits(got.x[k], starts[k]);
        }
      }
  });
  EXPECT_GT(came_back, 0) << "a test that cannot fail";
}

template <class T>
void converges_at_scales(const way& w, const solve_options& o, int step) {
  std::vector<linear_system<T>> systems;
  for (int k = -1; k <= 1; ++k) {
    csr<double> a = spd(200, 7);
    for (double& v : a.val) v = std::ldexp(v, k * step);
    systems.push_back(system_of<T>(a, 3));
    for (T& v : systems.back().b) v = std::ldexp(v, -k * step / 2);
  }
  const auto got = run_all(systems, o);
  ASSERT_EQ(got.report.converged, 3);
  for (std::size_t k = 0; k < 3; ++k) {
    EXPECT_LE(got.report.systems[k].residual_relative_true, 3 * o.rtol);
    EXPECT_EQ(got.report.systems[k].iterations, got.report.systems[1].iterations);
    const int exponent = (1 - static_cast<int>(k)) * step + (1 - static_cast<int>(k)) * step / 2;
    for (std::size_t i = 0; i < got.x[1].size(); ++i)
      ASSERT_EQ(got.x[k][i], std::ldexp(got.x[1][i], exponent)) << k << ", " << i;
  }
  static_cast<void>(w);
}

TEST_F(batches, of_matrices_of_any_scale) {
  each_way([&](const way& w) {
    for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
      solve_options o = options(w);
      o.preconditioner = p;
      converges_at_scales<double>(w, o, 60);
      converges_at_scales<double>(w, o, 140);
      o.rtol = 1e-4;
      converges_at_scales<float>(w, o, 20);
    }
  });
}

TEST_F(batches, stop_at_a_limit) {
  std::vector<linear_system<double>> systems;
  for (const index n : {1, 200, 90}) systems.push_back(system_of<double>(spd(n, 3), 4));
  each_way([&](const way& w) {
    for (const bool fixed : {false, true}) {
      solve_options o = options(w);
      o.max_iterations = 5;
      o.fixed_iterations = fixed;
      const auto got = run_all(systems, o);
      for (std::size_t k = 1; k < 3; ++k) {
        EXPECT_EQ(got.report.systems[k].stopped, stop_reason::iteration_limit);
        EXPECT_EQ(got.report.systems[k].iterations, 5);
        EXPECT_EQ(got.report.systems[k].condition_estimate > 0, !fixed);
        check_report(systems[k], as_alone(systems[k], got, k, preconditioner::none));
      }
      EXPECT_EQ(got.report.converged, fixed ? 0 : 1);
    }
    solve_options o = options(w);
    o.max_iterations = 0;
    const auto x0 = random_vector(291, 8);
    const auto got = run_all(systems, o, x0);
    for (const auto& e : got.report.systems) EXPECT_EQ(e.iterations, 0);
    EXPECT_TRUE(same_bits(joined(got.x), x0));
  });
}

TEST_F(batches, an_interrupt_ends_all) {
  // Takes as many iterations as it has rows before its residual falls at all.
  const index n = 300;
  std::vector<linear_system<double>> systems(3,
                                             {"slow", tridiagonal(n, 2, -1), random_vector(n, 3)});
  each_way([&](const way& w) {
    std::atomic<bool> stop = true;
    solve_options o = options(w);
    o.interrupt = &stop;
    const auto all = views(systems);
    cg_batch<double> batch(place::where(), std::span<const csr_view<double>>(all), o);
    const auto ended = solve_with(batch, rhs(systems));
    for (const auto& e : ended.report.systems) {
      EXPECT_EQ(e.stopped, stop_reason::interrupted);
      EXPECT_LE(e.iterations, 2);
    }
    stop = false;
    EXPECT_EQ(solve_with(batch, rhs(systems)).report.converged, 3);
  });
}

TEST_F(batches, an_interrupt_from_another_thread_ends_a_long_run) {
  const index n = sanitized ? 301 : 3001;
  const std::vector<linear_system<double>> systems(
      5, {"endless", tridiagonal(n, 2, -1), random_vector(n, 3)});
  std::atomic<bool> stop = false;
  solve_options o = options({});
  o.rtol = 0;
  o.fixed_iterations = true;
  o.max_iterations = INT_MAX;
  o.interrupt = &stop;
  std::jthread caller([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    stop = true;
  });
  const auto got = run_all(systems, o);
  for (const auto& e : got.report.systems) EXPECT_EQ(e.stopped, stop_reason::interrupted);
}

TEST_F(batches, values_may_change) {
  std::vector<linear_system<double>> systems, changed;
  for (const index n : {60, 1, 140}) {
    systems.push_back(system_of<double>(spd(n, 21), 5));
    changed.push_back(systems.back());
    for (double& v : changed.back().a.val) v *= 1.0 + 0.5 * static_cast<double>(changed.size());
    changed.back().a.val[0] += 3;
  }
  const auto values_of = [](const std::vector<linear_system<double>>& all) {
    std::vector<double> v;
    for (const auto& s : all) v.insert(v.end(), s.a.val.begin(), s.a.val.end());
    return v;
  };
  each_way([&](const way& w) {
    for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
      solve_options o = options(w);
      o.preconditioner = p;
      const auto all = views(systems);
      cg_batch<double> batch(place::where(), std::span<const csr_view<double>>(all), o);
      const auto expect_as = [&](const std::vector<linear_system<double>>& these) {
        const auto got = solve_with(batch, rhs(systems)), want = run_all(these, o);
        EXPECT_TRUE(same_bits(joined(got.x), joined(want.x)));
        for (std::size_t k = 0; k < 3; ++k)
          expect_equal(got.report.systems[k], want.report.systems[k]);
      };
      expect_as(systems);
      std::vector<double> values = values_of(changed);
      batch.update_values(std::span<const double>(values));
      EXPECT_GT(batch.setup().total(), 0);
      auto bad = values;
      bad[bad.size() - 3] = -7;
      EXPECT_NE(refusal([&] {
                  batch.update_values(std::span<const double>(bad));
                }).find("system 2 (counted from 0): matrix: expected a"),
                std::string::npos);
      bad.pop_back();
      EXPECT_NE(refusal([&] {
                  batch.update_values(std::span<const double>(bad));
                }).find("values: expected"),
                std::string::npos);
      std::fill(values.begin(), values.end(), -1.0);  // the batch has a copy
      expect_as(changed);
      values = values_of(systems);
      batch.update_values(std::span<const double>(values));
      expect_as(systems);
    }
  });
}

}  // namespace
}  // namespace dwell::test
