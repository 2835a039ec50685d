// SPDX-License-Identifier: MIT
// Preconditioner "auto" on a CPU: the pace of a residual, the search by a model of costs, and what
// solves make of it: never a failure where one of those that it knows converges, and every time the
// same.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "battery.hpp"
#include "cg_runner.hpp"
#include "dwell/datasets/generators.hpp"
#include "dwell/linear/linear_solver.hpp"
#include "dwell/linear/solve.hpp"
#include "dwell/solvers/linear/check/triangles.hpp"
#include "dwell/solvers/linear/choose/preconditioner_search.hpp"
#include "symmetric.hpp"

namespace dwell::test {
namespace {

constexpr preconditioner all_known[] = {preconditioner::jacobi, preconditioner::fsai,
                                        preconditioner::block_jacobi, preconditioner::amg};

/// Residuals that fall by a factor a step, with some noise of a seed.
residual_pace paced(double factor, int steps, double target, double prior, std::uint64_t seed = 0) {
  residual_pace pace(target, prior);
  splitmix64 random(seed);
  double norm = 1;
  for (int k = 0; k <= steps; ++k, norm *= factor) {
    const double noise = seed ? std::exp(0.5 * random.uniform()) : 1.0;
    pace.note(norm * norm * noise * noise);
  }
  return pace;
}

TEST(residual_pace, counts_what_is_left) {
  for (const double factor : {0.9, 0.97, 0.995}) {
    const int whole = static_cast<int>(std::log(1e-8) / std::log(factor));
    const int done = whole / 3;
    EXPECT_NEAR(paced(factor, done, 1e-8, 1e9).left(), whole - done, 1.01);
    for (std::uint64_t seed = 1; seed < 6; ++seed)
      EXPECT_NEAR(paced(factor, done, 1e-8, 1e9, seed).left(), whole - done, 0.5 * whole)
          << factor << " " << seed;
  }
  EXPECT_EQ(paced(0.5, 40, 1e-8, 100).left(), 0.0) << "it is there";
}

TEST(residual_pace, expects_as_many_as_were_done_where_nothing_falls) {
  EXPECT_EQ(paced(1.0, 50, 1e-8, 10).left(), 50.0);
  EXPECT_FALSE(paced(1.0, 50, 1e-8, 10).falls());
  EXPECT_TRUE(paced(0.9, 50, 1e-8, 10).falls());
  EXPECT_EQ(paced(1.01, 50, 1e-8, 1000).left(), 1950.0) << "twice the expected, if that is more";
  // A line that would need far more than was seen is as good as none.
  EXPECT_FALSE(paced(0.99, 50, 1e-8, 10).falls());
  EXPECT_TRUE(paced(0.99, 400, 1e-8, 10).falls());
}

TEST(residual_pace, rests_where_no_third_halves_it) {
  EXPECT_TRUE(paced(1.0, 300, 1e-8, 10).rests(300));
  EXPECT_FALSE(paced(1.0, 299, 1e-8, 10).rests(300));
  EXPECT_FALSE(paced(0.99, 300, 1e-8, 10).rests(300));
  EXPECT_TRUE(paced(0.9999, 300, 1e-8, 10).rests(300));
}

searched_system mesh_of(double rows, double per_row = 5.0, double positive = 0.0) {
  return {rows, rows * per_row, positive, 1};
}
preconditioner_search search_of(const searched_system& s) {
  return {{preconditioner::jacobi, preconditioner::amg, preconditioner::fsai,
           preconditioner::block_jacobi},
          s};
}

TEST(preconditioner_search, leaves_what_is_projected_to_take_longer) {
  const searched_system s = mesh_of(1e6);
  preconditioner_search search = search_of(s);
  search.enter(preconditioner::jacobi);
  // Two thousand iterations.
  const auto slow = search.better_than(preconditioner::jacobi, paced(0.991, 60, 1e-8, 1800), 10000);
  ASSERT_TRUE(slow);
  EXPECT_EQ(slow->to, preconditioner::amg);
  EXPECT_NE(slow->why.find("after 60 iterations with jacobi"), std::string::npos) << slow->why;
  EXPECT_FALSE(search.better_than(preconditioner::jacobi, paced(0.9, 60, 1e-8, 1800), 10000));
  EXPECT_FALSE(search.better_than(preconditioner::jacobi, paced(0.991, 3, 1e-8, 1800), 10000))
      << "too early";
  search.enter(preconditioner::amg);
  EXPECT_FALSE(search.better_than(preconditioner::amg, paced(0.4, 10, 1e-8, 1800), 10000));
  // Multigrid that is of no use: jacobi's pace is known.
  const auto back = search.better_than(preconditioner::amg, paced(0.9995, 300, 1e-8, 1800), 10000);
  ASSERT_TRUE(back);
  EXPECT_NE(back->to, preconditioner::amg);
}

TEST(preconditioner_search, a_matrix_that_is_nearly_triangular_has_its_factors) {
  searched_system s = mesh_of(4e4);
  const std::vector<preconditioner> all = {preconditioner::jacobi, preconditioner::block_jacobi,
                                           preconditioner::ilu0, preconditioner::aggregation};
  const residual_pace slow = paced(0.98, 40, 1e-8, 800);
  for (const double part : {0.0, 0.02, 0.1, 0.3, 0.5}) {
    s.lighter_triangle = part;
    preconditioner_search search(all, s);
    search.enter(preconditioner::jacobi);
    const auto better = search.better_than(preconditioner::jacobi, slow, 10000);
    ASSERT_TRUE(better);
    EXPECT_EQ(better->to, part < 0.2 ? preconditioner::ilu0 : preconditioner::aggregation) << part;
  }
}

/// Where multigrid is not among those that are allowed.
TEST(preconditioner_search, factors_are_for_what_multigrid_is_not_for) {
  const searched_system s = mesh_of(2000, 7.0, 0.5);
  std::vector<preconditioner> all = {preconditioner::jacobi, preconditioner::block_jacobi,
                                     preconditioner::ilu0};
  const residual_pace slow = paced(0.95, 80, 1e-8, 100), quick = paced(0.8, 40, 1e-8, 100);
  for (const bool multigrid : {false, true}) {
    preconditioner_search search(all, s);
    EXPECT_TRUE(search.compares());
    search.enter(preconditioner::jacobi);
    const auto better = search.better_than(preconditioner::jacobi, slow, 10000);
    ASSERT_TRUE(better);
    EXPECT_EQ(better->to, multigrid ? preconditioner::aggregation : preconditioner::ilu0);
    EXPECT_FALSE(search.better_than(preconditioner::jacobi, quick, 10000));
    all.push_back(preconditioner::aggregation);
  }
  EXPECT_FALSE(
      preconditioner_search({preconditioner::jacobi, preconditioner::block_jacobi}, s).compares());
}

/// Beside sums over all elements; rows may be multiplied by anything.
TEST(part_in_lighter_triangle, is_that_of_the_lighter_triangle) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    const auto n = static_cast<index>(1 + random() % 40);
    std::vector<index> row_ptr = {0}, col;
    std::vector<double> val;
    double lower = 0, upper = 0;
    for (index i = 0; i < n; ++i) {
      double below = 0, above = 0;
      const double scale = std::ldexp(1.0, static_cast<int>(random() % 200) - 100);
      for (index j = 0; j < n; ++j) {
        if (random() % 3 != 0 && i != j) continue;
        const double v = static_cast<double>(random() % 1000) - 500.0;
        col.push_back(j), val.push_back(v * scale);
        if (j < i) below += std::abs(v);
        if (j > i) above += std::abs(v);
      }
      row_ptr.push_back(static_cast<index>(col.size()));
      if (below + above > 0) lower += below / (below + above), upper += above / (below + above);
    }
    large_csr_arrays<double> a;
    a.rows = n, a.nonzeros = static_cast<index>(col.size());
    a.row_ptr = row_ptr.data(), a.col = col.data(), a.val = val.data();
    const double expected = lower + upper > 0 ? std::min(lower, upper) / (lower + upper) : 0.5;
    EXPECT_NEAR(part_in_lighter_triangle(a), expected, 1e-12) << round;
  }
}

