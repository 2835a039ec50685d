// SPDX-License-Identifier: MIT
// Systems whose rows are divided among ranks, against the solver of one: methods, preconditioners,
// odd divisions, and refusals, which all ranks make together.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "battery.hpp"
#include "divided_answer.hpp"
#include "dwell/base/error.hpp"
#include "dwell/comm/agreement.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/distributed_solver.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "oracle.hpp"
#include "plain_options.hpp"

namespace dwell::test {
namespace {

class divided : public testing::TestWithParam<way> {
 protected:
  solve_options options() const { return options_of(GetParam()); }
};

TEST_P(divided, has_the_bits_of_one_where_there_is_one_rank) {
  const csr<double> a = generate("poisson2d:31x47");
  const std::vector<double> b = random_vector(a.rows, 1);
  for (const int threads : {1, 3}) {
    const auto wanted = solve_whole(a, b, options(), threads);
    const auto got = solve_divided(a, b, {0, a.rows}, options(), threads);
    EXPECT_EQ(got.report.iterations, wanted.report.iterations);
    EXPECT_EQ(got.x, wanted.x);
    EXPECT_EQ(got.report.residual_relative_true, wanted.report.residual_relative_true);
    EXPECT_EQ(got.report.condition_estimate, wanted.report.condition_estimate);
  }
}

TEST_P(divided, converges_as_one) {
  const solve_options o = options();
  for (const char* kind : {"poisson2d:31x47", "poisson3d:9x10x11"}) {
    SCOPED_TRACE(kind);
    const csr<double> a = generate(kind);
    const std::vector<double> b = random_vector(a.rows, 2);
    const auto wanted = solve_whole(a, b, o);
    // Blocks of a rank are another preconditioner the more ranks there are.
    const bool by_blocks = !is_the_same_divided(o.preconditioner);
    for (const int ranks : {2, 3, 4}) {
      SCOPED_TRACE(ranks);
      auto got = solve_divided(a, b, equal_rows(a.rows, ranks), o, ranks == 2 ? 2 : 1);
      if (by_blocks) {
        EXPECT_LE(got.report.iterations, 4 * wanted.report.iterations + 10);
        got.report.iterations = wanted.report.iterations;
      }
      // Rounding in the recurrences of bicgstab's pipelined form decides some of its iterations.
      const bool by_rounding = o.method == "bicgstab" && o.variant == "pipelined";
      expect_alike(got, wanted, a, b, o.rtol, by_rounding ? 10 : 50);
      EXPECT_EQ(got.report.executor, "host-loop");
    }
  }
}

TEST_P(divided, has_the_same_bits_in_every_run) {
  const csr<double> a = generate("poisson2d:31x47");
  const std::vector<double> b = random_vector(a.rows, 3);
  const auto once = solve_divided(a, b, equal_rows(a.rows, 3), options());
  const auto again = solve_divided(a, b, equal_rows(a.rows, 3), options());
  EXPECT_EQ(once.x, again.x);
}

std::vector<way> ways_of_cpus() {
  std::vector<way> all = ways();
  all.push_back({"gmres", "auto", preconditioner::aggregation});
  return all;
}
INSTANTIATE_TEST_SUITE_P(by, divided, testing::ValuesIn(ways_of_cpus()),
                         [](const auto& p) { return name_of(p.param); });

class divisions : public testing::TestWithParam<std::string> {};

// Every matrix of the battery: dense rows, parts that are not connected, a band, one row and so on.
TEST_P(divisions, of_the_battery) {
  const csr<double> a = battery_at(GetParam()).build();
  const std::vector<double> b = random_vector(a.rows, 4);
  solve_options o = plain_options();
  o.preconditioner = preconditioner::jacobi;
  o.max_iterations = 20000;
  const auto wanted = solve_whole(a, b, o);
  if (wanted.report.stopped != stop_reason::converged) GTEST_SKIP() << "one does not converge";
  const std::int64_t n = a.rows;
  std::vector<std::vector<std::int64_t>> all = {{0, n / 2, n},
                                                {0, 0, n},
                                                {0, n, n, n},
                                                {0, std::min<std::int64_t>(1, n), n},
                                                balanced_first_rows(a.row_ptr, 3)};
  if (n <= 4) {  // a row each
    all.emplace_back();
    for (std::int64_t r = 0; r <= n; ++r) all.back().push_back(r);
  }
  for (const auto& first : all) {
    SCOPED_TRACE(testing::PrintToString(first));
    const auto got = solve_divided(a, b, first, o);
    EXPECT_EQ(got.report.stopped, stop_reason::converged);
    // Sums in another order: where rounding decides, counts differ; the answer must be as good.
    const double residual =
        residual_norm(a.view(), std::span<const double>(b), std::span<const double>(got.x));
    EXPECT_LE(residual, 1.01 * o.rtol * norm2(b));
    EXPECT_LE(got.report.iterations, wanted.report.iterations * 3 / 2 + 5);
  }
}

std::vector<std::string> battery_names() {
  std::vector<std::string> names;
  for (const battery_case& c : battery()) names.push_back(c.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(battery, divisions, testing::ValuesIn(battery_names()),
                         [](const auto& p) { return p.param; });

TEST(divided_in_f32, converges) {
  const csr<double> wide = generate("poisson2d:20x30");
  csr<float> a{wide.rows, wide.cols, wide.row_ptr, wide.col, {}};
  a.val.assign(wide.val.begin(), wide.val.end());
  const std::vector<double> rhs = random_vector(a.rows, 6);
  const std::vector<float> b(rhs.begin(), rhs.end());
  solve_options o = plain_options();
  o.rtol = 1e-4;
  for (const char* variant : {"textbook", "single-reduction", "pipelined"}) {
    o.variant = variant;
    const auto got = solve_divided(a, b, equal_rows(a.rows, 3), o);
    EXPECT_EQ(got.report.stopped, stop_reason::converged) << variant;
    EXPECT_EQ(got.report.precision, "f32");
    const std::vector<float> x = got.x;
    EXPECT_LE(residual_norm(a.view(), std::span<const float>(b), std::span<const float>(x)),
              1.1e-4 * norm2(widen(std::span<const float>(b))));
  }
}

// Scales far from 1: the exponents are those of all ranks.
TEST(divided_scales, are_those_of_the_whole) {
  csr<double> a = generate("poisson2d:15x15");
  for (double& v : a.val) v = std::ldexp(v, 400);
  std::vector<double> b = random_vector(a.rows, 7);
  for (std::size_t k = 0; k < b.size(); ++k) b[k] = std::ldexp(b[k], k < 100 ? 900 : 890);
  const auto wanted = solve_whole(a, b, {});
  const auto got = solve_divided(a, b, equal_rows(a.rows, 2), {});
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_NEAR(got.report.iterations, wanted.report.iterations, 2);
  EXPECT_NEAR(got.report.rhs_norm, wanted.report.rhs_norm, 1e-12 * wanted.report.rhs_norm);
}

// A Laplacian with Neumann boundaries: means are those of all elements.
TEST(divided_null_space, is_that_of_the_whole) {
  const csr<double> a = generate("neumann2d:12x17");
  const std::vector<double> b = random_vector(a.rows, 8);
  const auto wanted = solve_whole(a, b, {});
  const auto got = solve_divided(a, b, equal_rows(a.rows, 3), {});
  EXPECT_EQ(got.report.stopped, stop_reason::converged);
  EXPECT_EQ(got.report.null_space, "constant");
  EXPECT_NEAR(got.report.rhs_outside_range, wanted.report.rhs_outside_range, 1e-12);
  for (std::size_t k = 0; k < b.size(); ++k) EXPECT_NEAR(got.x[k], wanted.x[k], 1e-6);
}

TEST(divided_updates, use_other_values) {
  csr<double> a = generate("poisson2d:13x14");
  const std::vector<double> b = random_vector(a.rows, 9);
  csr<double> other = a;
  for (index i = 0; i < other.rows; ++i)
    for (index k = other.row_ptr[static_cast<std::size_t>(i)];
         k < other.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (other.col[static_cast<std::size_t>(k)] == i) other.val[static_cast<std::size_t>(k)] += 1;
  for (const preconditioner by : {preconditioner::jacobi, preconditioner::amg}) {
    solve_options o = plain_options();
    o.preconditioner = by;
    run_as_ranks(2, [&](std::shared_ptr<communicator> comm) {
      const auto first = equal_rows(a.rows, 2);
      const distributed_matrix<double> before(comm, a.view(), first),
          after(comm, other.view(), first);
      const std::vector<double> mine = before.scatter(b);
      distributed_solver<double> changed(device::cpu(1), before, o),
          fresh_one(device::cpu(1), after, o);
      std::vector<double> x(mine.size(), 0.0), wanted(mine.size(), 0.0), junk(mine.size(), 0.0);
      changed.solve(mine, junk);
      std::vector<double> bad(after.local().val, after.local().val + after.local().nonzeros());
      bad[0] = -1;
      EXPECT_THROW(changed.update_values(bad), input_error) << "the others say so, too";
      changed.update_values(
          {after.local().val, static_cast<std::size_t>(after.local().nonzeros())});
      changed.solve(mine, x);
      fresh_one.solve(mine, wanted);
      EXPECT_EQ(x, wanted);
    });
  }
}

TEST(divided_ends, are_those_of_all) {
  const csr<double> a = generate("poisson2d:40x40");
  const std::vector<double> b = random_vector(a.rows, 10);
  for (const int who : {0, 1, 2}) {
    std::atomic<bool> flag{true};
    std::atomic<int> interrupted{0};
    run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
      solve_options o = plain_options();
      o.rtol = 0;
      o.max_iterations = 1 << 30;
      if (comm->rank() == who) o.interrupt = &flag;
      const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, 3));
      const std::vector<double> mine = d.scatter(b);
      std::vector<double> x(mine.size(), 0.0);
      distributed_solver<double> solver(device::cpu(1), d, o);
      if (solver.solve(mine, x).stopped == stop_reason::interrupted) ++interrupted;
    });
    EXPECT_EQ(interrupted, 3) << "rank " << who << " asked for the end";
  }
  // So does what a progress function of one rank returns.
  std::atomic<int> interrupted{0};
  run_as_ranks(2, [&](std::shared_ptr<communicator> comm) {
    solve_options o = plain_options();
    o.rtol = 0;
    o.max_iterations = 1 << 30;
    o.progress_interval = 0.001;
    int calls = 0;
    if (comm->rank() == 1) o.progress = [&](const solve_progress&) { return ++calls < 3; };
    const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, 2));
    const std::vector<double> mine = d.scatter(b);
    std::vector<double> x(mine.size(), 0.0);
    distributed_solver<double> solver(device::cpu(1), d, o);
    if (solver.solve(mine, x).stopped == stop_reason::interrupted) ++interrupted;
  });
  EXPECT_EQ(interrupted, 2);
}

