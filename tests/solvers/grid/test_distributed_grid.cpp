// SPDX-License-Identifier: MIT
// Grids that are divided among ranks have the bits of one rank: sizes, conditions, coefficients,
// methods, cycles, threads; against the matrix where sums of coarse operators are in another order.
// They end together, and refuse alike.
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <atomic>
#include <cmath>
#include <mutex>
#include <numeric>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/grid/distributed_grid_solver.hpp"
#include "grid_answers.hpp"
#include "grid_problem.hpp"
#include "sanitized.hpp"

namespace dwell {
namespace {

using testing::dense_of;
using testing::grid_problem;
using testing::random_grid_problem;
using testing::random_values;

template <class T>
struct divided_answer {
  std::vector<T> u;
  distributed_grid_report report;
};

/// The system solved by so many ranks, of which rank 0 has all arrays at first.
template <class T>
divided_answer<T> solve_divided(const grid_description<T>& d, const std::vector<T>& f,
                                const std::vector<T>& start, const grid_options& o, int ranks,
                                int threads, const grid_division& division, bool algebraic = false) {
  divided_answer<T> got;
  std::mutex guard;
  run_as_ranks(ranks, [&](std::shared_ptr<communicator> comm) {
    grid_description<T> given = d;
    if (comm->rank() != 0) {
      given.k_cells = given.s_cells = {};
      given.k_faces = {};
      for (auto& axis : given.boundary.sides)
        for (grid_side& side : axis) side.values.clear();
    }
    const grid_part<T> part(*comm, given, division);
    distributed_grid_solver<T> solver(device::cpu(threads), comm, part.d, o, division);
    const std::vector<T> mine = solver.scatter(comm->rank() ? std::vector<T>() : f);
    std::vector<T> u = solver.scatter(comm->rank() ? std::vector<T>() : start);
    EXPECT_EQ(mine.size(), solver.rows());
    const distributed_grid_report r =
        algebraic ? solver.solve_algebraic(mine, u) : solver.solve(mine, u);
    std::vector<T> whole = solver.gather(u);
    const std::lock_guard lock(guard);
    EXPECT_EQ(r.ranks.size(), std::size_t(ranks));
    if (comm->rank() == 0) got = {std::move(whole), r};
  });
  return got;
}

/// How often levels were divided, over all tests of a kind: not never.
struct seen_levels {
  std::set<int> divided;
};

/// A random problem of `ranks` ranks against one rank; false if it cannot be divided so.
template <class T>
bool expect_divided(unsigned seed, int most, double jump, grid_options o, seen_levels& seen) {
  std::mt19937 random(seed + 1000);
  grid_problem<T> p;
  random_grid_problem(seed, most, jump, p);
  if (p.d.cells.size() == 1) return false;
  const int planes = p.d.cells[0];
  const bool ring = p.d.boundary.sides[0][0].kind == boundary_kind::periodic;
  const int most_ranks = ring && planes % 2 ? planes : planes / 2;
  if (most_ranks < 2) return false;
  const int ranks = 2 + int(random() % unsigned(std::min(4, most_ranks - 1)));
  const int threads = 1 + int(random() % 2);
  const grid_division division{random() % 4 ? std::size_t(1) : std::size_t(300)};
  SCOPED_TRACE(p.says + ", ranks " + std::to_string(ranks) + ", " + o.method + ", " +
               o.preconditioner + ", " + o.cycle + ", " + o.coarse +
               (o.full_multigrid ? ", full" : ""));
  o.rtol = sizeof(T) == 8 ? 1e-9 : 1e-5;
  o.history = true;
  o.max_iterations = 3000;
  grid_solver<T> one(device::cpu(1), p.d, o);
  const std::vector<T> f = random_values<T>(one.rows(), seed);
  const std::vector<T> start = random_values<T>(one.rows(), seed + 1);
  std::vector<T> want = start;
  const bool algebraic = random() % 3 == 0;
  const grid_report r = algebraic ? one.solve_algebraic(f, want) : one.solve(f, want);
  const divided_answer<T> got =
      solve_divided(p.d, f, start, o, ranks, threads, division, algebraic);
  const grid_report& s = got.report.solve;
  seen.divided.insert(got.report.divided_levels);
  EXPECT_EQ(s.stopped, r.stopped);
  EXPECT_EQ(s.null_space, r.null_space);
  EXPECT_EQ(s.levels.size(), r.levels.size());
  for (std::size_t n = 0; n < std::min(s.levels.size(), r.levels.size()); ++n)
    EXPECT_EQ(s.levels[n].cells, r.levels[n].cells);
  EXPECT_EQ(s.cycle, r.cycle);
  EXPECT_EQ(s.rhs_norm, r.rhs_norm);
  // Where planes are a ring and coefficients vary, coarse operators are rounded otherwise.
  const bool varies = !p.d.k_cells.empty() || !p.d.s_cells.empty() || !p.d.k_faces[0].empty() ||
                      !p.d.k_faces[1].empty() || !p.d.k_faces[2].empty();
  if (!(ring && varies && got.report.divided_levels > 0)) {
    EXPECT_EQ(s.iterations, r.iterations);
    EXPECT_EQ(s.history, r.history);
    EXPECT_EQ(got.u, want);
    EXPECT_EQ(s.residual_relative_true, r.residual_relative_true);
    return !::testing::Test::HasFailure();
  }
  EXPECT_NEAR(s.iterations, r.iterations, 1);
  if (s.stopped == stop_reason::converged) {
    EXPECT_LE(s.residual_relative_true, o.rtol);
  }
  // The true residual of the whole answer, by the matrix.
  const csr<T> a = grid_operator<T>(device::cpu(1), p.d).to_matrix();
  std::vector<T> b = f;
  if (!algebraic) grid_operator<T>(device::cpu(1), p.d).rhs(f, b);
  double mean = 0, norm = 0, residual = 0;
  if (one.singular()) mean = std::accumulate(b.begin(), b.end(), 0.0) / double(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    double sum = double(b[i]) - mean;
    norm += sum * sum;
    for (index e = a.row_ptr[i]; e < a.row_ptr[i + 1]; ++e)
      sum -= double(a.val[std::size_t(e)]) * double(got.u[std::size_t(a.col[std::size_t(e)])]);
    residual += sum * sum;
  }
  EXPECT_NEAR(std::sqrt(residual / norm), s.residual_relative_true,
              0.05 * s.residual_relative_true + (sizeof(T) == 8 ? 1e-12 : 1e-5));
  return !::testing::Test::HasFailure();
}

template <class T>
void expect_many(unsigned first, int count, int most, double jump, const grid_options& o,
                 seen_levels& seen) {
  for (int k = 0, done = 0; done < test::rounds(count) && k < 20 * count; ++k) {
    done += expect_divided<T>(first + unsigned(k), most, jump, o, seen);
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(DistributedGrid, HasTheBitsOfOneRank) {
  seen_levels seen;
  expect_many<double>(1, 120, 60, 3, {}, seen);
  expect_many<double>(1001, 60, 60, 100, {}, seen);
  expect_many<float>(2001, 40, 40, 3, {}, seen);
  EXPECT_GE(seen.divided.size(), 3u);  // none, one and more levels were
}

TEST(DistributedGrid, WithEveryMethodAndCycle) {
  seen_levels seen;
  for (const char* method : {"multigrid", "minres", "bicgstab", "chebyshev", "jacobi"}) {
    grid_options o;
    o.method = method;
    expect_many<double>(3001, 12, 30, 3, o, seen);
  }
  for (const char* preconditioner : {"jacobi", "none"}) {
    grid_options o;
    o.preconditioner = preconditioner;
    expect_many<double>(4001, 12, 30, 10, o, seen);
  }
  grid_options o;
  o.cycle = "w";
  expect_many<double>(5001, 25, 60, 10, o, seen);
  o.full_multigrid = true;
  expect_many<double>(6001, 25, 60, 10, o, seen);
  o.cycle = "v";
  o.coarse = "galerkin";
  expect_many<double>(7001, 15, 40, 100, o, seen);
}

}  // namespace
}  // namespace dwell
