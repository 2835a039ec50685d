// SPDX-License-Identifier: MIT
// Batches of systems under every kernel of this place: each system's answer is judged by Eigen, and
// its bits are those of a solver that has it alone, whatever else is in the batch.
#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>

#include "batch_runner.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

static_assert(!std::is_copy_constructible_v<cg_batch<double>> &&
              std::is_nothrow_move_constructible_v<cg_batch<double>>);

template <class T>
std::vector<linear_system<T>> of_all_sizes(const way& w) {
  std::vector<linear_system<T>> all;
  std::uint64_t seed = 1;
  for (const index n : {1, 2, 31, 32, 33, 255, 256, 257, 700, 2000, 8100}) {
    if (sanitized && n > 700) continue;
    const csr<double> a = n == 2000   ? mesh(50, 40, 4.2)
                          : n == 8100 ? mesh(90, 90, 4.5)
                                      : spd(n, seed);
    ++seed;
    if (holds(w, a))
      all.push_back(system_of<T>(a, seed));
    else
      EXPECT_GT(n, 257) << "every config holds " << n << " rows";
  }
  std::reverse(all.begin() + 2, all.end());
  return all;
}

template <class T>
void answers_are_right(const way& w, solve_options o) {
  const auto systems = of_all_sizes<T>(w);
  for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
    SCOPED_TRACE(to_string(p));
    o.preconditioner = p;
    o.rtol = std::is_same_v<T, float> ? 1e-4 : 1e-10;
    const auto got = run_all(systems, o);
    ASSERT_EQ(got.report.systems.size(), systems.size());
    EXPECT_EQ(got.report.converged, static_cast<int>(systems.size()));
    EXPECT_EQ(got.report.teams, static_cast<int>(systems.size()));
    EXPECT_EQ(got.report.executor, "batch");
    EXPECT_EQ(got.report.preconditioner, p);
    for (std::size_t k = 0; k < systems.size(); ++k) {
      SCOPED_TRACE(systems[k].name);
      check_solution(systems[k], expect_of(systems[k], p), as_alone(systems[k], got, k, p));
    }
  }
}

TEST_F(batches, answers_are_right) {
  each_way([&](const way& w) {
    answers_are_right<double>(w, options(w));
    answers_are_right<float>(w, options(w));
  });
}

/// A team of a batch works as the only team of a solver with as many lanes.
template <class T>
void bits_are_those_of_a_solver(const way& w, const solve_options& o) {
  std::vector<linear_system<T>> systems;
  for (const index n : {1, 33, 257, 120})
    systems.push_back(system_of<T>(spd(n, 11 + static_cast<std::uint64_t>(n)), 5));
  const auto got = run_all(systems, o);
  bool compared = false;
  const bool on_gpu = place::on() == backend::cuda;
  for (int config = 0; config < (on_gpu ? 1 : 2); ++config)
    for (std::size_t k = 0; k < systems.size(); ++k) {
      solve_options alone = o;
      alone.scratch_per_team = 0;
      alone.executor = "persistent";
      alone.variant = "textbook";
      alone.teams = 1;
      alone.config = config;
      const auto want = run(systems[k], alone);
      if (want.report.lanes != got.report.lanes) continue;
      compared = true;
      SCOPED_TRACE(systems[k].name);
      EXPECT_TRUE(same_bits(got.x[k], want.x));
      const cg_batch_entry& e = got.report.systems[k];
      EXPECT_EQ(e.iterations, want.report.iterations);
      EXPECT_EQ(e.stopped, want.report.stopped);
      EXPECT_EQ(e.rhs_norm, want.report.rhs_norm);
      EXPECT_EQ(e.residual_relative_true, want.report.residual_relative_true);
      EXPECT_EQ(e.residual_relative_recursive, want.report.residual_relative_recursive);
      if (e.iterations < 128) {  // in longer runs the batch has seen the first steps alone
        EXPECT_EQ(e.condition_estimate, want.report.condition_estimate);
        EXPECT_EQ(e.error_estimate, want.report.error_estimate);
      } else {
        EXPECT_GT(e.condition_estimate, 1);
        EXPECT_LE(e.condition_estimate, 1.05 * want.report.condition_estimate);
      }
    }
  EXPECT_TRUE(compared || (on_gpu && got.report.lanes < 512)) << got.report.lanes << " lanes";
  static_cast<void>(w);
}

