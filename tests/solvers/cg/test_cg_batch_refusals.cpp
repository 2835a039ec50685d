// SPDX-License-Identifier: MIT
// What a batch refuses, in one line each: options that it does not have, matrices by the number of
// their system, sizes, memory of the wrong kind.
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "batch_runner.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

class refusals_of_batches : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
  template <class Error = input_error, class F>
  static void expect_refusal(F&& f, const std::string& words) {
    const std::string said = refusal<Error>(f);
    EXPECT_NE(said.find(words), std::string::npos) << said << "\nexpected: " << words;
    EXPECT_EQ(said.find('\n'), std::string::npos);
  }
  static void make(const std::vector<csr_view<double>>& all, const solve_options& o = {}) {
    cg_batch<double>(place::where(), std::span<const csr_view<double>>(all), o);
  }
};

TEST_F(refusals_of_batches, options) {
  const csr<double> a = spd(10, 1);
  const auto refused = [&](auto&& change, const char* words) {
    solve_options o = plain_options();
    change(o);
    expect_refusal<unsupported_error>([&] { make({a.view()}, o); }, words);
    expect_refusal<unsupported_error>(
        [&] { cg_batch<double>(place::where(), a.view(), std::span<const double>(a.val), 1, o); },
        words);
  };
  refused([](auto& o) { o.executor = "persistent"; }, "a batch has no choice of an executor");
  refused([](auto& o) { o.variant = "pipelined"; }, "a batch has no choice of a variant");
  refused([](auto& o) { o.policy = "none"; }, "a batch has no choice of a policy");
  refused([](auto& o) { o.teams = 3; }, "a batch has no number of teams of its own");
  refused([](auto& o) { o.clusters = false; }, "a batch has no clusters");
  refused([](auto& o) { o.history = true; }, "a batch has no history");
  refused([](auto& o) { o.progress = [](const solve_progress&) {}; }, "a batch has no progress");
  refused([](auto& o) { o.config = 99; }, "expected a config from 0 to");
  solve_options o = plain_options();
  o.rtol = -1;
  expect_refusal([&] { make({a.view()}, o); }, "rtol");
  o = plain_options();
  o.variant = "textbok";
  expect_refusal([&] { make({a.view()}, o); }, "expected a variant");
}

TEST_F(refusals_of_batches, matrices_by_number) {
  const csr<double> good = spd(10, 1);
  const auto refused = [&](auto&& change, const std::string& words, const solve_options& o = {}) {
    csr<double> bad = spd(7, 2);
    change(bad);
    expect_refusal(
        [&] {
          make({good.view(), good.view(), bad.view(), good.view()}, o);
        },
        "system 2 (counted from 0): matrix: " + words);
  };
  refused([](auto& a) { a.cols = 8; }, "expected as many rows as columns, found 7 x 8");
  refused([](auto& a) { a.val[1] += 1; }, "expected a symmetric one, found");
  refused([](auto& a) { a.val[0] = -2; }, "expected a positive diagonal, found -2 at (1, 1)");
  refused([](auto& a) { a.val[0] = 0; }, "expected a positive diagonal, found 0 at (1, 1)");
  refused([](auto& a) { a.val.back() = std::numeric_limits<double>::infinity(); },
          "row 7 (counted from 1): expected finite values");
  solve_options trusting = plain_options();
  trusting.assume_symmetric = true;
  // Columns of a neighbour are within the joined matrix, but not this system's.
  refused([](auto& a) { a.col.back() = 7; }, "row 6 (counted from 0): expected columns from 0 to 6",
          trusting);
  refused([](auto& a) { a.col.front() = -1; },
          "row 0 (counted from 0): expected columns from 0 to 6", trusting);
  refused([](auto& a) { std::swap(a.row_ptr[2], a.row_ptr[3]); }, "row 2 (counted from 0)");
  refused([](auto& a) { a.row_ptr[0] = 1; }, "row 0 (counted from 0)");
  expect_refusal(
      [&] {
        make({good.view(), {5, 5, nullptr, nullptr, nullptr}});
      },
      "system 1 (counted from 0): matrix: expected row_ptr, found a null pointer");
  expect_refusal([&] { make({{-1, -1, nullptr, nullptr, nullptr}}); }, "system 0");
}

TEST_F(refusals_of_batches, more_than_an_index_counts) {
  const csr<double> a = mesh(200, 200);
  const std::vector<csr_view<double>> many(60000, a.view());
  expect_refusal([&] { make(many); }, "split the batch");
}

TEST_F(refusals_of_batches, values_and_vectors) {
  const csr<double> a = spd(10, 1);
  const auto of_pattern = [&](std::span<const double> values, int count) {
    cg_batch<double>(place::where(), a.view(), values, count);
  };
  const std::span<const double> values(a.val);
  expect_refusal([&] { of_pattern(values, 2); }, "values: expected");
  expect_refusal([&] { of_pattern(values.first(3), 1); }, "values: expected");
  expect_refusal([&] { of_pattern(values, -1); }, "count: expected at least 0, found -1");
  const std::vector<csr_view<double>> two = {a.view(), a.view()};
  cg_batch<double> batch(place::where(), std::span<const csr_view<double>>(two));
  std::vector<double> b(20, 1.0), x(20), before = x;
  const auto solve = [&](std::span<const double> of, std::span<double> to) {
    (void)batch.solve(of, to);
  };
  expect_refusal([&] { solve(std::span<const double>(b).first(19), x); },
                 "right-hand sides: expected 20 elements");
  expect_refusal([&] { solve(b, std::span<double>(x).first(10)); },
                 "start vectors: expected 20 elements");
  expect_refusal([&] { solve(x, x); }, "overlaps");
  const device_span<const double> view_b{b.data(), b.size(), 0};
  const device_span<double> view_x{x.data(), x.size(), 0};
  expect_refusal([&] { (void)batch.solve(view_b, view_x); },
                 place::on() == backend::cpu ? "memory of the host" : "the host's");
  expect_refusal(
      [&] {
        batch.update_values(device_span<const double>{a.val.data(), a.val.size() * 2, 0});
      },
      place::on() == backend::cpu ? "memory of the host" : "the host's");
  for (const int k : {-1, 3})
    expect_refusal([&] { (void)batch.first_row(k); }, "expected a system from 0 to 2");
  EXPECT_EQ(x, before);
  EXPECT_EQ(batch.solve(std::span<const double>(b), std::span<double>(x)).converged, 2);
}

}  // namespace
}  // namespace dwell::test
