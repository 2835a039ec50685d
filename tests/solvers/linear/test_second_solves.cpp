// SPDX-License-Identifier: MIT
// A solve depends on its own matrix, vectors and options alone: whatever a solver has solved
// before, its bits and its report are those of a new solver, also where a solve changed the method,
// the preconditioner or the precision. Linked again into the tests of a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <regex>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "plain_options.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

/// A system of two parts that are not connected. Right-hand sides are of one part, or of both.
struct two_parts {
  csr<double> a;
  index first = 0;  ///< rows of the first part
  solve_options options = plain_options();

  std::vector<double> rhs(int which, unsigned seed) const {
    std::vector<double> b = random_vector(a.rows, seed);
    for (index i = 0; i < a.rows; ++i)
      if (which == (i < first ? 1 : 0)) b[static_cast<std::size_t>(i)] = 0.0;
    return b;
  }
};

two_parts joined(const csr<double>& one, const csr<double>& other) {
  two_parts s;
  s.a = one;
  s.first = one.rows;
  for (std::size_t i = 1; i < other.row_ptr.size(); ++i)
    s.a.row_ptr.push_back(one.row_ptr.back() + other.row_ptr[i]);
  for (const index j : other.col) s.a.col.push_back(one.rows + j);
  s.a.val.insert(s.a.val.end(), other.val.begin(), other.val.end());
  s.a.rows = s.a.cols = one.rows + other.rows;
  return s;
}

csr<double> dominant(index n) {
  symmetric m(n);
  for (index i = 0; i + 1 < n; ++i) m.add(i, i + 1, -1);
  return m.dominant([](index i) { return 1.0 + 0.01 * static_cast<double>(i % 10); });
}

/// Positive diagonal, negative eigenvalues.
csr<double> indefinite() {
  csr<double> a = generate("poisson2d:8x7");
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (a.col[static_cast<std::size_t>(k)] == i) a.val[static_cast<std::size_t>(k)] -= 1.7;
  return a;
}

/// Leaves out numbers, so that reasons at other times are the same.
std::string without_numbers(const std::string& s) {
  static const std::regex number(R"(\d+(\.\d+)?(e[+-]?\d+)?)");
  return std::regex_replace(s, number, "#");
}

void expect_equal(const solve_report& got, const solve_report& want) {
  EXPECT_EQ(got.method, want.method);
  EXPECT_EQ(got.method_reason, want.method_reason);
  EXPECT_EQ(got.preconditioner, want.preconditioner);
  EXPECT_EQ(without_numbers(got.preconditioner_reason),
            without_numbers(want.preconditioner_reason));
  EXPECT_EQ(got.preconditioner_note, want.preconditioner_note);
  EXPECT_EQ(got.precision, want.precision);
  EXPECT_EQ(got.reason, want.reason);
  EXPECT_EQ(got.executor, want.executor);
  EXPECT_EQ(got.variant, want.variant);
  EXPECT_EQ(got.stopped, want.stopped);
  EXPECT_EQ(got.iterations, want.iterations);
  EXPECT_EQ(got.refinements, want.refinements);
  EXPECT_EQ(got.residual_relative_recursive, want.residual_relative_recursive);
  EXPECT_EQ(got.residual_relative_true, want.residual_relative_true);
  EXPECT_EQ(got.condition_estimate, want.condition_estimate);
  EXPECT_EQ(got.advice, want.advice);
}