/// One of every few rows is unlike the others, and there are more rows than are looked at.
TEST(part_in_lighter_triangle, is_misled_by_no_period_of_the_rows) {
  std::mt19937 random(8);
  const auto below = [&](index n) {
    return static_cast<index>(random() % static_cast<unsigned>(n));
  };
  for (int round = 0; round < 40; ++round) {
    const index period = 2 + round % 8, first = below(period);
    const index n = (1 << 16) * (1 + below(8)) + below(1000);
    const double other = round % 2 ? 1.0 : 0.05, usual = round % 2 ? 0.05 : 1.0;
    std::vector<index> row_ptr = {0}, col;
    std::vector<double> val;
    double lower = 0;  // rows with a part in both triangles
    for (index i = 0; i < n; ++i) {
      const double left = i % period == first ? other : usual;
      if (i > 0) col.push_back(i - 1), val.push_back(left);
      if (i + 1 < n) col.push_back(i + 1), val.push_back(1.0);
      row_ptr.push_back(static_cast<index>(col.size()));
      if (i > 0 && i + 1 < n) lower += left / (left + 1.0);
    }
    large_csr_arrays<double> a;
    a.rows = n, a.nonzeros = static_cast<index>(col.size());
    a.row_ptr = row_ptr.data(), a.col = col.data(), a.val = val.data();
    EXPECT_NEAR(part_in_lighter_triangle(a), lower / n, 0.01)
        << n << " rows, " << period << ", from " << first;
  }
}

