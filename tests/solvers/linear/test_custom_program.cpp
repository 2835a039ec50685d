// SPDX-License-Identifier: MIT
// Programs that Dwell does not know, compiled here by dwell/custom_program.hpp: under every
// executor that it offers, with the answers of plain loops, and the bits of each other where they
// share a cut.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "battery.hpp"
#include "custom_programs.hpp"
#include "refusal.hpp"

#include "dwell/base/error.hpp"
#include "dwell/custom_program.hpp"
#include "dwell/execution/krylov/plan/policy.hpp"
#include "sanitized.hpp"

namespace dwell::test {
namespace {

/// Symmetric, diagonally dominant, with up to so many entries beside the diagonal of a row.
csr<double> random_matrix(index n, index most, splitmix64& random) {
  std::vector<std::vector<double>> rows(static_cast<std::size_t>(n),
                                        std::vector<double>(static_cast<std::size_t>(n)));
  for (index i = 0; i < n; ++i)
    for (index k = random.below(most + 1); k > 0; --k) {
      const index j = random.below(n);
      const double v = random.uniform();
      rows[static_cast<std::size_t>(i)][static_cast<std::size_t>(j)] = v;
      rows[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)] = v;
    }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    double sum = 1;
    for (const double v : rows[i]) sum += std::abs(v);
    rows[i][i] = sum;
  }
  return dense(rows);
}

template <class T>
double norm_of(const csr_view<T>& a) {
  double most = 0;
  for (index row = 0; row < a.rows; ++row) {
    double sum = 0;
    for (index k = a.row_ptr[row]; k < a.row_ptr[row + 1]; ++k)
      sum += std::abs(static_cast<double>(a.val[k]));
    most = std::max(most, sum);
  }
  return most;
}

/// Runs P on the matrix as asked; the answer, and the value of its scalars.
template <class P, class T>
struct answer {
  std::vector<T> x;
  typename P::scalars end;
  program_report report;
};
template <class P, class T>
answer<P, T> run(const csr_view<T>& a, const std::vector<double>& given, int steps,
                 const program_options& o) {
  program_runner<P, T> runner(device::cpu(3), a, o);
  const std::vector<T> in(given.begin(), given.end());
  runner.set_vector(given_vector<P>(), in);
  typename P::scalars start;
  start.steps = steps;
  start.omega = 1 / norm_of(a);
  answer<P, T> out;
  out.end = runner.run(start);
  out.x.resize(in.size());
  runner.vector(P::x, out.x);
  out.report = runner.report();
  return out;
}

template <class T>
void expect_near(const std::vector<T>& x, const std::vector<double>& expected,
                 const std::string& what) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    largest = std::max(largest, std::abs(expected[i]));
    difference = std::max(difference, std::abs(static_cast<double>(x[i]) - expected[i]));
  }
  EXPECT_LE(difference, 1000 * std::numeric_limits<T>::epsilon() * largest) << what;
}

/// All executors, perks with every policy that plans without a trial; teams and configs at random.
template <class P, class T>
void every_executor_agrees_with_loops(const csr<double>& wide, const std::string& name,
                                      splitmix64& random) {
  const csr<T> a = convert<T>(wide.view());
  const csr_view<T> view = a.view();
  const auto given = random_vector(a.rows, random.next());
  std::vector<double> rounded;
  for (const double v : given) rounded.push_back(static_cast<double>(static_cast<T>(v)));
  const int steps = 1 + random.below(12);
  typename P::scalars start;
  start.steps = steps;
  start.omega = static_cast<double>(static_cast<T>(1 / norm_of(view)));
  const auto expected = P::by_loops(view, rounded, start);
  const int teams = random.below(5);
  for (const int config : {-1, 0, 1}) {
    program_options o;
    o.teams = teams;
    o.config = config;
    o.executor = "host-loop";
    const auto first = run<P, T>(view, given, steps, o);
    const std::string what = name + ", " + P::name + ", teams " + std::to_string(teams) +
                             ", config " + std::to_string(config);
    expect_near(first.x, expected, what);
    EXPECT_EQ(first.end.step, steps) << what;
    for (const char* executor : {"host-loop", "persistent"}) {
      o.executor = executor;
      const auto again = run<P, T>(view, given, steps, o);
      EXPECT_EQ(again.x, first.x) << what << ", " << executor;
      EXPECT_EQ(again.end.value, first.end.value) << what << ", " << executor;
      EXPECT_EQ(again.report.executor, executor);
    }
  }
  program_options o;
  o.executor = "perks";
  o.teams = teams;
  for (const std::string& policy : planning_policies()) {
    o.policy = policy;
    const auto first = run<P, T>(view, given, steps, o);
    const std::string what = name + ", " + P::name + ", perks, " + policy;
    expect_near(first.x, expected, what);
    EXPECT_EQ(first.end.step, steps) << what;
    const auto again = run<P, T>(view, given, steps, o);
    EXPECT_EQ(again.x, first.x) << what;
  }
}

TEST(custom_program, small_matrices_of_every_kind) {
  splitmix64 random(1);
  int turn = 0;
  for (const battery_case& one : battery()) {
    if (sanitized && turn++ % 4 != 0) continue;
    const csr<double> a = one.build();
    every_executor_agrees_with_loops<plain_richardson, double>(a, one.name, random);
    every_executor_agrees_with_loops<power_iteration, double>(a, one.name, random);
  }
}
TEST(custom_program, random_matrices_in_both_precisions) {
  splitmix64 random(2);
  for (int k = 0; k < 6; ++k) {
    const auto a = random_matrix(1 + random.below(300), random.below(6), random);
    const std::string name = "random " + std::to_string(k);
    every_executor_agrees_with_loops<heavy_ball, double>(a, name, random);
    every_executor_agrees_with_loops<heavy_ball, float>(a, name, random);
    every_executor_agrees_with_loops<plain_richardson, float>(a, name, random);
    every_executor_agrees_with_loops<power_iteration, float>(a, name, random);
  }
}

