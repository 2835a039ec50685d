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
#include "dwell/solvers/grid/axis_order.hpp"
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
                                int threads, const grid_division& division,
                                bool algebraic = false) {
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
  int as_alone = 0, in_another_order = 0;  ///< than grid_solver's
  int turned = 0;                          ///< within their planes
};

/// A random problem of some ranks, of one axis of one rank, against one rank, and against
/// grid_solver where that has axes in the same order; false if it was not divided.
template <class T>
bool expect_divided(unsigned seed, int most, double jump, grid_options o, seen_levels& seen) {
  std::mt19937 random(seed + 1000);
  grid_problem<T> p;
  random_grid_problem(seed, most, jump, p);
  const bool line = p.d.cells.size() == 1;
  const int planes = p.d.cells[0];
  const bool ring = p.d.boundary.sides[0][0].kind == boundary_kind::periodic;
  const int most_ranks = ring && planes % 2 ? planes : planes / 2;
  if (most_ranks < 2 && !line) return false;
  const int ranks = line ? 1 : 2 + int(random() % unsigned(std::min(4, most_ranks - 1)));
  const int threads = 1 + int(random() % 2);
  const grid_division division{random() % 4 ? std::size_t(1) : std::size_t(300)};
  SCOPED_TRACE(p.says + ", ranks " + std::to_string(ranks) + ", " + o.method + ", " +
               o.preconditioner + ", " + o.cycle + ", " + o.coarse +
               (o.full_multigrid ? ", full" : ""));
  o.rtol = sizeof(T) == 8 ? 1e-9 : 1e-5;
  o.history = true;
  o.max_iterations = 3000;
  const std::vector<T> f = random_values<T>(p.cells(), seed);
  const std::vector<T> start = random_values<T>(f.size(), seed + 1);
  const bool algebraic = random() % 3 == 0;
  const divided_answer<T> one = solve_divided(p.d, f, start, o, 1, 1, division, algebraic);
  const std::vector<T>& want = one.u;
  const grid_report& r = one.report.solve;
  const grids::axis_order order(p.d.cells, grids::reordering::planes_stay);
  const bool same_order = grids::axis_order(p.d.cells, grids::reordering::any) == order;
  (same_order ? seen.as_alone : seen.in_another_order) += 1;
  if (!line && order.inside(p.d.cells.size() - 1) != grids::x_axis) ++seen.turned;
  if (same_order) {
    grid_solver<T> alone(device::cpu(1), p.d, o);
    std::vector<T> of_alone = start;
    const grid_report s = algebraic ? alone.solve_algebraic(f, of_alone) : alone.solve(f, of_alone);
    EXPECT_EQ(of_alone, want);
    EXPECT_EQ(s.history, r.history);
  }
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
    if (same_order) return !line;
  }
  EXPECT_NEAR(s.iterations, r.iterations, 1);
  if (s.stopped == stop_reason::converged) {
    EXPECT_LE(s.residual_relative_true, *o.rtol);
  }
  // The true residual of the whole answer, by the matrix.
  const csr<T> a = grid_operator<T>(device::cpu(1), p.d).to_matrix();
  std::vector<T> b = f;
  if (!algebraic) grid_operator<T>(device::cpu(1), p.d).rhs(f, b);
  double mean = 0, norm = 0, residual = 0;
  if (s.null_space == "constant")
    mean = std::accumulate(b.begin(), b.end(), 0.0) / double(b.size());
  for (std::size_t i = 0; i < b.size(); ++i) {
    double sum = double(b[i]) - mean;
    norm += sum * sum;
    for (index e = a.row_ptr[i]; e < a.row_ptr[i + 1]; ++e)
      sum -= double(a.val[std::size_t(e)]) * double(got.u[std::size_t(a.col[std::size_t(e)])]);
    residual += sum * sum;
  }
  EXPECT_NEAR(std::sqrt(residual / norm), s.residual_relative_true,
              0.05 * s.residual_relative_true + (sizeof(T) == 8 ? 1e-12 : 1e-5));
  return true;
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
  EXPECT_GT(seen.as_alone, 5);
  EXPECT_GT(seen.in_another_order, 5);
  EXPECT_GT(seen.turned, 2);
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

