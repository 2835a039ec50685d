// SPDX-License-Identifier: MIT
// Method "direct" where numbers have odd sizes: matrices and right-hand sides at any scale, rows
// and columns that differ by hundreds of exponents, against dense solutions in long double.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <random>

#include "direct_systems.hpp"

namespace dwell::test {
namespace {

TEST_F(direct, goes_at_any_scale_as_at_scale_one) {
  std::mt19937 engine(31);
  for (const double of_a : {1e-150, 1e-40, 1.0, 1e40, 1e150})
    for (const double of_b : {1e-150, 1.0, 1e150})
      for (int kind = 0; kind < 3; ++kind) {
        const double ratio = of_b / of_a;
        if (!std::isfinite(ratio) || ratio == 0 || ratio < 1e-200 || ratio > 1e200) continue;
        const index n = 40;
        const csr<double> a = random_matrix(engine, n, static_cast<shape>(kind));
        const std::vector<double> b = random_vector(n, 5);
        csr<double> other = a;
        for (double& v : other.val) v *= of_a;
        std::vector<double> other_b = b;
        for (double& v : other_b) v *= of_b;
        SCOPED_TRACE(fmt::format("A by {}, b by {}, kind {}", of_a, of_b, kind));
        auto got = solved(other, other_b);
        EXPECT_EQ(got.report.stopped, stop_reason::converged);
        for (double& v : got.x) v /= ratio;
        EXPECT_LE(distance(got.x, dense_solution(a, b)), 1e-11);
      }
}

TEST_F(direct, scales_rows_and_columns_of_odd_units) {
  std::mt19937 engine(32);
  for (int round = 0; round < 60; ++round) {
    const auto n = static_cast<index>(2 + engine() % 50);
    const bool symmetric = round % 3 != 2;
    const csr<double> a = random_matrix(engine, n, static_cast<shape>(round % 3));
    const std::vector<double> b = random_vector(n, static_cast<unsigned>(round));
    std::vector<int> rows(place(n)), columns(place(n));
    for (int& e : rows) e = static_cast<int>(engine() % 81) - 40;
    for (int& e : columns) e = static_cast<int>(engine() % 81) - 40;
    if (symmetric) columns = rows;
    std::vector<double> other_b(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) other_b[i] = std::ldexp(b[i], rows[i]);
    const auto got = solved(scaled(a, rows, columns), other_b);
    SCOPED_TRACE(fmt::format("round {}: {}", round, got.report.reason));
    std::vector<double> x(b.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::ldexp(got.x[i], columns[i]);
    EXPECT_LE(distance(x, dense_solution(a, b)), 1e-10);
  }
}

TEST_F(direct, solves_what_differs_by_hundreds_of_exponents) {
  std::mt19937 engine(33);
  for (int round = 0; round < 300; ++round) {
    const auto n = static_cast<index>(1 + engine() % (round % 10 == 0 ? 200 : 12));
    const shape of = static_cast<shape>(round % 3);
    const csr<double> a = random_matrix(engine, n, of);
    const std::vector<double> b = random_vector(n, static_cast<unsigned>(round));
    std::vector<int> rows(place(n)), columns(place(n));
    for (int& e : rows) e = static_cast<int>(engine() % 921) - 460;
    for (int& e : columns) e = static_cast<int>(engine() % 921) - 460;
    if (of != shape::unsymmetric) columns = rows;
    std::vector<double> other_b(b.size());
    for (std::size_t i = 0; i < b.size(); ++i) other_b[i] = std::ldexp(b[i], rows[i]);
    const csr<double> units = scaled(a, rows, columns);
    const auto got = solved(units, other_b);
    SCOPED_TRACE(fmt::format("round {}: {} rows, {}", round, n, got.report.reason));
    EXPECT_NE(got.report.stopped, stop_reason::breakdown) << got.report.advice;
    EXPECT_LE(got.report.componentwise_backward_error, 1e-12);
    const std::vector<double> exact = dense_solution(a, b);
    std::vector<double> x(b.size());
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = std::ldexp(got.x[i], columns[i]);
    EXPECT_LE(distance(x, exact), 1e-10);
    solve_options o = direct_options();
    o.rtol = 1e-5;
    std::vector<int> few(rows), few_columns(columns);
    for (int& e : few) e /= 10;
    for (int& e : few_columns) e /= 10;
    const csr<float> single = convert<float>(scaled(a, few, few_columns).view());
    std::vector<float> single_b(b.size()), single_x(b.size(), 0.0F);
    for (std::size_t i = 0; i < b.size(); ++i)
      single_b[i] = static_cast<float>(std::ldexp(b[i], few[i]));
    const solve_report report =
        solve(device::cpu(1), single.view(), std::span<const float>(single_b),
              std::span<float>(single_x), o);
    EXPECT_LE(report.componentwise_backward_error, 1e-6);
    for (std::size_t i = 0; i < x.size(); ++i)
      x[i] = std::ldexp(static_cast<double>(single_x[i]), few_columns[i]);
    EXPECT_LE(distance(x, exact), 1e-4);
  }
}

TEST_F(direct, is_right_or_says_so_where_numbers_differ_more_than_the_format_is_wide) {
  std::mt19937 engine(34);
  int solved_all = 0;
  for (int round = 0; round < 100; ++round) {
    const auto n = static_cast<index>(1 + engine() % 9);
    entries all;
    std::vector<double> b(place(n)), x(place(n));
    for (index i = 0; i < n; ++i) {
      const auto some = [&](int most) { return static_cast<int>(engine() % (2 * most)) - most; };
      const int of_a = some(1000);
      int of_x = some(1000);
      if (std::abs(of_a + of_x) > 1000) of_x = -of_x;
      x[place(i)] = std::ldexp(engine() % 2 ? -1.0 : 1.5, of_x);
      all.emplace_back(i, i, std::ldexp(1.0 + i % 3, of_a));
      b[place(i)] = std::get<2>(all.back()) * x[place(i)];
    }
    const auto got = solved(from_entries(n, all), b);
    SCOPED_TRACE(round);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    bool right = true;
    for (index i = 0; i < n; ++i)
      right = right && std::abs(got.x[place(i)] / x[place(i)] - 1) <= 1e-12;
    EXPECT_EQ(got.report.componentwise_backward_error <= 1e-12, right);
    solved_all += right;
  }
  EXPECT_GT(solved_all, 20);
}

}  // namespace
}  // namespace dwell::test
