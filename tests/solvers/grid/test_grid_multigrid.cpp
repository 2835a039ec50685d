// SPDX-License-Identifier: MIT
// Options of multigrid: cycles, Galerkin's coarse operators, full multigrid. Answers against dense
// solves, operators against P'AP in every element, iterations where coefficients jump.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fstream>
#include <functional>
#include <random>

#include "dwell/base/error.hpp"
#include "dwell/base/interruption.hpp"
#include "dwell/grid/explain_grid.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "dwell/solvers/grid/discretize.hpp"
#include "dwell/solvers/grid/galerkin.hpp"
#include "grid_answers.hpp"
#include "grid_problem.hpp"
#include "sanitized.hpp"

namespace dwell {
namespace {

using testing::expect_answer;
using testing::grid_problem;
using testing::random_grid_problem;
using testing::random_values;

TEST(GridMultigrid, SolvesWhatDenseSolversSolveWithAllOptions) {
  unsigned seed = 1000;
  for (const std::string method : {"cg", "multigrid", "minres", "bicgstab", "chebyshev"})
    for (const std::string& cycle : grid_cycles())
      for (const std::string& coarse : grid_coarse_operators())
        for (const bool full : {false, true}) {
          grid_options o;
          o.method = method;
          o.cycle = cycle, o.coarse = coarse, o.full_multigrid = full;
          for (int k = 0; k < test::rounds(3); ++k) expect_answer<double>(seed++, 20, o);
          expect_answer<float>(seed++, 20, o);
        }
}

TEST(GridMultigrid, LinesSolveEverySizeTo40) {
  unsigned seed = 4000;
  for (const std::string method : {"cg", "cg", "multigrid", "minres"})
    for (const bool full : {false, true}) {
      grid_options o;
      o.smoother = "lines", o.method = method, o.full_multigrid = full;
      for (int k = 0; k < test::rounds(12); ++k) expect_answer<double>(seed++, 40, o);
      for (int k = 0; k < test::rounds(2); ++k) expect_answer<float>(seed++, 40, o);
    }
}

/// Strong along x in one half of the grid and along the last axis in the other.
int iterations_of_halves(std::vector<int> cells, double ratio, const char* smoother, bool turned) {
  grid_description<double> d{.cells = std::move(cells)};
  const std::size_t dims = d.cells.size();
  std::array<std::vector<double>, 3> faces;
  for (std::size_t axis = 0; axis < dims; ++axis) {
    std::array<int, 3> n{1, 1, 1};
    for (std::size_t a = 0; a < dims; ++a) n[a + 3 - dims] = d.cells[a] + int(a == axis);
    for (int z = 0; z < n[0]; ++z)
      for (int y = 0; y < n[1]; ++y)
        for (int x = 0; x < n[2]; ++x) {
          const bool left = (turned ? y : x) < n[turned ? 1 : 2] / 2;
          faces[axis].push_back(
              left == (axis == dims - 1) && (axis == 0 || axis == dims - 1) ? ratio : 1);
        }
    d.k_faces[axis] = faces[axis];
  }
  grid_options o;
  o.smoother = smoother;
  grid_solver<double> solver(device::cpu(2), d, o);
  const std::vector<double> f(solver.rows(), 1.0);
  std::vector<double> u(f.size());
  const grid_report r = solver.solve(f, u);
  EXPECT_EQ(r.stopped, stop_reason::converged);
  return r.iterations;
}

TEST(GridMultigrid, LinesTakeFewIterationsWhereStrongAxesDiffer) {
  for (const double ratio : {10.0, 1e3})
    for (const bool turned : {false, true}) {
      if (!turned) {
        const int lines = iterations_of_halves({150, 161}, ratio, "lines", turned);
        EXPECT_LE(lines, 12) << ratio;
        EXPECT_GT(iterations_of_halves({150, 161}, ratio, "points", turned), 1.7 * lines);
      }
      EXPECT_LE(iterations_of_halves({30, 33, 29}, ratio, "lines", turned), 16) << ratio;
    }
}

TEST(GridMultigrid, GalerkinSolvesEverySizeTo40) {
  grid_options o;
  o.coarse = "galerkin";
  for (int k = 0; k < test::rounds(120); ++k) {
    const unsigned seed = 2000 + unsigned(k);
    o.full_multigrid = seed % 3 == 0;
    expect_answer<double>(seed, 40, o, seed % 2 ? 20 : 1.5);
  }
}

/// P of a step, as a dense matrix.
Eigen::MatrixXd interpolation_of(const grids::corner_weights& s, const grids::grid_shape& fine) {
  std::array<int, 3> n{};
  for (std::size_t axis = 0; axis < 3; ++axis) n[axis] = s.axes[axis].coarse();
  Eigen::MatrixXd p = Eigen::MatrixXd::Zero(Eigen::Index(fine.cells()), n[0] * n[1] * n[2]);
  std::size_t cell = 0;
  for (int k = 0; k < fine.n[0]; ++k)
    for (int j = 0; j < fine.n[1]; ++j)
      for (int i = 0; i < fine.n[2]; ++i, ++cell)
        for (int c = 0; c < s.corners; ++c) {
          const float w = s.w[cell * std::size_t(s.corners) + std::size_t(c)];
          if (w == 0) continue;
          int bit = 1, at[3];
          for (const std::size_t axis : {2, 1, 0}) {
            const grids::halved_axis& ax = s.axes[axis];
            const int own = std::array{k, j, i}[axis];
            const bool after = ax.halved && (c & bit);
            at[axis] = ax.is_coarse(own) ? ax.coarse_at(own)
                       : after           ? ax.coarse_after(own)
                                         : ax.coarse_before(own);
            EXPECT_GE(at[axis], 0);
            if (ax.halved) bit *= 2;
          }
          p(Eigen::Index(cell), (at[0] * n[1] + at[1]) * n[2] + at[2]) += double(w);
        }
  return p;
}

Eigen::MatrixXd matrix_of(const grids::galerkin_level& l) {
  const auto& g = l.shape;
  Eigen::MatrixXd a = Eigen::MatrixXd::Zero(Eigen::Index(g.cells()), Eigen::Index(g.cells()));
  const auto at = [&](int k, int j, int i) { return (k * g.n[1] + j) * g.n[2] + i; };
  const auto& r = l.box.reach;
  for (int k = 0; k < g.n[0]; ++k)
    for (int j = 0; j < g.n[1]; ++j)
      for (int i = 0; i < g.n[2]; ++i)
        for (int z = -r[0]; z <= r[0]; ++z)
          for (int y = -r[1]; y <= r[1]; ++y)
            for (int x = -1; x <= 1; ++x) {
              const double v = double(
                  l.a[std::size_t(at(k, j, i) * l.box.count()) + std::size_t(l.box.slot(z, y, x))]);
              a(at(k, j, i), at(k, j, i)) += v;
              if (v == 0 || (x == 0 && y == 0 && z == 0)) continue;
              std::array<int, 3> to{k + z, j + y, i + x};
              for (std::size_t axis = 0; axis < 3; ++axis) {
                EXPECT_TRUE(g.wraps[axis] || (to[axis] >= 0 && to[axis] < g.n[axis]));
                to[axis] = (to[axis] + g.n[axis]) % g.n[axis];
              }
              a(at(k, j, i), at(to[0], to[1], to[2])) -= v;
            }
  return a;
}

TEST(GridMultigrid, GalerkinOperatorsAreThoseOfTheirInterpolation) {
  int levels = 0;
  for (unsigned seed = 3000; seed < 3080; ++seed) {
    grid_problem<double> p;
    random_grid_problem(seed, 16, 30, p);
    SCOPED_TRACE(p.says);
    const auto made = grids::discretize(p.d);
    const std::size_t bottom = 4;
    if (made.a.shape.cells() <= bottom || made.a.shape.cells() > 700) continue;
    const grids::galerkin_levels h = grids::make_galerkin(made.a, made.singular, bottom, true);
    Eigen::MatrixXd a = testing::dense_of(grid_operator<double>(device::cpu(1), p.d).to_matrix());
    const grids::corner_weights* step = &h.step;
    const grids::grid_shape* fine = &made.a.shape;
    for (const grids::galerkin_level& l : h.levels) {
      ++levels;
      const Eigen::MatrixXd by = interpolation_of(*step, *fine), got = matrix_of(l);
      ASSERT_EQ(by.cols(), got.cols());
      EXPECT_LE(by.rowwise().sum().maxCoeff(), 1 + 1e-6);
      EXPECT_GE(by.minCoeff(), 0);
      EXPECT_EQ(got, got.transpose());
      const Eigen::MatrixXd want = by.transpose() * a * by;
      EXPECT_LE((got - want).cwiseAbs().maxCoeff(), 3e-6 * want.cwiseAbs().maxCoeff());
      a = got;
      step = &l.step, fine = &l.shape;
    }
    EXPECT_LE(h.levels.back().shape.cells(), bottom);
  }
  EXPECT_GT(levels, 100);
}

/// k of blocks of a size: a chessboard, or one of both at random.
std::vector<double> in_blocks(int ny, int nx, int block, double jump, bool chessboard,
                              unsigned seed, bool exchanged) {
  std::mt19937 random(seed);
  const int y0 = int(random() % 7), x0 = int(random() % 11);
  std::vector<bool> high(4096);
  for (std::size_t b = 0; b < high.size(); ++b) high[b] = random() % 2 != 0;
  std::vector<double> k(std::size_t(ny) * std::size_t(nx));
  for (int y = 0; y < ny; ++y)
    for (int x = 0; x < nx; ++x) {
      const int by = (y + y0) / block, bx = (x + x0) / block;
      const bool one = chessboard ? (by + bx) % 2 != 0 : high[std::size_t(by * 64 + bx) % 4096];
      k[exchanged ? std::size_t(x * ny + y) : std::size_t(y * nx + x)] = one ? jump : 1;
    }
  return k;
}

struct run_of {
  grid_report report;
  std::vector<double> u;
  /// Iterations until the residual of the iteration first met 1e-8; rounding may hold the true one
  /// above it.
  int first = -1;
};
run_of run_on(std::vector<int> cells, const std::vector<double>& k, const grid_options& with,
              int threads = 2) {
  grid_description<double> d{.cells = std::move(cells)};
  d.k_cells = k;
  grid_options o = with;
  o.history = true;
  grid_solver<double> solver(device::cpu(threads), d, o);
  const std::vector<double> f(k.size(), 1.0);
  run_of r;
  r.u.resize(k.size());
  r.report = solver.solve(f, r.u);
  EXPECT_EQ(r.report.history.size(), std::size_t(r.report.iterations) + 1);
  const auto& h = r.report.history;
  for (std::size_t i = 0; i < h.size() && r.first < 0; ++i)
    if (h[i] <= 1e-8 * r.report.rhs_norm) r.first = int(i);
  std::vector<double> again(k.size());
  EXPECT_EQ(solver.solve(f, again).iterations, r.report.iterations);
  EXPECT_EQ(again, r.u) << "a solve depends on the one before";
  return r;
}

TEST(GridMultigrid, GalerkinTakesFewIterationsOnChessboards) {
  unsigned seed = 1;
  for (const bool chessboard : {true, false})
    for (const int block : {7, 16, 31})
      for (const double jump : {1e2, 1e4, 1e6, 1e8}) {
        if (test::sanitized && (block != 16 || jump < 1e6)) continue;
        grid_options o;
        o.coarse = "galerkin";
        ++seed;
        int its[2];
        for (const bool exchanged : {false, true}) {
          const auto k = in_blocks(190, 233, block, jump, chessboard, seed, exchanged);
          const run_of r = run_on(exchanged ? std::vector{233, 190} : std::vector{190, 233}, k, o);
          EXPECT_TRUE(r.report.stopped == stop_reason::converged ||
                      r.report.stopped == stop_reason::accuracy_limit);
          its[exchanged] = r.first;
          EXPECT_GE(r.first, 1);
          EXPECT_LE(r.first, 16) << block << " " << jump << " " << chessboard;
        }
        EXPECT_LE(std::abs(its[0] - its[1]), 2);
      }
}

TEST(GridMultigrid, SlowSolvesGoOnWithGalerkin) {
  const auto k = in_blocks(240, 251, 5, 1e4, false, 3, false);
  const auto with = [&](const char* coarse, int threads = 2) {
    grid_options o;
    o.coarse = coarse;
    return run_on({240, 251}, k, o, threads);
  };
  const run_of slow = with("averaged"), other = with("auto"), fast = with("galerkin");
  EXPECT_GT(slow.first, 45);
  EXPECT_LE(fast.first, 20);
  EXPECT_LE(other.first, 16 + fast.first);
  EXPECT_NE(other.report.cycle.find("Galerkin's coarse operators after 16"), std::string::npos)
      << other.report.cycle;
  EXPECT_EQ(slow.report.cycle.find("Galerkin"), std::string::npos);
  EXPECT_EQ(other.report.stopped, stop_reason::converged);
  EXPECT_LE(other.report.residual_relative_true, 1e-8);
  EXPECT_EQ(with("auto", 1).u, other.u);
  EXPECT_EQ(with("auto", 3).u, other.u);
  // What converges well is left alone.
  const auto easy = in_blocks(240, 251, 60, 1e4, false, 3, false);
  EXPECT_EQ(run_on({240, 251}, easy, {}).report.cycle.find("Galerkin"), std::string::npos);
}

TEST(GridMultigrid, ASlowSolveEndsWhileItMakesLevels) {
  const auto k = in_blocks(240, 251, 5, 1e4, false, 3, false);
  grid_description<double> d{.cells = {240, 251}};
  d.k_cells = k;
  grid_solver<double> solver(device::cpu(2), d);
  const std::vector<double> f(k.size(), 1.0);
  std::vector<double> u(k.size()), again(k.size());
  int polls = 0;
  {
    const interruption_scope scope([&] { return ++polls > 1; }, std::chrono::milliseconds(0));
    const grid_report r = solver.solve(f, u);
    EXPECT_EQ(r.stopped, stop_reason::interrupted);
    EXPECT_EQ(r.iterations, 16);
    EXPECT_LT(r.residual_relative_true, 1);  // the answer so far
  }
  EXPECT_GT(polls, 1);
  EXPECT_EQ(solver.solve(f, again).stopped, stop_reason::converged);
}

/// The answer so far is not lost, and goes on.
TEST(GridMultigrid, ASlowSolveGoesOnWhereThereIsNoMemoryForLevels) {
  if (test::sanitized) GTEST_SKIP() << "sanitizers reserve more address space than there is";
  const int n = 1000;  // what Galerkin's levels of fewer cells take is not asked for
  const auto k = in_blocks(n, n, 5, 1e4, false, 3, false);
  grid_description<double> d{.cells = {n, n}};
  d.k_cells = k;
  grid_options o;
  o.max_iterations = 30;
  o.history = true;
  grid_solver<double> solver(device::cpu(1), d, o);
  const std::vector<double> f(k.size(), 1.0);
  std::vector<double> u(k.size());
  std::size_t pages = 0;
  ASSERT_TRUE(std::ifstream("/proc/self/statm") >> pages);
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit less = before;
  less.rlim_cur = rlim_t(pages) * rlim_t(sysconf(_SC_PAGESIZE)) + (rlim_t(60) << 20);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &less), 0);
  const grid_report r = solver.solve(f, u);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_NE(r.cycle.find("without Galerkin's coarse operators: too little memory"),
            std::string::npos)
      << r.cycle;
  EXPECT_EQ(r.iterations, 30);
  EXPECT_EQ(r.stopped, stop_reason::iteration_limit);
  EXPECT_EQ(r.history.size(), 31U);
  EXPECT_LE(r.residual_relative_true, 1);
  // With memory the next solve has them.
  std::ranges::fill(u, 0.0);
  const grid_report next = solver.solve(f, u);
  EXPECT_NE(next.cycle.find("after 16 slow iterations"), std::string::npos) << next.cycle;
  EXPECT_EQ(next.cycle.find("without"), std::string::npos) << next.cycle;
}