TEST_F(batches, bits_are_those_of_a_solver_with_one_team) {
  each_way([&](const way& w) {
    for (const auto p : {preconditioner::none, preconditioner::jacobi}) {
      solve_options o = options(w, 1e-9);
      o.preconditioner = p;
      bits_are_those_of_a_solver<double>(w, o);
      o.rtol = 1e-4;
      bits_are_those_of_a_solver<float>(w, o);
    }
  });
}

TEST_F(batches, lanes_in_either_order_and_runs_again_give_the_same_bits) {
  for (const way& w : ways_) {
    if (!w.reverse_lanes && place::on() == backend::cpu && w.config >= 0) continue;
    SCOPED_TRACE(name_of(w));
    const auto systems = of_all_sizes<double>(w);
    way forward = w;
    forward.reverse_lanes = false;
    const auto one = run_all(systems, options(w)), other = run_all(systems, options(forward));
    for (std::size_t k = 0; k < systems.size(); ++k) {
      SCOPED_TRACE(systems[k].name);
      EXPECT_TRUE(same_bits(one.x[k], other.x[k]));
      expect_equal(one.report.systems[k], other.report.systems[k]);
    }
  }
}

TEST_F(batches, one_pattern) {
  const csr<double> a = mesh(12, 11, 4.3);
  const index n = a.rows, nonzeros = a.nonzeros();
  constexpr int count = 9;
  std::vector<double> values;
  std::vector<linear_system<double>> systems;
  for (int k = 0; k < count; ++k) {
    csr<double> shifted = a;
    for (index i = 0; i < n; ++i)
      for (index at = a.row_ptr[i]; at < a.row_ptr[i + 1]; ++at)
        if (a.col[at] == i) shifted.val[at] += 0.3 * k;
    values.insert(values.end(), shifted.val.begin(), shifted.val.end());
    systems.push_back(system_of<double>(shifted, 40 + static_cast<std::uint64_t>(k)));
  }
  each_way([&](const way& w) {
    csr_view<double> pattern = a.view();
    pattern.val = nullptr;
    cg_batch<double> batch(place::where(), pattern, std::span<const double>(values), count,
                           options(w));
    EXPECT_EQ(batch.count(), count);
    EXPECT_EQ(batch.rows(), count * n);
    EXPECT_EQ(batch.nonzeros(), count * nonzeros);
    for (int k = 0; k <= count; ++k) EXPECT_EQ(batch.first_row(k), k * n);
    EXPECT_GT(batch.setup().total(), 0);
    const auto got = solve_with(batch, rhs(systems)), want = run_all(systems, options(w));
    EXPECT_EQ(got.report.setup.total(), 0);
    int least = INT_MAX, most = 0;
    for (std::size_t k = 0; k < count; ++k) {
      EXPECT_TRUE(same_bits(got.x[k], want.x[k])) << k;
      expect_equal(got.report.systems[k], want.report.systems[k]);
      least = std::min(least, got.report.systems[k].iterations);
      most = std::max(most, got.report.systems[k].iterations);
    }
    EXPECT_LT(least, most) << "each system stops by itself";
  });
}

TEST_F(batches, a_system_does_not_depend_on_its_place) {
  std::vector<linear_system<double>> systems;
  for (std::uint64_t k = 0; k < 7; ++k) systems.push_back(system_of<double>(spd(150, 60 + k), k));
  each_way([&](const way& w) {
    const auto got = run_all(systems, options(w));
    auto turned = systems;
    std::rotate(turned.begin(), turned.begin() + 3, turned.end());
    const auto other = run_all(turned, options(w));
    for (std::size_t k = 0; k < systems.size(); ++k) {
      const std::size_t at = (k + systems.size() - 3) % systems.size();
      EXPECT_TRUE(same_bits(got.x[k], other.x[at])) << k;
      expect_equal(got.report.systems[k], other.report.systems[at]);
    }
  });
}