TEST(preconditioner_search, does_not_go_to_and_fro) {
  preconditioner_search search = search_of(mesh_of(1e5));
  preconditioner now = preconditioner::jacobi;
  int runs = 1;
  for (search.enter(now); runs < 100; ++runs) {
    const auto better = search.better_than(now, paced(1.0, 5000, 1e-8, 100), 5000);
    if (!better) break;
    now = better->to;
    search.enter(now);
  }
  EXPECT_LE(runs, 8) << "each of four twice";
}

TEST(preconditioner_search, tries_all_where_one_after_another_fails) {
  preconditioner_search search = search_of(mesh_of(1000));
  std::vector<preconditioner> tried;
  for (std::optional<preconditioner> now = preconditioner::jacobi; now;
       now = search.after_failure(*now)) {
    tried.push_back(*now);
    search.enter(*now);
  }
  ASSERT_EQ(tried.size(), 4u);
  for (const preconditioner p : all_known)
    EXPECT_EQ(std::count(tried.begin(), tried.end(), p), 1) << to_string(p);
  EXPECT_FALSE(search.open());
  preconditioner_search none;
  EXPECT_FALSE(none.open());
  EXPECT_FALSE(none.after_failure(preconditioner::jacobi));
}

TEST(preconditioner_search, one_that_misses_the_limit_is_left) {
  preconditioner_search search = search_of(mesh_of(3000, 30, 1.0));
  search.enter(preconditioner::jacobi);
  EXPECT_FALSE(search.better_than(preconditioner::jacobi, paced(0.98, 300, 1e-8, 100), 10000));
  const residual_pace slow = paced(0.999, 4000, 1e-8, 100);  // 14,000 more
  EXPECT_FALSE(search.better_than(preconditioner::jacobi, slow, 60000)) << "there is time";
  const auto other = search.better_than(preconditioner::jacobi, slow, 6000);
  ASSERT_TRUE(other);
  EXPECT_NE(other->to, preconditioner::jacobi);
  // What is left is a guess: half of the limit is waited for.
  const residual_pace flat = paced(1.0, 2000, 1e-8, 100);
  EXPECT_FALSE(search.better_than(preconditioner::jacobi, flat, 4000));
  EXPECT_TRUE(search.better_than(preconditioner::jacobi, flat, 1900));
}

// Solves ------------------------------------------------------------------------------------------

