// SPDX-License-Identifier: MIT
// What comes back where a solve does not do what was asked for: never an x that is worse than the
// start vector, about the best one of methods whose residuals rise; what a second solve does after
// a change of method or of the preconditioner; and advice that fits. Linked again into the tests of
// a GPU.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "cg_runner.hpp"
#include "dwell/base/error.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "plain_options.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

csr<double> banded(index n, const std::vector<std::pair<index, double>>& bands) {
  csr<double> a;
  a.rows = a.cols = n;
  for (index i = 0; i < n; ++i) {
    for (const auto& [beside, v] : bands)
      if (i + beside >= 0 && i + beside < n) a.col.push_back(i + beside), a.val.push_back(v);
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  return a;
}

linear_system<double> system_of(csr<double> a, unsigned seed) {
  linear_system<double> s{"", std::move(a), {}};
  const auto b = random_vector(s.a.rows, seed);
  s.b.assign(b.begin(), b.end());
  return s;
}

double relative(const linear_system<double>& s, const std::vector<double>& x) {
  return residual_norm(s.a.view(), std::span<const double>(s.b), std::span<const double>(x)) /
         norm2(s.b);
}

/// What rounding makes of relative(), summed in one order or another: much where x is large.
double rounding_of(const linear_system<double>& s, const std::vector<double>& x) {
  double largest = 0.0;
  for (index i = 0; i < s.a.rows; ++i) {
    double sum = 0.0;
    for (index k = s.a.row_ptr[static_cast<std::size_t>(i)];
         k < s.a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      sum += std::fabs(s.a.val[static_cast<std::size_t>(k)]);
    largest = std::max(largest, sum);
  }
  return 1e-15 * largest * norm2(x) / norm2(s.b);
}

/// Not normal, not definite, not dominant: what methods break down on, or end with a residual that
/// is larger than that of zeros.
std::vector<csr<double>> hard_matrices() {
  return {banded(300, {{-1, -1}, {0, 1}, {1, 1}, {2, 1}, {3, 1}}),  // Grcar's
          banded(60, {{0, 1}, {1, 2}}), banded(300, {{-1, -1}, {0, 1e-3}, {1, 1}}),
          banded(200, {{-1, 1}, {0, 1e-6}, {1, 3}}), beam(150)};
}

class best_answer : public testing::Test {
 protected:
  void SetUp() override { DWELL_SKIP_IF_ABSENT(); }
};

// Under sanitizers every matrix, method and preconditioner has two of the limits and starts, in
// turn.
TEST_F(best_answer, is_never_worse_than_the_start) {
  unsigned turn = 0;
  for (const csr<double>& a : hard_matrices())
    for (const auto& method : iterative_methods())
      for (const preconditioner p : preconditioners())
        for (const int most : {1, 7, 60, 400})
          for (const unsigned start : {0U, 9U}) {
            if (++turn; sanitized && (turn + turn / 8) % 4 != 0) continue;
            const linear_system<double> s = system_of(a, 3);
            solve_options o = plain_options();
            o.method = method.name;
            o.preconditioner = p;
            o.max_iterations = most;
            SCOPED_TRACE(std::to_string(a.rows) + ", " + method.name + ", " + to_string(p) + ", " +
                         std::to_string(most) + ", start " + std::to_string(start));
            std::vector<double> x0(s.b.size(), 0.0);
            if (start > 0) {
              const auto random = random_vector(a.rows, start);
              x0.assign(random.begin(), random.end());
            }
            solution<double> got;
            try {
              got = run(s, o, x0);
            } catch (const error&) {  // refused
              continue;
            }
            const double before = relative(s, x0), after = relative(s, got.x);
            EXPECT_LE(after, before * (1 + 1e-9));
            EXPECT_NEAR(got.report.residual_relative_true, after,
                        1e-6 * after + 1e-11 + rounding_of(s, got.x));
          }
}

// Ended by its progress function at a step of any kind, also amid the attempts of choices.
TEST_F(best_answer, of_a_run_that_is_interrupted_is_never_worse_than_the_start) {
  int ended = 0;
  unsigned turn = 0;
  for (const csr<double>& a : hard_matrices())
    for (const char* method : {"auto", "bicgstab", "gmres"})
      for (const preconditioner p : {preconditioner::none, preconditioner::automatic})
        for (const int at : {0, 1, 5, 23, 90}) {
          if (++turn; sanitized && turn % 4 != 0) continue;
          SCOPED_TRACE(std::to_string(a.rows) + ", " + method + ", " + to_string(p) + ", " +
                       std::to_string(at));
          const linear_system<double> s = system_of(a, 5);
          solve_options o = plain_options();
          o.method = method;
          o.preconditioner = p;
          o.restart = 11;
          o.max_iterations = 300;
          o.progress_interval = 0;
          int calls = 0;
          o.progress = [&](const solve_progress&) { return calls++ < at; };
          const auto random = random_vector(a.rows, 7);
          const std::vector<double> x0(random.begin(), random.end());
          const auto got = run(s, o, x0);
          ended += got.report.stopped == stop_reason::interrupted;
          const double after = relative(s, got.x);
          EXPECT_LE(after, relative(s, x0) * (1 + 1e-9));
          EXPECT_NEAR(got.report.residual_relative_true, after,
                      1e-6 * after + 1e-11 + rounding_of(s, got.x));
        }
  EXPECT_GT(ended, sanitized ? 10 : 60) << "a test that cannot fail";
}

// Where both residuals are over 1e308 of b, no quotient says which is smaller.
TEST_F(best_answer, is_never_worse_than_a_start_that_is_beyond_any_b) {
  const auto size_of = [](const linear_system<double>& s, const std::vector<double>& x) {
    long double sum = 0;
    for (index i = 0; i < s.a.rows; ++i) {
      long double r = s.b[static_cast<std::size_t>(i)];
      for (index k = s.a.row_ptr[static_cast<std::size_t>(i)];
           k < s.a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
        r -= static_cast<long double>(s.a.val[static_cast<std::size_t>(k)]) *
             x[static_cast<std::size_t>(s.a.col[static_cast<std::size_t>(k)])];
      sum += r * r;
    }
    return std::sqrt(sum);
  };
  int beyond = 0;
  for (const csr<double>& a : hard_matrices())
    for (const auto& method : iterative_methods())
      for (const preconditioner p :
           {preconditioner::none, preconditioner::ilu0, preconditioner::jacobi})
        for (const int most : {3, 20}) {
          linear_system<double> s = system_of(a, 3);
          for (double& b : s.b) b *= 1e-80;
          std::vector<double> x0 = random_vector(a.rows, 9);
          for (double& x : x0) x *= 1e240;
          solve_options o = plain_options();
          o.method = method.name;
          o.preconditioner = p;
          o.max_iterations = most;
          SCOPED_TRACE(std::to_string(a.rows) + ", " + method.name + ", " + to_string(p) + ", " +
                       std::to_string(most));
          solution<double> got;
          try {
            got = run(s, o, x0);
          } catch (const error&) {  // refused
            continue;
          }
          EXPECT_LE(size_of(s, got.x), size_of(s, x0) * (1 + 1e-9L));
          beyond += std::isinf(got.report.residual_relative_true);
        }
  EXPECT_GT(beyond, 10) << "a test that cannot fail";
}

TEST_F(best_answer, of_a_run_that_rose_again_is_about_the_best) {
  int went_back = 0;
  for (const csr<double>& a : hard_matrices()) {
    const linear_system<double> s = system_of(a, 3);
    solve_options o = plain_options();
    o.method = "bicgstab";
    o.rtol = 1e-14;
    o.max_iterations = 300;
    o.history = true;
    const auto got = run(s, o);
    if (got.report.stopped == stop_reason::converged) continue;
    const auto& h = got.report.history;
    const double best = *std::min_element(h.begin(), h.end()) / norm2(s.b);
    // What the iteration carries is right as long as it has not grown much.
    EXPECT_LE(relative(s, got.x), std::max(2.1 * best, 1e-6));
    went_back += h.back() > 2.1 * *std::min_element(h.begin(), h.end());
  }
  EXPECT_GT(went_back, 0) << "a test that cannot fail";
}

TEST_F(best_answer, of_cg_is_not_the_start_where_a_step_was_better) {
  int dips = 0;
  for (unsigned seed = 1; seed <= 60; ++seed) {
    // Eigenvalues and right-hand sides of all sizes: residuals rise above the start's and fall.
    const index n = 6 + static_cast<index>(seed % 23);
    const auto random = random_vector(2 * n, seed);
    std::vector<double> diagonal, weight;
    for (index i = 0; i < n; ++i) {
      diagonal.push_back(std::pow(10.0, 3.0 + 3.0 * random[static_cast<std::size_t>(i)]));
      weight.push_back(std::pow(10.0, -3.0 + 3.0 * random[static_cast<std::size_t>(n + i)]));
    }
    // A reflection of the diagonal is full: (I - v v') D (I - v v') with |v|^2 = 2.
    std::vector<double> v = random_vector(n, seed + 500);
    const double size = norm2(v) / std::sqrt(2.0);
    for (double& e : v) e /= size;
    symmetric m(n);
    linear_system<double> s{"", {}, {}};
    const auto at = [](const auto& of, index i) { return of[static_cast<std::size_t>(i)]; };
    for (index i = 0; i < n; ++i) {
      double b = 0;
      for (index k = 0; k < n; ++k) b += ((i == k) - at(v, i) * at(v, k)) * at(weight, k);
      s.b.push_back(b);
      for (index j = 0; j <= i; ++j) {
        double sum = 0;
        for (index k = 0; k < n; ++k)
          sum +=
              ((i == k) - at(v, i) * at(v, k)) * at(diagonal, k) * ((j == k) - at(v, j) * at(v, k));
        m.add(i, j, sum);
      }
    }
    s.a = m.as_is();
    solve_options o = plain_options();
    o.rtol = 1e-10;
    o.history = true;
    for (const int most : {2, 4, 7, 12}) {
      o.max_iterations = most;
      const auto got = run(s, o);
      const auto& h = got.report.history;
      const double best = *std::min_element(h.begin(), h.end());
      const double found = relative(s, got.x) * norm2(s.b);
      SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(most));
      EXPECT_NEAR(got.report.residual_relative_true, relative(s, got.x),
                  1e-6 * relative(s, got.x) + 1e-11);
      if (got.report.stopped == stop_reason::converged) continue;
      EXPECT_LE(found, h.back() > h.front() ? 1.001 * best : 1.001 * h.back());
      dips += h.back() > h.front() && best < h.front();
    }
  }
  EXPECT_GT(dips, 5) << "a test that cannot fail";
}

// The last step has no residual then: the history holds that of the x before it.
TEST_F(best_answer, of_a_run_that_breaks_down_within_a_step_has_a_whole_history) {
  int within_step = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    // Blocks of two rows, some of them indefinite, as the preconditioner then is.
    const index n = 8 + 2 * static_cast<index>(seed % 5);
    const auto random = random_vector(2 * n, seed);
    symmetric m(n);
    for (index i = 0; i < n; ++i) {
      m.add(i, i, 1);
      if (i % 2 == 1) m.add(i, i - 1, 1.2 * random[static_cast<std::size_t>(i)]);
      if (i % 2 == 0 && i > 0) m.add(i, i - 1, random[static_cast<std::size_t>(n + i)]);
    }
    const linear_system<double> s = system_of(m.as_is(), seed + 100);
    solve_options o = plain_options();
    o.method = "minres";
    o.preconditioner = preconditioner::block_jacobi;
    o.preconditioning.block_size = 2;
    o.max_iterations = 12;
    o.history = true;
    const auto got = run(s, o);
    const solve_report& r = got.report;
    if (r.stopped != stop_reason::breakdown) continue;
    SCOPED_TRACE("seed " + std::to_string(seed) + ", " + std::to_string(r.iterations));
    ASSERT_EQ(r.history.size(), static_cast<std::size_t>(r.iterations) + 1);
    const double last = r.history.back() / norm2(s.b);
    const double before = r.iterations > 0 ? r.history[r.history.size() - 2] / norm2(s.b) : 1.0;
    EXPECT_NEAR(last, before, 1e-12 * before);
    EXPECT_LE(r.residual_relative_true, 1 + 1e-12);
    EXPECT_NEAR(r.residual_relative_recursive, r.residual_relative_true, 1e-9);
    ++within_step;
  }
  EXPECT_GT(within_step, 5) << "a test that cannot fail";
}

TEST_F(best_answer, of_several_columns_is_not_worse_than_their_starts) {
  const linear_system<double> s = system_of(beam(200), 3);
  solve_options o = plain_options();
  o.max_iterations = 5;
  o.columns_at_once = 4;
  linear_solver<double> solver(place::where(), s.a.view(), o);
  std::vector<double> b, x(800, 0.0);
  for (unsigned k = 0; k < 4; ++k) {
    const auto one = random_vector(200, 20 + k);
    b.insert(b.end(), one.begin(), one.end());
  }
  const auto reports = solver.solve(std::span<const double>(b), 200, std::span<double>(x), 200, 4);
  for (std::size_t k = 0; k < 4; ++k) {
    linear_system<double> one = s;
    one.b.assign(b.begin() + static_cast<std::ptrdiff_t>(k * 200),
                 b.begin() + static_cast<std::ptrdiff_t>((k + 1) * 200));
    const std::vector<double> of(x.begin() + static_cast<std::ptrdiff_t>(k * 200),
                                 x.begin() + static_cast<std::ptrdiff_t>((k + 1) * 200));
    EXPECT_LE(relative(one, of), 1 + 1e-9);
    EXPECT_NEAR(reports[k].residual_relative_true, relative(one, of), 1e-9);
  }
}

TEST_F(best_answer, of_a_second_solve_is_the_same_where_the_method_changes) {
  symmetric m(56);
  const csr<double> grid = generate("poisson2d:8x7");
  for (index i = 0; i < 56; ++i)
    for (index k = grid.row_ptr[static_cast<std::size_t>(i)];
         k < grid.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      if (const index j = grid.col[static_cast<std::size_t>(k)]; j <= i)
        m.add(i, j, grid.val[static_cast<std::size_t>(k)] - (i == j ? 1.7 : 0.0));
  const linear_system<double> s = system_of(m.as_is(), 4);
  solve_options o = plain_options();
  o.method = "auto";
  for (const int together : {1, 2}) {
    o.columns_at_once = together;
    linear_solver<double> solver(place::where(), s.a.view(), o);
    std::vector<double> b = s.b, first(56 * 2, 0.25), second(56 * 2, 0.25);
    b.insert(b.end(), s.b.begin(), s.b.end());
    const auto solve = [&](std::vector<double>& x) {
      return solver.solve(std::span<const double>(b), 56, std::span<double>(x), 56, 2);
    };
    const auto of_first = solve(first), of_second = solve(second);
    EXPECT_EQ(of_first.back().method, "minres");
    EXPECT_EQ(of_first.back().iterations, of_second.back().iterations);
    EXPECT_TRUE(same_bits(first, second)) << together;
  }
}

TEST_F(best_answer, of_a_choice_of_amg_that_breaks_down_is_jacobis) {
  // A grid, and a path without a boundary: semidefinite, and larger than what jacobi is kept for.
  constexpr index k = 150, n = k * k;
  const csr<double> grid = generate("poisson2d:150x150");
  symmetric m(n + k);
  for (index i = 0; i < n; ++i)
    for (index at = grid.row_ptr[static_cast<std::size_t>(i)];
         at < grid.row_ptr[static_cast<std::size_t>(i) + 1]; ++at)
      if (const index j = grid.col[static_cast<std::size_t>(at)]; j <= i)
        m.add(i, j, grid.val[static_cast<std::size_t>(at)]);
  for (index i = 0; i < k; ++i) {
    m.add(n + i, n + i, i == 0 || i == k - 1 ? 1 : 2);
    if (i > 0) m.add(n + i, n + i - 1, -1);
  }
  linear_system<double> s{"", m.as_is(), {}};
  const auto x = random_vector(n + k, 8);
  s.b.resize(static_cast<std::size_t>(n + k));
  for (index i = 0; i < n + k; ++i)
    for (index at = s.a.row_ptr[static_cast<std::size_t>(i)];
         at < s.a.row_ptr[static_cast<std::size_t>(i) + 1]; ++at)
      s.b[static_cast<std::size_t>(i)] +=
          s.a.val[static_cast<std::size_t>(at)] *
          x[static_cast<std::size_t>(s.a.col[static_cast<std::size_t>(at)])];
  solve_options o = plain_options();
  o.preconditioner = preconditioner::automatic;
  o.max_iterations = 5000;
  const auto got = run(s, o);
  EXPECT_EQ(got.report.stopped, stop_reason::converged) << got.report.preconditioner_reason;
  EXPECT_LE(relative(s, got.x), 1.01e-8);
}

TEST_F(best_answer, comes_with_advice_that_fits) {
  // A cyclic shift: no step helps before the last one, and there is no diagonal.
  csr<double> shift;
  shift.rows = shift.cols = 24;
  for (index i = 0; i < 24; ++i) {
    shift.col.push_back((i + 1) % 24), shift.val.push_back(1);
    shift.row_ptr.push_back(i + 1);
  }
  linear_system<double> s{"", shift, std::vector<double>(24, 0.0)};
  s.b[0] = 1;
  solve_options o = plain_options();
  o.method = "gmres";
  o.restart = 10;
  for (const int most : {5, 25, 50}) {
    o.max_iterations = most;
    const solve_report r = run(s, o).report;
    EXPECT_TRUE(r.stagnated) << most;
    EXPECT_EQ(r.advice.find("still falls"), std::string::npos) << r.advice;
    EXPECT_EQ(r.advice.find("amg"), std::string::npos) << r.advice;
    EXPECT_EQ(r.advice.find("jacobi"), std::string::npos) << r.advice;
    EXPECT_FALSE(r.advice.empty());
  }
  // Where the residual falls that is what is said, of a matrix that may have both.
  const linear_system<double> grid = system_of(generate("poisson2d:60x60"), 2);
  solve_options few = plain_options();
  few.max_iterations = 120;
  const solve_report r = run(grid, few).report;
  EXPECT_NE(r.advice.find("still falls"), std::string::npos) << r.advice;
  EXPECT_NE(r.advice.find("jacobi, amg"), std::string::npos) << r.advice;
  few.max_iterations = 0;  // nothing is known of what would follow
  const solve_report none = run(grid, few).report;
  EXPECT_EQ(none.advice.find("falls"), std::string::npos) << none.advice;
  EXPECT_NE(none.advice.find("more iterations"), std::string::npos) << none.advice;
}

TEST_F(best_answer, is_refused_where_blocks_cannot_be_definite) {
  symmetric m(1);
  m.add(0, 0, -3);
  const linear_system<double> s{"", m.as_is(), {1}};
  solve_options o = plain_options();
  o.method = "auto";
  o.preconditioner = preconditioner::jacobi;
  EXPECT_EQ(run(s, o).report.stopped, stop_reason::converged);
  o.preconditioner = preconditioner::block_jacobi;
  EXPECT_THROW(run(s, o), input_error);
}

/// What is told to go on beyond the digits of x ends at the limit of rounding, however its
/// recursion ends: the matrix is definite, and "converged" is an answer that nothing more can be
/// said of.
TEST_F(best_answer, a_tolerance_of_zero_ends_at_the_limit_of_rounding) {
  int at_limit = 0;
  for (unsigned seed = 1; seed <= 12; ++seed) {
    splitmix64 random(seed);
    const auto n = static_cast<index>(2 + random.below(120));
    symmetric pattern(n);
    for (index i = 0; i < n; ++i) {
      if (i + 1 < n) pattern.add(i, i + 1, random.uniform());
      const index far = random.below(n);
      if (far != i) pattern.add(i, far, random.uniform());
    }
    const linear_system<double> s = system_of(pattern.dominant([](index) { return 0.3; }), seed);
    for (const char* method : {"cg", "minres", "bicgstab", "gmres", "auto"})
      for (const preconditioner p :
           {preconditioner::none, preconditioner::jacobi, preconditioner::automatic}) {
        SCOPED_TRACE(method + std::string(" ") + to_string(p) + " " + std::to_string(seed));
        solve_options o = plain_options();
        o.method = method;
        o.preconditioner = p;
        o.rtol = 0.0;
        o.max_iterations = 3000;
        const auto got = run(s, o);
        const solve_report& r = got.report;
        EXPECT_NE(r.stopped, stop_reason::breakdown) << r.advice;
        EXPECT_FALSE(r.stopped == stop_reason::converged && r.target_missed);
        EXPECT_EQ(r.advice.find("not positive definite"), std::string::npos) << r.advice;
        EXPECT_LE(relative(s, got.x), 1e-13);
        at_limit += r.stopped == stop_reason::accuracy_limit;
      }
  }
  EXPECT_GT(at_limit, 0);
}

}  // namespace
}  // namespace dwell::test