/// Cycles with averages may not be definite where k jumps: a solve does not end by that.
TEST(GridMultigrid, SlowSolvesDoNotBreakDown) {
  int galerkin = 0, early = 0;
  for (unsigned seed = 1; seed <= 66; seed += test::sanitized ? 5 : 1) {
    std::mt19937 random(seed);
    const bool large = seed > 60;
    const int ny = large ? 300 : 80 + int(random() % 80),
              nx = large ? 300 : 80 + int(random() % 80);
    const double jump = large ? 1e8 : std::pow(10.0, 3 + int(random() % 6));
    const int block = large ? 5 : 1 + int(random() % 4);
    const auto k = in_blocks(ny, nx, block, jump, large || random() % 3 == 0, seed, false);
    grid_description<double> d{.cells = {ny, nx}};
    d.k_cells = k;
    grid_options o;
    o.max_iterations = 60;
    o.history = true;
    grid_solver<double> solver(device::cpu(1), d, o);
    const std::vector<double> f(k.size(), 1.0);
    std::vector<double> u(k.size());
    const grid_report r = solver.solve(f, u);
    EXPECT_NE(r.stopped, stop_reason::breakdown) << seed;
    EXPECT_LE(r.iterations, o.max_iterations);
    EXPECT_EQ(r.history.size(), std::size_t(r.iterations) + 1) << seed;
    galerkin += r.cycle.find("Galerkin") != std::string::npos;
    early += r.cycle.find("Galerkin") != std::string::npos &&
             r.cycle.find("after 16") == std::string::npos;
  }
  EXPECT_GT(galerkin, test::rounds(20) - 1);
  EXPECT_GT(early, 0);  // since a cycle was not definite
}