/// What a plan caches is what the report says, and a small system is cached whole.
TEST(custom_program, perks_caches_what_fits) {
  const auto a = mesh(20, 20, 5);
  program_options o;
  o.executor = "perks";
  o.teams = 2;
  const std::vector<double> b(400, 1.0);
  const auto cached = run<heavy_ball, double>(a.view(), b, 3, o);
  EXPECT_GT(cached.report.cached_bytes, 0u);
  o.policy = "none";
  const auto plain = run<heavy_ball, double>(a.view(), b, 3, o);
  EXPECT_LT(plain.report.cached_bytes, cached.report.cached_bytes / 8);
  EXPECT_EQ(plain.report.bytes_per_iteration, cached.report.bytes_per_iteration);
}

/// Vectors stay from run to run, so that two runs of some steps are one of their sum.
TEST(custom_program, goes_on_where_the_run_before_ended) {
  const auto a = mesh(9, 31, 5);
  const auto b = random_vector(a.rows, 7);
  for (const char* executor : {"host-loop", "persistent", "perks"}) {
    program_options o;
    o.executor = executor;
    o.teams = 2;
    const auto once = run<plain_richardson, double>(a.view(), b, 7, o);
    program_runner<plain_richardson> runner(device::cpu(2), a.view(), o);
    runner.set_vector(plain_richardson::b, b);
    plain_richardson::scalars start;
    start.omega = 1 / norm_of(a.view());
    for (const int steps : {4, 3}) {
      start.steps = steps;
      EXPECT_EQ(runner.run(start).stop, plain_richardson::done);
    }
    std::vector<double> x(b.size());
    runner.vector(plain_richardson::x, x);
    EXPECT_EQ(x, once.x) << executor;
  }
}

TEST(custom_program, ends_by_an_interrupt_and_by_its_progress_function) {
  const auto a = mesh(40, 40, 5);
  for (const char* executor : {"host-loop", "persistent", "perks"}) {
    std::atomic<bool> interrupt{true};
    program_options o;
    o.executor = executor;
    o.interrupt = &interrupt;
    program_runner<plain_richardson> stopped(device::cpu(2), a.view(), o);
    plain_richardson::scalars endless;
    endless.steps = std::numeric_limits<int>::max();
    EXPECT_EQ(stopped.run(endless).stop, plain_richardson::interrupted) << executor;

    o.interrupt = nullptr;
    o.progress_interval = 0;
    int last = -1;
    o.progress = [&](int step, double norm) {
      last = step;
      return step < 3 && norm >= 0;
    };
    program_runner<plain_richardson> told(device::cpu(2), a.view(), o);
    EXPECT_EQ(told.run(endless).stop, plain_richardson::interrupted) << executor;
    EXPECT_GE(last, 3);

    o.progress = [](int, double) -> bool { throw std::runtime_error("enough"); };
    program_runner<plain_richardson> thrown(device::cpu(2), a.view(), o);
    EXPECT_THROW(thrown.run(endless), std::runtime_error) << executor;
  }
}

/// A vector that is used at the start alone has no place in plans that cache everything.
struct forgetful : plain_richardson {
  static constexpr const char* name = "forgetful";
  enum : int { x, b, q, seldom, vectors };
  static constexpr use uses[vectors] = {use::gather, use::own, use::own, use::own};
};

TEST(custom_program, refuses_what_it_cannot_run) {
  const auto a = mesh(3, 4);
  const auto with = [&](auto&& change) {
    program_options o;
    change(o);
    return refusal<error>([&] { program_runner<plain_richardson> r(device::cpu(), a.view(), o); });
  };
  EXPECT_EQ(with([](auto& o) { o.executor = "perk"; }),
            "expected an executor for 'plain-richardson' on cpu (host-loop, perks, persistent), "
            "found 'perk'; did you mean 'perks'?");
  EXPECT_EQ(with([](auto& o) { o.config = 9; }), "expected a config from 0 to 1, found 9");
  EXPECT_EQ(with([](auto& o) { o.policy = "vectors"; }),
            "executor 'persistent' caches nothing on the chip: expected policy none, found "
            "'vectors' (executor perks has policies)");
  EXPECT_NE(with([](auto& o) {
              o.executor = "perks";
              o.policy = "measured";
            }).find("policy 'measured' tries plans"),
            std::string::npos);

  csr<double> wide = a;
  wide.cols = 13;
  EXPECT_EQ(refusal<error>([&] { program_runner<plain_richardson> r(device::cpu(), wide.view()); }),
            "matrix: expected as many rows as columns, found 12 x 13");
  wide.cols = 11;
  EXPECT_NE(refusal([&] {
              program_runner<plain_richardson> r(device::cpu(), wide.view());
            }).find("column"),
            std::string::npos);
  EXPECT_EQ(refusal<error>([&] { program_runner<forgetful> r(device::cpu(), a.view()); }),
            "program 'forgetful': vector 3 is not touched in an iteration from steady_state(), or "
            "from the scalars' defaults without it");

  program_runner<plain_richardson> runner(device::cpu(), a.view());
  std::vector<double> x(12), y(11);
  EXPECT_EQ(refusal<error>([&] { runner.set_vector(3, x); }),
            "program 'plain-richardson': expected a vector from 0 to 2, found 3");
  EXPECT_EQ(refusal<error>([&] { runner.vector(0, y); }),
            "program 'plain-richardson': expected 12 elements, found 11");
}

}  // namespace
}  // namespace dwell::test