class second_solves : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }

  /// Returns how many of the reports of `which` say that it is so.
  template <class Changed>
  static int changes(const two_parts& s, Changed&& changed, int solves = 8) {
    linear_solver<double> kept(place::where(), s.a.view(), s.options);
    int count = 0;
    std::uint64_t state = 44;
    for (int k = 0; k < solves; ++k) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      const int which = static_cast<int>((state >> 33) % 3);
      SCOPED_TRACE("solve " + std::to_string(k) + ", part " + std::to_string(which));
      if ((state >> 40) % 4 == 0) kept.update_values(std::span<const double>(s.a.val));
      const std::vector<double> b = s.rhs(which, 50 + static_cast<unsigned>(k));
      std::vector<double> x(b.size(), 0.0), y(b.size(), 0.0);
      const solve_report got = kept.solve(std::span<const double>(b), std::span<double>(x));
      linear_solver<double> fresh(place::where(), s.a.view(), s.options);
      const solve_report want = fresh.solve(std::span<const double>(b), std::span<double>(y));
      expect_equal(got, want);
      EXPECT_TRUE(same_bits(x, y));
      count += changed(got);
    }
    EXPECT_GT(count, 0) << "a test that cannot fail";
    EXPECT_LT(count, solves) << "a test that cannot fail";
    return count;
  }
};

TEST_F(second_solves, are_as_the_first_where_the_method_changes) {
  two_parts s = joined(dominant(60), indefinite());
  s.options.method = "auto";
  for (const preconditioner p :
       {preconditioner::none, preconditioner::jacobi, preconditioner::automatic})
    for (const bool mixed : {false, true}) {
      s.options.preconditioner = p;
      s.options.mixed_precision = mixed;
      SCOPED_TRACE(to_string(p) + (mixed ? ", mixed" : ""));
      changes(s, [](const solve_report& r) { return r.method == "minres"; });
    }
}

TEST_F(second_solves, are_as_the_first_where_the_preconditioner_is_chosen) {
  if (place::on() != backend::cpu) GTEST_SKIP() << "measured times decide there";
  two_parts s =
      joined(dominant(500), generate(sanitized ? "poisson2d:200x200" : "poisson2d:300x300"));
  s.options.preconditioner = preconditioner::automatic;
  for (const bool mixed : {false, true}) {
    s.options.mixed_precision = mixed;
    SCOPED_TRACE(mixed);
    changes(
        s, [](const solve_report& r) { return r.preconditioner == preconditioner::amg; }, 5);
  }
}

TEST_F(second_solves, are_as_the_first_where_f32_is_too_short) {
  two_parts s = joined(dominant(80), beam(150));
  s.options.mixed_precision = true;
  s.options.rtol = 1e-9;
  for (const std::string method : {"cg", "minres", "auto"})
    for (const preconditioner p : {preconditioner::none, preconditioner::jacobi}) {
      s.options.method = method;
      s.options.preconditioner = p;
      SCOPED_TRACE(method + ", " + to_string(p));
      changes(s, [](const solve_report& r) {
        return r.reason.find("in f64 instead") != std::string::npos;
      });
    }
}

TEST_F(second_solves, of_blocks_are_as_the_first) {
  two_parts s = joined(dominant(60), indefinite());
  s.options.method = "auto";
  const auto n = static_cast<std::size_t>(s.a.rows);
  for (const int together : {1, 2}) {
    s.options.columns_at_once = together;
    linear_solver<double> kept(place::where(), s.a.view(), s.options);
    for (const int first : {1, 0, 2, 0}) {
      SCOPED_TRACE(std::to_string(together) + " at once, " + std::to_string(first));
      std::vector<double> b;
      for (const int which : {first, 0, 0, 1}) {
        const auto one = s.rhs(which, 7U + static_cast<unsigned>(which));
        b.insert(b.end(), one.begin(), one.end());
      }
      std::vector<double> x(4 * n, 0.0), y(4 * n, 0.0);
      const auto got = kept.solve(std::span<const double>(b), n, std::span<double>(x), n, 4);
      linear_solver<double> fresh(place::where(), s.a.view(), s.options);
      const auto want = fresh.solve(std::span<const double>(b), n, std::span<double>(y), n, 4);
      for (std::size_t k = 0; k < 4; ++k) expect_equal(got[k], want[k]);
      EXPECT_TRUE(same_bits(x, y));
    }
  }
}

}  // namespace
}  // namespace dwell::test