/// What all ranks throw where rows are divided in two; "" if some do not throw it.
template <class Error>
std::string refusal(const csr<double>& a, const solve_options& o = {}, std::vector<double> b = {}) {
  std::mutex guard;
  std::string text;
  int thrown = 0;
  if (b.empty()) b.assign(static_cast<std::size_t>(a.rows), 1.0);
  run_as_ranks(2, [&](std::shared_ptr<communicator> comm) {
    try {
      const distributed_matrix<double> d(comm, a.view(), equal_rows(a.rows, 2));
      distributed_solver<double> solver(device::cpu(1), d, o);
      const std::vector<double> mine = d.scatter(b);
      std::vector<double> x(mine.size(), 0.0);
      solver.solve(mine, x);
    } catch (const Error& e) {
      const std::lock_guard lock(guard);
      text = e.what();
      ++thrown;
    }
  });
  return thrown == 2 ? text : "";
}

TEST(divided_refusals, name_rows_of_the_whole) {
  csr<double> a = generate("poisson2d:8x8");
  const auto find = [&](index row, index column) -> double& {
    for (index k = a.row_ptr[static_cast<std::size_t>(row)];; ++k)
      if (a.col[static_cast<std::size_t>(k)] == column) return a.val[static_cast<std::size_t>(k)];
  };
  const auto with = [&](index row, index column, double v, auto&& f) {
    double& at = find(row, column);
    const double before = at;
    at = v;
    f();
    at = before;
  };
  with(50, 50, -4.0, [&] {
    EXPECT_NE(refusal<input_error>(a).find("positive diagonal, found -4 at (51, 51)"),
              std::string::npos);
  });
  with(40, 41, -1.5, [&] {  // within a rank
    EXPECT_NE(refusal<input_error>(a).find("found -1.5 at (41, 42) but -1 at (42, 41)"),
              std::string::npos);
    solve_options o = plain_options();
    o.assume_symmetric = true;
    EXPECT_EQ(refusal<input_error>(a, o), "");
    o = plain_options();
    o.method = "auto";
    EXPECT_EQ(refusal<input_error>(a, o), "") << "bicgstab takes it";
  });
  with(31, 39, -1.5, [&] {  // between two
    const std::string text = refusal<input_error>(a);
    EXPECT_NE(text.find("a symmetric one, found"), std::string::npos) << text;
    EXPECT_NE(text.find("(32, 40)"), std::string::npos) << text;
    EXPECT_NE(text.find("-1.5"), std::string::npos) << text;
  });
  with(60, 60, std::numeric_limits<double>::quiet_NaN(), [&] {
    EXPECT_NE(
        refusal<input_error>(a).find("row 61 (counted from 1): expected finite values, found nan"),
        std::string::npos);
  });
  std::vector<double> b(64, 1.0);
  b[63] = std::numeric_limits<double>::infinity();
  EXPECT_NE(refusal<input_error>(a, {}, b).find("right-hand side: expected finite"),
            std::string::npos);
}

TEST(divided_refusals, are_of_options_that_one_has_and_ranks_have_not) {
  const csr<double> a = generate("poisson2d:8x8");
  solve_options o = plain_options();
  o.executor = "persistent";
  EXPECT_NE(refusal<unsupported_error>(a, o).find("expected host-loop"), std::string::npos);
  o = plain_options();
  o.rtol = -1;
  EXPECT_NE(refusal<input_error>(a, o).find("rtol"), std::string::npos);
}

// A block that has no inverse, of the second rank alone: the first one does not wait for it.
TEST(divided_refusals, are_of_a_block_of_one_rank) {
  const csr<double> a = dense({{2, 0, 1, 0}, {0, 2, 0, 1}, {1, 0, 1, 1}, {0, 1, 1, 1}});
  solve_options o = plain_options();
  o.method = "gmres";
  o.preconditioner = preconditioner::block_jacobi;
  o.preconditioning.block_size = 2;
  EXPECT_NE(refusal<input_error>(a, o).find("block of rank 1: block-jacobi"), std::string::npos);
}

}  // namespace
}  // namespace dwell::test