/// k of 1 and `jump` in blocks of `size` cells.
std::vector<double> blocks(const std::vector<int>& cells, int size, double jump) {
  const int nz = cells.size() == 3 ? cells[0] : 1, ny = cells[cells.size() - 2], nx = cells.back();
  std::vector<double> k;
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        k.push_back((z / size + y / size + x / size) % 3 == 0 ? jump : 1.0);
  return k;
}

/// Grids whose levels are divided as they are without being asked to: Poisson, strong axes, jumps.
TEST(DistributedGrid, TakesTheIterationsOfOneRank) {
  struct one {
    std::vector<int> cells;
    std::vector<double> spacing;
    double jump;
    const char* boundary;
    const char* coarse;
  };
  const one cases[] = {
      {{300, 260}, {}, 1, "dirichlet 0", "auto"},
      {{301, 262}, {}, 1, "neumann 0", "auto"},
      {{288, 260}, {}, 1, "periodic", "auto"},
      {{300, 260}, {1, 30}, 1, "dirichlet 0", "auto"},
      {{300, 260}, {30, 1}, 1, "dirichlet 0", "auto"},
      {{300, 260}, {}, 1e4, "dirichlet 0", "averaged"},
      {{300, 260}, {}, 1e4, "x: neumann, y-: dirichlet 1", "auto"},
      {{288, 260}, {}, 1e4, "periodic", "averaged"},
      {{64, 50, 44}, {}, 1, "dirichlet 0", "auto"},
      {{64, 50, 44}, {5, 1, 1}, 1, "dirichlet 0", "auto"},
      {{64, 50, 44}, {1, 1, 8}, 1, "z: periodic", "auto"},
      {{66, 50, 44}, {}, 1e4, "dirichlet 0", "averaged"},
  };
  for (const one& c : cases) {
    grid_description<double> d{.cells = c.cells, .spacing = c.spacing};
    d.boundary = parse_grid_boundary(c.boundary, int(c.cells.size()));
    const std::vector<double> k = blocks(c.cells, 16, c.jump);
    if (c.jump != 1) d.k_cells = k;
    grid_options o;
    o.coarse = c.coarse;
    grid_solver<double> whole(device::cpu(2), d, o);
    const std::vector<double> f = random_values<double>(whole.rows(), 1);
    std::vector<double> want(f.size());
    const grid_report r = whole.solve(f, want);
    for (const int ranks : {1, 2, 3}) {
      const auto got = solve_divided(d, f, std::vector<double>(f.size()), o, ranks, 2, {});
      const grid_report& s = got.report.solve;
      SCOPED_TRACE(std::string(c.boundary) + ", " + std::to_string(c.cells[0]) + ", jump " +
                   std::to_string(c.jump) + ", ranks " + std::to_string(ranks));
      EXPECT_EQ(s.stopped, stop_reason::converged);
      EXPECT_LE(s.residual_relative_true, s.residual_relative_wanted);
      EXPECT_EQ(s.cycle, r.cycle);
      const bool slow = s.cycle.find("slow") != std::string::npos;
      if (ranks > 1 && !slow) {
        EXPECT_GE(got.report.divided_levels, 1);
        for (const grid_rank_report& rank : got.report.ranks) {
          EXPECT_GT(rank.messages, 0u);
          EXPECT_GT(rank.bytes, 0u);
          EXPECT_GT(rank.exchange_s, 0);
        }
      }
      if (ranks > 1 && d.boundary.sides[0][0].kind == boundary_kind::periodic && c.jump != 1) {
        EXPECT_NEAR(s.iterations, r.iterations, 1);
      } else {
        EXPECT_EQ(s.iterations, r.iterations);
        EXPECT_EQ(got.u, want);
      }
    }
  }
}

TEST(DistributedGrid, SharesAreAllPlanesOnce) {
  std::mt19937 random(1);
  for (int round = 0; round < test::rounds(300); ++round) {
    std::vector<int> cells{2 + int(random() % 200), 1 + int(random() % 200)};
    if (random() % 2) cells.push_back(1 + int(random() % 50));
    grid_boundary b;
    if (random() % 2) b.sides[0] = {grid_side{boundary_kind::periodic}, {boundary_kind::periodic}};
    const bool odd_ring = b.sides[0][0].kind == boundary_kind::periodic && cells[0] % 2;
    const int ranks = 1 + int(random() % unsigned(odd_ring ? cells[0] : cells[0] / 2));
    const grid_division division{1 + random() % 40000};
    int next = 0, most = 0, least = cells[0];
    for (int r = 0; r < ranks; ++r) {
      const grid_share s = share_of_rank(cells, b, r, ranks, division);
      EXPECT_EQ(s.first, next);
      EXPECT_GE(s.count, 1);
      next += s.count;
      most = std::max(most, s.count), least = std::min(least, s.count);
    }
    EXPECT_EQ(next, cells[0]);
    EXPECT_LE(most, 2 * least + 1);
  }
}