TEST(GridMultigrid, CyclesAreThoseThatWereAskedFor) {
  const auto k = in_blocks(240, 251, 30, 1e4, false, 5, false);
  grid_options o;
  const run_of w = run_on({240, 251}, k, o);
  o.cycle = "v";
  const run_of v = run_on({240, 251}, k, o);
  EXPECT_EQ(w.report.cycle, "W-cycle of small levels, since coefficients jump");
  EXPECT_EQ(v.report.cycle, "V-cycle");
  EXPECT_NE(v.u, w.u);
  EXPECT_GT(w.report.bytes_per_iteration, v.report.bytes_per_iteration);
  const std::vector<double> one(k.size(), 1.0);
  const run_of plain = run_on({240, 251}, one, o);
  o.cycle = "auto";
  EXPECT_EQ(run_on({240, 251}, one, o).u, plain.u);
  o.cycle = "w";
  EXPECT_NE(run_on({240, 251}, one, o).u, plain.u);
}

TEST(GridMultigrid, FullMultigridBeginsCloseToTheAnswer) {
  for (const std::string coarse : {"averaged", "galerkin"}) {
    const std::vector<double> k(300 * 310, 1.0);
    grid_options o;
    o.coarse = coarse;
    const run_of plain = run_on({300, 310}, k, o);
    o.full_multigrid = true;
    const run_of full = run_on({300, 310}, k, o);
    EXPECT_LT(full.report.history[0], 0.2 * full.report.rhs_norm) << coarse;
    EXPECT_LT(full.report.iterations, plain.report.iterations) << coarse;
    EXPECT_EQ(run_on({300, 310}, k, o, 1).u, full.u) << coarse;
    // From a start that is not 0, too: no worse than it.
    grid_description<double> d{.cells = {300, 310}};
    grid_solver<double> solver(device::cpu(2), d, o);
    std::vector<double> u = full.u;
    const std::vector<double> f(u.size(), 1.0);
    EXPECT_EQ(solver.solve(f, u).iterations, 0);
    for (double& e : u) e *= 1 + 1e-4;
    EXPECT_LT(solver.solve(f, u).iterations, plain.report.iterations);
  }
}