/// A random symmetric positive definite matrix of one of several kinds.
csr<double> random_system(std::uint64_t seed) {
  splitmix64 random(seed);
  const auto size = [&](index least, index more) { return least + random.below(more); };
  switch (seed % 8) {
    case 0:
      return mesh(size(5, 60), size(5, 60));
    case 1:
      return generate("anisotropic2d:" + std::to_string(size(10, 50)) + "x" +
                      std::to_string(size(10, 50)) + ":1e-3");
    case 2:
      return generate("jumps2d:" + std::to_string(size(60, 40)) + "x" +
                      std::to_string(size(60, 40)) + ":1e6");
    case 3:
      return generate("elasticity2d:" + std::to_string(size(4, 16)) + "x" +
                      std::to_string(size(4, 16)) + ":0.45");
    case 4:
      return tridiagonal(size(100, 3000), 2.0, -1.0);
    case 5: {  // a weighted graph, whose weights range over six decades, and a little on the
               // diagonal
      const index n = size(50, 800);
      symmetric g(n);
      std::vector<double> sum(static_cast<std::size_t>(n), 1e-6);
      for (index i = 1; i < n; ++i)
        for (int k = 0; k < 3; ++k) {
          const index j = random.below(i);
          const double w = std::pow(10.0, 3.0 * random.uniform());
          g.add(i, j, -w);
          sum[static_cast<std::size_t>(i)] += w, sum[static_cast<std::size_t>(j)] += w;
        }
      for (index i = 0; i < n; ++i) g.add(i, i, sum[static_cast<std::size_t>(i)]);
      return g.as_is();
    }
    case 6: {  // blocks of three strongly coupled unknowns, in units that differ
      const index nodes = size(20, 300);
      symmetric g(3 * nodes);
      for (index i = 0; i < 3 * nodes; ++i) {
        const double u = std::pow(10.0, 2.0 * (i % 3));
        g.add(i, i, 4.0 * u * u);
        if (i % 3) g.add(i, i - 1, -1.9 * u * (u / 100.0));
        if (i >= 3) g.add(i, i - 3, -1.0 * u * u);
      }
      return g.as_is();
    }
    default: {  // sizes of rows over twelve decades
      csr<double> a = mesh(size(5, 30), size(5, 30));
      std::vector<double> d(static_cast<std::size_t>(a.rows));
      for (double& v : d) v = std::pow(10.0, 3.0 * random.uniform());
      for (index i = 0; i < a.rows; ++i)
        for (index k = a.row_ptr[static_cast<std::size_t>(i)];
             k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
          a.val[static_cast<std::size_t>(k)] *=
              d[static_cast<std::size_t>(i)] *
              d[static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)])];
      return a;
    }
  }
}

struct solved {
  solve_report report;
  std::vector<double> x;
};
solved solve_on_cpu(const csr<double>& a, const std::vector<double>& b, const solve_options& o,
                    int threads) {
  solved out;
  out.x.assign(b.size(), 0.0);
  out.report = solve(device::cpu(threads), a.view(), std::span<const double>(b),
                     std::span<double>(out.x), o);
  return out;
}

class automatic_preconditioner : public testing::TestWithParam<int> {};

TEST_P(automatic_preconditioner, converges_where_one_of_them_does) {
  const auto seed = static_cast<std::uint64_t>(GetParam());
  splitmix64 random(1000 + seed);
  const csr<double> a = random_system(seed);
  const std::vector<double> b = random_vector(a.rows, seed);
  solve_options o;
  o.max_iterations = 20000;
  o.rtol = std::pow(10.0, -6.0 - 4.0 * std::abs(random.uniform()));
  const int threads = 1 + static_cast<int>(seed % 3);
  EXPECT_EQ(o.preconditioner, preconditioner::automatic) << "the default";
  const solved found = solve_on_cpu(a, b, o, threads);
  const solve_report& r = found.report;
  bool one_converged = false;
  for (const preconditioner p : all_known) {
    o.preconditioner = p;
    try {
      one_converged =
          one_converged || solve_on_cpu(a, b, o, threads).report.stopped == stop_reason::converged;
    } catch (const error&) {  // not for this matrix
    }
  }
  if (one_converged) {
    EXPECT_EQ(r.stopped, stop_reason::converged) << r.preconditioner_reason;
    EXPECT_LE(r.residual_relative_true, o.rtol);
    EXPECT_LE(residual_norm(a.view(), std::span<const double>(b), std::span<const double>(found.x)),
              1.01 * o.rtol * r.rhs_norm);
  }
  ASSERT_FALSE(r.attempts.empty());
  int iterations = 0;
  for (const solve_attempt& one : r.attempts) {
    iterations += one.iterations;
    EXPECT_EQ(one.method, "cg");
    EXPECT_FALSE(one.ended.empty());
  }
  EXPECT_EQ(iterations, r.iterations);
  EXPECT_EQ(r.attempts.back().preconditioner, r.preconditioner);
  // No clock has a say.
  o.preconditioner = preconditioner::automatic;
  const solved again = solve_on_cpu(a, b, o, threads);
  EXPECT_EQ(again.report.iterations, r.iterations);
  EXPECT_EQ(again.report.preconditioner_reason, r.preconditioner_reason);
  EXPECT_TRUE(same_bits(again.x, found.x));
}
INSTANTIATE_TEST_SUITE_P(seeds, automatic_preconditioner, testing::Range(0, 40));