TEST_F(batches, of_larger_systems_than_16_bits_count) {
  if (sanitized) GTEST_SKIP() << "too large under a sanitizer";
  // Neighbours of neighbours across the whole system: columns of 32 bits.
  const index n = 70000;
  symmetric far(n);
  for (index i = 0; i + 1 < n; ++i) far.add(i, i + 1, -1);
  far.add(0, n - 1, -0.5);
  const std::vector<linear_system<double>> systems = {
      system_of<double>(mesh(300, 250, 4.8), 1), system_of<double>(spd(40, 2), 2),
      system_of<double>(far.dominant([](index) { return 0.8; }), 3)};
  for (const way& w : ways_) {
    if (w.config >= 0 && w.config != last_) continue;
    SCOPED_TRACE(name_of(w));
    const auto got = run_all(systems, options(w));
    EXPECT_EQ(got.report.converged, 3);
    for (std::size_t k = 0; k < systems.size(); ++k)
      check_report(systems[k], as_alone(systems[k], got, k, preconditioner::none));
  }
}

TEST_F(batches, of_nothing) {
  cg_batch<double> none(place::where(), std::span<const csr_view<double>>());
  EXPECT_EQ(none.count(), 0);
  EXPECT_EQ(none.rows(), 0);
  EXPECT_EQ(none.first_row(0), 0);
  const auto report = none.solve(std::span<const double>(), std::span<double>());
  EXPECT_TRUE(report.systems.empty());
  EXPECT_EQ(report.converged, 0);
  none.update_values(std::span<const double>());
  const csr<double> a = spd(3, 1);
  EXPECT_EQ(cg_batch<double>(place::where(), a.view(), {}, 0).count(), 0);
  each_way([&](const way& w) {
    if (w.scratch > 0) return;
    for (const std::vector<index>& rows : {std::vector<index>{0}, {0, 5, 0, 7, 0}}) {
      std::vector<linear_system<double>> systems;
      for (const index n : rows)
        systems.push_back(n == 0 ? linear_system<double>{} : system_of<double>(spd(n, 3), 4));
      if (rows.size() == 1 && w.config >= 0 && !holds(w, csr<double>{})) continue;
      const auto got = run_all(systems, options(w));
      EXPECT_EQ(got.report.converged, static_cast<int>(rows.size()));
    }
  });
}

TEST_F(batches, move) {
  const std::vector<linear_system<double>> systems = {system_of<double>(spd(20, 3), 4)};
  const auto all = views(systems);
  cg_batch<double> first(place::where(), std::span<const csr_view<double>>(all));
  const auto want = solve_with(first, systems[0].b);
  cg_batch<double> second(std::move(first));
  EXPECT_TRUE(same_bits(solve_with(second, systems[0].b).x[0], want.x[0]));
  cg_batch<double> third(place::where(), std::span<const csr_view<double>>());
  third = std::move(second);
  EXPECT_TRUE(same_bits(solve_with(third, systems[0].b).x[0], want.x[0]));
}

TEST_F(batches, in_one_call) {
  const std::vector<linear_system<float>> systems = {system_of<float>(spd(20, 3), 4),
                                                     system_of<float>(spd(40, 5), 6)};
  const auto all = views(systems);
  solve_options o = plain_options();
  o.rtol = 1e-4;
  std::vector<float> b = rhs(systems), x(b.size());
  const auto report = solve_batch(place::where(), std::span<const csr_view<float>>(all),
                                  std::span<const float>(b), std::span<float>(x), o);
  EXPECT_GT(report.setup.total(), 0);
  EXPECT_GE(report.setup_s, report.setup.total());
  EXPECT_TRUE(same_bits(x, joined(run_all(systems, o).x)));
}

TEST_F(batches, in_several_threads) {
  std::vector<linear_system<double>> systems;
  for (std::uint64_t k = 0; k < 6; ++k) systems.push_back(system_of<double>(spd(90, k + 1), k));
  const auto want = run_all(systems, options({}));
  std::vector<outcome<double>> got(4);
  {
    std::vector<std::jthread> threads;
    for (auto& one : got) threads.emplace_back([&] { one = run_all(systems, options({})); });
  }
  for (const auto& one : got) EXPECT_TRUE(same_bits(joined(one.x), joined(want.x)));
}

}  // namespace
}  // namespace dwell::test