TEST(GridMultigrid, ReportsMoveTheBytesOfTheirExplanation) {
  for (unsigned seed = 1; seed <= 40; ++seed) {
    grid_problem<double> p;
    random_grid_problem(seed, 60, seed % 2 ? 2 : 50, p);
    SCOPED_TRACE(p.says);
    grid_options o;
    o.coarse = seed % 4 == 0 ? "galerkin" : "averaged";
    o.method = seed % 3 ? "cg" : "bicgstab";
    o.smoother = seed % 4 == 1 ? "lines" : "points";
    grid_solver<double> solver(device::cpu(1), p.d, o);
    const std::vector<double> f = random_values<double>(solver.rows(), seed);
    std::vector<double> u(f.size());
    const grid_report r = solver.solve(f, u);
    const grid_explanation e = explain(p.d, device::cpu(1).facts(), o);
    if (r.cycle.find("then") == std::string::npos) {  // it was visited as planned
      EXPECT_EQ(r.bytes_per_iteration, e.bytes_per_iteration);
    }
    ASSERT_EQ(r.levels.size(), e.levels.size());
    std::size_t all = 0;
    for (std::size_t l = 0; l < r.levels.size(); ++l) {
      EXPECT_EQ(r.levels[l].cells, e.levels[l].cells);
      all += e.levels[l].bytes_per_cycle;
    }
    EXPECT_EQ(all, e.cycle_bytes);
  }
}