TEST(automatic_choice, is_multigrid_for_a_chain) {
  const csr<double> a = tridiagonal(10000, 2.0, -1.0);
  const solve_report r = solve_on_cpu(a, random_vector(a.rows, 1), {}, 1).report;
  EXPECT_EQ(r.stopped, stop_reason::converged);
  EXPECT_EQ(r.preconditioner, preconditioner::amg) << r.preconditioner_reason;
  ASSERT_EQ(r.attempts.size(), 2u);
  EXPECT_EQ(r.attempts.front().preconditioner, preconditioner::jacobi);
  EXPECT_EQ(r.attempts.front().ended, r.preconditioner_reason);
  EXPECT_LT(r.attempts.front().iterations, 2000);
  EXPECT_GT(r.attempts.back().setup_s, 0.0);
}

/// Anisotropy at 45 degrees: 9 points, positive ones beside the diagonal.
TEST(automatic_choice, is_multigrid_for_a_rotated_anisotropy) {
  constexpr index n = 300;
  symmetric g(n * n);
  const double c = 0.5 * (1 + 1e-2), s = 0.5 * (1 - 1e-2);
  for (index y = 0; y < n; ++y)
    for (index x = 0; x < n; ++x) {
      const index i = y * n + x;
      g.add(i, i, 4 * c);
      if (x > 0) g.add(i, i - 1, -c);
      if (y > 0) g.add(i, i - n, -c);
      if (x > 0 && y > 0) g.add(i, i - n - 1, -0.5 * s);
      if (x + 1 < n && y > 0) g.add(i, i - n + 1, 0.5 * s);
    }
  const csr<double> a = g.as_is();
  const solve_report r = solve_on_cpu(a, random_vector(a.rows, 1), {}, 1).report;
  EXPECT_EQ(r.stopped, stop_reason::converged);
  EXPECT_EQ(r.preconditioner, preconditioner::amg) << r.preconditioner_reason;
}

TEST(automatic_choice, leaves_small_and_simple_systems_to_jacobi) {
  for (const csr<double>& a :
       {tridiagonal(1, 1.0, 0.0), tridiagonal(5000, 1.0, 0.0), mesh(30, 20)}) {
    solve_options o;
    const std::vector<double> b = random_vector(a.rows, 2);
    const solved found = solve_on_cpu(a, b, o, 1);
    EXPECT_EQ(found.report.stopped, stop_reason::converged);
    EXPECT_EQ(found.report.attempts.size(), 1u);
    EXPECT_EQ(found.report.setup.preconditioner_s, 0.0);
    o.preconditioner = preconditioner::jacobi;
    EXPECT_TRUE(same_bits(found.x, solve_on_cpu(a, b, o, 1).x));
  }
}

/// Convection and diffusion, unknowns counted with either sign, so that multigrid is not for it.
csr<double> convection_of_either_sign(std::uint64_t seed) {
  csr<double> a = generate("convection2d:60x60:1");
  splitmix64 random(seed);
  std::vector<double> sign(static_cast<std::size_t>(a.rows));
  for (double& v : sign) v = random.uniform() < 0 ? -1.0 : 1.0;
  for (index i = 0; i < a.rows; ++i)
    for (index k = a.row_ptr[static_cast<std::size_t>(i)];
         k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k)
      a.val[static_cast<std::size_t>(k)] *=
          sign[static_cast<std::size_t>(i)] *
          sign[static_cast<std::size_t>(a.col[static_cast<std::size_t>(k)])];
  return a;
}

TEST(automatic_choice, is_ilu0_of_a_slow_matrix_that_is_not_multigrids) {
  const csr<double> a = convection_of_either_sign(3);
  solve_options o;
  o.method = "auto";
  const solve_report r = solve_on_cpu(a, random_vector(a.rows, 1), o, 1).report;
  EXPECT_EQ(r.stopped, stop_reason::converged);
  EXPECT_EQ(r.method, "bicgstab");
  EXPECT_EQ(r.preconditioner, preconditioner::ilu0) << r.preconditioner_reason;
  EXPECT_EQ(r.attempts.size(), 2u);
}

