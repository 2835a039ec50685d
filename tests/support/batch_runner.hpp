// SPDX-License-Identifier: MIT
// Batches at the place of the tests: random systems, what a batch makes of them, and the fixture of
// tests that run under every kernel of batches.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/linear/cg_batch.hpp"
#include "plain_options.hpp"
#include "refusal.hpp"
#include "symmetric.hpp"

namespace dwell::test {

/// A kernel, and how it is to run.
struct way {
  int config = -1;
  bool reverse_lanes = false;
  std::size_t scratch = 0;
};

inline std::string name_of(const way& w) {
  std::string name = w.config < 0 ? "as_planned" : fmt::format("config_{}", w.config);
  if (w.reverse_lanes) name += "_reversed";
  if (w.scratch > 0) name += fmt::format("_scratch_{}", w.scratch);
  return name;
}

/// Diagonally dominant, with neighbours near and far; the largest element is near 2^exponent.
inline csr<double> spd(index n, std::uint64_t seed, double shift = 0.1) {
  splitmix64 random(seed);
  symmetric s(n);
  for (index i = 0; i + 1 < n; ++i) s.add(i, i + 1, random.uniform());
  for (index k = 0; k < n; ++k)
    if (const index i = random.below(n), j = random.below(n); i != j && !s.has(i, j))
      s.add(i, j, random.uniform());
  return s.dominant([&](index) { return shift * (1.5 + random.uniform()); });
}

template <class T>
linear_system<T> system_of(const csr<double>& a, std::uint64_t seed) {
  const std::vector<double> b = random_vector(a.rows, seed);
  linear_system<T> s{fmt::format("{} rows, seed {}", a.rows, seed), {}, {b.begin(), b.end()}};
  s.a = {a.rows, a.cols, a.row_ptr, a.col, {a.val.begin(), a.val.end()}};
  return s;
}

/// What a batch makes of some systems, from zeros or from start vectors.
template <class T>
struct outcome {
  cg_batch_report report;
  std::vector<std::vector<T>> x;
};

template <class T>
std::vector<csr_view<T>> views(const std::vector<linear_system<T>>& systems) {
  std::vector<csr_view<T>> all;
  for (const auto& s : systems) all.push_back(s.a.view());
  return all;
}

template <class T>
std::vector<T> joined(const std::vector<std::vector<T>>& parts) {
  std::vector<T> all;
  for (const auto& p : parts) all.insert(all.end(), p.begin(), p.end());
  return all;
}
template <class T>
std::vector<T> rhs(const std::vector<linear_system<T>>& systems) {
  std::vector<std::vector<T>> parts;
  for (const auto& s : systems) parts.push_back(s.b);
  return joined(parts);
}

template <class T>
outcome<T> solve_with(cg_batch<T>& batch, const std::vector<T>& b, std::vector<T> x = {}) {
  x.resize(b.size(), T(0));
  outcome<T> got;
  got.report = batch.solve(std::span<const T>(b), std::span<T>(x));
  for (int k = 0; k < batch.count(); ++k)
    got.x.emplace_back(x.begin() + batch.first_row(k), x.begin() + batch.first_row(k + 1));
  return got;
}

template <class T>
outcome<T> run_all(const std::vector<linear_system<T>>& systems, const solve_options& o,
                   const std::vector<T>& x0 = {}) {
  const auto all = views(systems);
  cg_batch<T> batch(place::where(), std::span<const csr_view<T>>(all), o);
  return solve_with(batch, rhs(systems), x0);
}

/// Makes the report of a solver that has the system alone, for the judge of these.
template <class T>
solution<T> as_alone(const linear_system<T>& s, const outcome<T>& got, std::size_t k,
                     preconditioner p) {
  const cg_batch_entry& e = got.report.systems[k];
  solution<T> one{{}, got.x[k]};
  solve_report& r = one.report;
  r.executor = got.report.executor;
  r.reason = got.report.reason;
  r.device = got.report.device;
  r.on = got.report.on;
  r.precision = got.report.precision;
  r.preconditioner = p;
  r.teams = r.lanes = 1;
  r.bytes_per_iteration = SIZE_MAX;
  r.iterations = e.iterations;
  r.stopped = e.stopped;
  r.rhs_norm = e.rhs_norm;
  r.residual_relative_recursive = e.residual_relative_recursive;
  r.residual_relative_true = e.residual_relative_true;
  r.residuals_disagree = e.residuals_disagree;
  r.componentwise_backward_error = e.componentwise_backward_error;
  r.target_missed = e.target_missed;
  r.rows_missed = e.rows_missed;
  r.condition_estimate = e.condition_estimate;
  r.error_estimate = e.error_estimate;
  static_cast<void>(s);
  return one;
}

inline void expect_equal(const cg_batch_entry& a, const cg_batch_entry& b) {
  EXPECT_EQ(a.iterations, b.iterations);
  EXPECT_EQ(a.stopped, b.stopped);
  EXPECT_EQ(a.rhs_norm, b.rhs_norm);
  EXPECT_EQ(a.residual_relative_recursive, b.residual_relative_recursive);
  EXPECT_EQ(a.residual_relative_true, b.residual_relative_true);
  EXPECT_EQ(a.residuals_disagree, b.residuals_disagree);
  EXPECT_EQ(a.componentwise_backward_error, b.componentwise_backward_error);
  EXPECT_EQ(a.target_missed, b.target_missed);
  EXPECT_EQ(a.rows_missed, b.rows_missed);
  EXPECT_EQ(a.condition_estimate, b.condition_estimate);
  EXPECT_EQ(a.error_estimate, b.error_estimate);
}

/// Does the config exist, and hold a system of so many rows?
inline bool holds(const way& w, const csr<double>& a, bool* exists = nullptr) {
  solve_options o = plain_options();
  o.config = w.config;
  o.scratch_per_team = w.scratch;
  const csr_view<double> one = a.view();
  const std::string said = refusal<unsupported_error>(
      [&] { cg_batch<double>(place::where(), std::span<const csr_view<double>>(&one, 1), o); });
  if (exists) *exists = said.find("expected a config") == std::string::npos;
  return said == "accepted";
}

class batches : public testing::Test {
 protected:
  void SetUp() override {
    DWELL_SKIP_IF_ABSENT();
    const bool cpu = place::on() == backend::cpu;
    const csr<double> tiny = tridiagonal(3, 2, -1);
    ways_.push_back({});
    bool exists = true;
    for (int config = 0;; ++config) {
      holds({config}, tiny, &exists);
      if (!exists) break;
      ways_.push_back({config});
      if (cpu) ways_.push_back({config, true});
      last_ = config;
    }
    ASSERT_GE(last_, 2);
    // The last config takes what it can cache, here little: of systems of 33 rows all, of others a
    // part.
    for (const std::size_t scratch : {6000u, 30000u}) {
      ways_.push_back({last_, false, scratch});
      if (cpu) ways_.push_back({last_, true, scratch});
    }
  }
  static solve_options options(const way& w, double rtol = 1e-10) {
    solve_options o = plain_options();
    o.rtol = rtol;
    o.config = w.config;
    o.reverse_lanes = w.reverse_lanes;
    o.scratch_per_team = w.scratch;
    return o;
  }
  /// f(way) for all of them.
  template <class F>
  void each_way(F&& f) {
    for (const way& w : ways_) {
      SCOPED_TRACE(name_of(w));
      f(w);
      if (HasFatalFailure()) return;
    }
  }

  std::vector<way> ways_;
  int last_ = 0;
};

}  // namespace dwell::test