TEST(GridMultigrid, RefusesWhatIsNoOption) {
  const grid_description<double> d{.cells = {5, 6}};
  const auto refuses = [&](const std::function<void(grid_options&)>& change, const char* says) {
    grid_options o;
    change(o);
    try {
      grid_solver<double> s(device::cpu(1), d, o);
      FAIL() << "not refused: " << says;
    } catch (const input_error& e) {
      EXPECT_NE(std::string(e.what()).find(says), std::string::npos) << e.what();
    }
  };
  refuses([](auto& o) { o.cycle = "f"; }, "cycle: expected auto, v or w, found 'f'");
  refuses([](auto& o) { o.coarse = "amg"; },
          "coarse: expected auto, averaged or galerkin, found 'amg'");
  refuses([](auto& o) { o.smoother = "planes"; },
          "smoother: expected points or lines, found 'planes'");
  refuses([](auto& o) { o.smoother = "lines", o.coarse = "galerkin"; },
          "smoother: expected points with coarse operators galerkin, found lines");
  refuses([](auto& o) { o.preconditioner = "jacobi", o.cycle = "w"; },
          "cycle: expected multigrid, of which it is an option, found preconditioner jacobi");
  refuses([](auto& o) { o.preconditioner = "none", o.coarse = "galerkin"; }, "coarse: expected");
  refuses([](auto& o) { o.method = "jacobi", o.full_multigrid = true; },
          "full_multigrid: expected");
}

}  // namespace
}  // namespace dwell