/// f on so many ranks; each must throw, all the same.
template <class Error, class F>
void expect_all_throw(int ranks, const std::string& part, F&& f) {
  std::atomic<int> thrown{0};
  run_as_ranks(ranks, [&](std::shared_ptr<communicator> comm) {
    try {
      f(comm);
      ADD_FAILURE() << "nothing is thrown: " << part;
    } catch (const Error& e) {
      const std::string says = e.what();
      EXPECT_NE(says.find(part), std::string::npos) << says;
      EXPECT_EQ(says.find('\n'), std::string::npos);
      ++thrown;
    }
  });
  EXPECT_EQ(thrown, ranks);
}

TEST(DistributedGrid, OneRankThatIsWrongEndsAllWithOneLine) {
  using solver = distributed_grid_solver<double>;
  const auto description = [](const std::vector<double>& k) {
    grid_description<double> d{.cells = {40, 10}};
    d.k_cells = k;
    return d;
  };
  const auto part_of = [](communicator& comm) {
    return std::size_t(share_of_rank({40, 10}, {}, comm.rank(), comm.size()).count) * 10;
  };
  expect_all_throw<input_error>(3, "found -1 at [0, 3] (counted from 0) of the part of rank 1",
                                [&](auto comm) {
                                  std::vector<double> k(part_of(*comm), 1.0);
                                  if (comm->rank() == 1) k[3] = -1;
                                  solver(device::cpu(1), comm, description(k));
                                });
  expect_all_throw<input_error>(3, "of the 14 planes of rank 2", [&](auto comm) {
    std::vector<double> k(part_of(*comm) + (comm->rank() == 2 ? 1 : 0), 1.0);
    solver(device::cpu(1), comm, description(k));
  });
  expect_all_throw<input_error>(3, "the same arrays on all ranks", [&](auto comm) {
    std::vector<double> k(comm->rank() == 1 ? 0 : part_of(*comm), 1.0);
    solver(device::cpu(1), comm, description(k));
  });
  expect_all_throw<input_error>(2, "expected one on rank", [&](auto comm) {
    grid_options o;
    if (comm->rank() == 1) o.method = "no";
    try {
      solver(device::cpu(1), comm, description({}), o);
    } catch (const input_error& e) {
      throw input_error(std::string("expected one on rank: ") + e.what());
    }
  });
  expect_all_throw<input_error>(2, "a value is not finite", [&](auto comm) {
    solver s(device::cpu(1), comm, description({}));
    std::vector<double> f(s.rows(), 1.0), u(s.rows());
    if (comm->rank() == 1) f[7] = std::nan("");
    s.solve(f, u);
  });
  expect_all_throw<input_error>(2, "expected 200 elements", [&](auto comm) {
    solver s(device::cpu(1), comm, description({}));
    std::vector<double> f(s.rows() + (comm->rank() == 1 ? 1 : 0), 1.0), u(s.rows());
    s.solve(f, u);
  });
  expect_all_throw<input_error>(2, "s: expected numbers >= 0", [&](auto comm) {
    grid_description<double> d = description({});
    const std::vector<double> s(part_of(*comm), comm->rank() == 1 ? -1.0 : 0.0);
    d.s_cells = s;
    solver(device::cpu(1), comm, d);
  });
  expect_all_throw<unsupported_error>(2, "lines", [&](auto comm) {
    grid_options o;
    o.smoother = "lines";
    solver(device::cpu(1), comm, description({}), o);
  });
  expect_all_throw<input_error>(3, "found 3 ranks and one axis", [&](auto comm) {
    grid_description<double> d{.cells = {40}};
    solver(device::cpu(1), comm, d);
  });
  expect_all_throw<input_error>(4, "expected at most 3 for 7 unknowns", [&](auto comm) {
    grid_description<double> d{.cells = {7, 100}};
    solver(device::cpu(1), comm, d);
  });
  expect_all_throw<input_error>(2, "both ends of a periodic axis", [&](auto comm) {
    grid_description<double> d{.cells = {8, 2}};
    d.boundary.sides[0] = {grid_side{boundary_kind::periodic}, {boundary_kind::periodic}};
    std::vector<double> faces(10, 1.0);
    if (comm->rank() == 1) faces[9] = 2;
    d.k_faces[0] = faces;
    solver(device::cpu(1), comm, d);
  });
  expect_all_throw<std::runtime_error>(2, "from here", [&](auto comm) {
    grid_options o;
    o.rtol = 0;
    o.max_iterations = 1000000;
    o.preconditioner = "none";
    o.progress_interval = 0;
    if (comm->rank() == 1)
      o.progress = [](const solve_progress&) { throw std::runtime_error("from here"); };
    solver s(device::cpu(1), comm, grid_description<double>{.cells = {400, 400}}, o);
    std::vector<double> f(s.rows(), 1.0), u(s.rows());
    s.solve(f, u);
  });
}