/// A block whose second pivot is zero: the factors are refused, and what was left goes on.
TEST(automatic_choice, goes_on_where_a_set_up_is_refused) {
  csr<double> a = convection_of_either_sign(4);
  const index n = a.rows;
  const double block[3][3] = {{1, 1, 0.5}, {1, 1, 0}, {0.5, 0, 1}};
  for (index i = 0; i < 3; ++i) {
    for (index j = 0; j < 3; ++j)
      if (block[i][j] != 0) a.col.push_back(n + j), a.val.push_back(block[i][j]);
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  a.rows = a.cols = n + 3;
  solve_options o;
  o.method = "auto";
  o.preconditioner = preconditioner::ilu0;
  const std::vector<double> b = random_vector(a.rows, 1);
  EXPECT_THROW(solve_on_cpu(a, b, o, 1), error) << "the factors are not refused";
  o.preconditioner = preconditioner::automatic;
  const solve_report r = solve_on_cpu(a, b, o, 1).report;
  EXPECT_EQ(r.stopped, stop_reason::converged);
  ASSERT_GT(r.attempts.size(), 1u);
  EXPECT_EQ(r.attempts[1].preconditioner, preconditioner::jacobi);
  EXPECT_NE(r.attempts[0].ended.find("with ilu0"), std::string::npos) << r.attempts[0].ended;
}

/// An interrupt of the caller's is none of the judge's.
TEST(automatic_choice, is_interrupted_by_progress) {
  const csr<double> a = generate("poisson2d:150x150");
  solve_options o;
  o.progress_interval = 0;
  o.progress = [](const solve_progress& p) { return p.iteration < 10; };
  const solve_report r = solve_on_cpu(a, random_vector(a.rows, 2), o, 2).report;
  EXPECT_EQ(r.stopped, stop_reason::interrupted);
}

/// Fixed iterations, a variant without sequences, and the limit of iterations.
TEST(automatic_choice, keeps_to_what_is_asked) {
  const csr<double> a = generate("anisotropic2d:150x150:1e-3");
  const std::vector<double> b = random_vector(a.rows, 2);
  solve_options o;
  o.max_iterations = 17;  // fewer than any preconditioner needs
  EXPECT_EQ(solve_on_cpu(a, b, o, 1).report.iterations, 17);
  o.fixed_iterations = true;
  EXPECT_EQ(solve_on_cpu(a, b, o, 1).report.iterations, 17);
  o = {};
  o.variant = "textbook";
  EXPECT_EQ(solve_on_cpu(a, b, o, 1).report.preconditioner, preconditioner::jacobi);
}

/// The second solve begins as the first did; of several right-hand sides the first one decides.
TEST(automatic_choice, is_the_same_for_every_solve) {
  const csr<double> a = tridiagonal(10000, 2.0, -1.0);
  const std::vector<double> b = random_vector(a.rows, 2);
  const auto n = static_cast<std::size_t>(a.rows);
  linear_solver<double> solver(device::cpu(1), a.view(), {});
  std::vector<double> x(n), y(n), z(3 * n);
  const solve_report first = solver.solve(b, x), second = solver.solve(b, y);
  EXPECT_EQ(first.preconditioner, preconditioner::amg) << first.preconditioner_reason;
  EXPECT_TRUE(same_bits(x, y));
  EXPECT_EQ(second.setup.preconditioner_s, 0.0) << "it was kept";
  std::vector<double> three(b);
  for (int k = 0; k < 2; ++k) three.insert(three.end(), b.begin(), b.end());
  const auto reports = solver.solve(std::span<const double>(three), n, std::span<double>(z), n, 3);
  for (const solve_report& r : reports) {
    EXPECT_EQ(r.stopped, stop_reason::converged);
    EXPECT_EQ(r.preconditioner, preconditioner::amg);
  }
  EXPECT_EQ(reports.back().attempts.size(), 1u) << "the others begin with what the first one found";
}

}  // namespace
}  // namespace dwell::test