TEST(DistributedGrid, ARankThatWantsToEndEndsAll) {
  for (const char* method : {"cg", "multigrid", "minres", "bicgstab", "chebyshev", "jacobi"})
    for (const bool before : {true, false}) {
      std::atomic<bool> stop{before};
      std::set<int> iterations;
      std::mutex guard;
      run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
        grid_options o;
        o.method = method;
        o.rtol = 0;
        o.max_iterations = 100000000;
        o.progress_interval = 0;
        // Another rank than the one whose progress sets it.
        if (comm->rank() == 2) o.interrupt = &stop;
        if (comm->rank() == 1) o.progress = [&](const solve_progress&) { stop = true; };
        distributed_grid_solver<double> s(device::cpu(2), comm,
                                          grid_description<double>{.cells = {64, 64}}, o, {1});
        // Nothing is to be done with a true residual of 0, so that attempts begin anew for ever.
        const std::vector<double> f = s.scatter(random_values<double>(64 * 64, 1));
        std::vector<double> u(s.rows());
        const grid_report r = s.solve(f, u).solve;
        const std::lock_guard lock(guard);
        // Rounding may end it before.
        EXPECT_TRUE(r.stopped == stop_reason::interrupted ||
                    (!before && r.stopped == stop_reason::accuracy_limit))
            << method << ": " << to_string(r.stopped);
        iterations.insert(r.iterations);
        for (const double v : u) EXPECT_TRUE(std::isfinite(v));
      });
      EXPECT_EQ(iterations.size(), 1u) << method;
    }
}

TEST(DistributedGrid, UpdatesAndSolvesAgain) {
  const std::vector<int> cells{48, 40};
  const std::vector<double> k1 = blocks(cells, 5, 3), k2 = blocks(cells, 7, 2);
  grid_description<double> first{.cells = cells}, second{.cells = cells};
  first.k_cells = k1, second.k_cells = k2;
  second.boundary = parse_grid_boundary("neumann 0", 2);
  grid_options at_once;
  at_once.rtol = 1e-6;
  grid_solver<double> one(device::cpu(1), second, at_once);
  const std::vector<double> f = random_values<double>(one.rows(), 3);
  std::vector<double> want(f.size());
  one.solve(f, want);
  run_as_ranks(3, [&](std::shared_ptr<communicator> comm) {
    const grid_part<double> a(*comm, first, {1}), b(*comm, second, {1});
    distributed_grid_solver<double> s(device::cpu(1), comm, a.d, {}, {1});
    const std::vector<double> mine = s.scatter(f);
    std::vector<double> u(s.rows());
    EXPECT_FALSE(s.singular());
    s.solve(mine, u);
    EXPECT_THROW(s.update(grid_description<double>{.cells = {48, 41}}), input_error);
    s.update(b.d);
    s.set_tolerances(1e-6);
    EXPECT_TRUE(s.singular());
    std::ranges::fill(u, 0.0);
    distributed_grid_solver<double> moved = std::move(s);
    EXPECT_EQ(moved.solve(mine, u).solve.null_space, "constant");
    const std::vector<double> whole = moved.gather(u, 1);
    EXPECT_EQ(whole.empty(), comm->rank() != 1);
    if (comm->rank() == 1) {
      EXPECT_EQ(whole, want);
    }
  });
}

}  // namespace
}  // namespace dwell
