// SPDX-License-Identifier: MIT
// Starts by full multigrid that GPUs make, played by threads of a CPU, beside those of a thread of
// the CPU with the same levels: their answers, the iterations after them, starts that are kept.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "dwell/grid/grid_solver.hpp"
#include "dwell/solvers/grid/device/made_grid.hpp"
#include "grid_answers.hpp"
#include "grid_problem.hpp"
#include "played_grid.hpp"
#include "sanitized.hpp"

namespace dwell {
namespace {

using testing::grid_kernel_cpu;
using testing::grid_problem;
using testing::norm_of;
using testing::prepared_for;
using testing::random_grid_problem;
using testing::random_values;
using testing::thread_run;

/// A system, its levels on the host and where teams read them.
template <class T>
class full_start {
 public:
  full_start(const grid_problem<T>& p, const grids::chosen_method& method, unsigned seed)
      : method_(method),
        prepared_(prepared_for(p.d, method)),
        chance_(seed + 7),
        kernel_(1 + int(chance_() % 5), chance_() % 2 == 0),
        limits_{kernel_.teams(), kernel_.lanes(), chance_() % 3 ? 40u : 4096u,
                chance_() % 2 ? 128 : 16, true},
        grid_(device::cpu(1), prepared_, nullptr, method, limits_),
        levels_(device::cpu(1), *prepared_.levels.own, {}, limits_, true) {}

  struct run {
    grids::device_outcome out;
    std::vector<double> history;  ///< norms as they are, not divided
    std::vector<T> u;
    bool converged() const { return stop_reason(out.stopped) == stop_reason::converged; }
  };
  run by_teams(const grid_options& o, const std::vector<T>& b, const std::vector<T>& start) {
    run r;
    r.u = start;
    r.out = grid_.solve(kernel_,
                        {.f = b.data(),
                         .u = r.u.data(),
                         .algebraic = true,
                         .rtol = *o.rtol,
                         .max_iterations = o.max_iterations,
                         .history = true,
                         .levels = &levels_,
                         .twice = prepared_.levels.own->twice,
                         .full = o.full_multigrid},
                        {}, r.history);
    for (double& norm : r.history) norm = std::ldexp(norm, r.out.scale);
    return r;
  }
  thread_run<T> by_a_thread(const grid_options& o, const std::vector<T>& b,
                            const std::vector<T>& start) const {
    return {prepared_, method_, o, b, start};
  }
  const grids::hierarchy<grids::level_value>& levels() const { return *prepared_.levels.own; }
  bool is_singular() const { return prepared_.system.singular; }

 private:
  grids::chosen_method method_;
  grids::prepared_grid<T> prepared_;
  std::mt19937 chance_;
  grid_kernel_cpu<T> kernel_;
  grids::deal_limits limits_;
  grids::device_grid<T> grid_;
  grids::device_levels levels_;
};

/// Do teams relax the cells of Galerkin's levels in another order than a thread does? In three
/// dimensions, and where a ring has an odd number of cells.
bool has_other_order(const grids::hierarchy<grids::level_value>& h) {
  const auto other = [](const grids::grid_shape& g) {
    bool is = g.n[1] > 1;
    for (std::size_t axis = 0; axis < 3; ++axis) is = is || (g.wraps[axis] && g.n[axis] % 2);
    return is;
  };
  return !h.galerkin.levels.empty() &&
         (other(h.levels[0].a.shape) ||
          std::ranges::any_of(h.galerkin.levels, [&](const auto& l) { return other(l.shape); }));
}

struct seen_starts {
  int compared = 0, several_levels = 0, solves = 0, same_iterations = 0;
};

/// A random problem by teams and by a thread: the start alone, then the solve.
template <class T>
void expect_full_start(unsigned seed, int most, double jump, grid_options o, seen_starts& seen) {
  grid_problem<T> p;
  random_grid_problem(seed, most, jump, p);
  SCOPED_TRACE(p.says + ", " + o.method + ", cycle " + o.cycle + ", " + o.coarse + ", " +
               o.smoother + fmt::format(", seed {}", seed));
  o.full_multigrid = true;
  grids::chosen_method method = grids::method_of(o);
  method.galerkin_bottom = seed % 3 ? 6 : 150;
  full_start<T> grid(p, method, seed);
  const std::size_t n = p.cells();
  const std::vector<T> b = random_values<T>(n, seed);
  const std::vector<T> start = seed % 2 ? std::vector<T>(n, T(0)) : random_values<T>(n, seed + 1);

  // What a thread does.
  const thread_run<T> by_cpu = grid.by_a_thread(o, b, start);
  const double before = by_cpu.out.begin, after = by_cpu.out.history.at(0);
  const double of_b = by_cpu.out.rhs_norm;
  // In singular systems rounding of f32 is where one unknown is held, over the least conductance.
  const bool compare = !grid.is_singular() && !has_other_order(grid.levels());
  const double near = (sizeof(T) == 8 ? 2e-3 : 2e-2) * after + 2e-6 * before;
  if (compare && after < 0.9 * before && after > 1e-5 * before) {
    grid_options only_start = o;  // which suffices
    only_start.rtol = (after + near) / of_b;
    const thread_run<T> wanted = grid.by_a_thread(only_start, b, start);
    const auto found = grid.by_teams(only_start, b, start);
    ASSERT_EQ(wanted.out.iterations, 0);
    EXPECT_EQ(found.out.iterations, 0);
    EXPECT_NEAR(found.history.at(0), after, near);
    double most_u = 0, most_apart = 0;
    for (std::size_t i = 0; i < n; ++i) {
      most_u = std::max(most_u, std::abs(double(wanted.u[i])));
      most_apart = std::max(most_apart, std::abs(double(found.u[i]) - double(wanted.u[i])));
    }
    EXPECT_LE(most_apart, 1e-3 * most_u);
    ++seen.compared;
    if (grid.levels().levels.size() + grid.levels().galerkin.levels.size() > 2)
      ++seen.several_levels;
  }
  const auto found = grid.by_teams(o, b, start);
  EXPECT_LE(found.history.at(0), before * (1 + 1e-5));
  if ((found.out.indefinite && grid.levels().twice) || by_cpu.out.visits_once) return;
  if (by_cpu.out.stopped != stop_reason::converged) return;
  EXPECT_TRUE(found.converged() ||
              (sizeof(T) == 4 && stop_reason(found.out.stopped) == stop_reason::accuracy_limit));
  EXPECT_LE(std::abs(found.out.iterations - by_cpu.out.iterations),
            has_other_order(grid.levels()) ? 2 + by_cpu.out.iterations / 4
                                           : 1 + by_cpu.out.iterations / 16);
  ++seen.solves;
  if (found.out.iterations == by_cpu.out.iterations) ++seen.same_iterations;
}

TEST(DeviceFullMultigrid, BeginsAsACpuDoes) {
  seen_starts seen;
  const int rounds = test::rounds(120);
  grid_options o;
  for (int k = 0; k < rounds; ++k) {
    o.method = k % 5 == 4 ? "multigrid" : k % 5 == 3 ? "minres" : "cg";
    o.cycle = grid_cycles()[std::size_t(k) % 3];
    o.rtol = 1e-8;
    expect_full_start<double>(1 + unsigned(k), k % 4 ? 40 : 90, k % 2 ? 2 : 20, o, seen);
    o.rtol = 1e-4;
    if (k % 4 == 0) expect_full_start<float>(1001 + unsigned(k), 40, 3, o, seen);
  }
  EXPECT_GT(seen.compared, rounds / 3);
  EXPECT_GT(seen.several_levels, rounds / 6);
  EXPECT_GT(seen.solves, rounds / 2);
  EXPECT_GT(seen.same_iterations, seen.solves * 9 / 10);
}

TEST(DeviceFullMultigrid, BeginsWithGalerkinsLevels) {
  seen_starts seen;
  const int rounds = test::rounds(120);
  grid_options o;
  o.coarse = "galerkin";
  o.rtol = 1e-8;
  for (int k = 0; k < rounds; ++k) {
    o.method = k % 4 == 3 ? "bicgstab" : "cg";
    o.cycle = k % 3 ? "auto" : "w";
    expect_full_start<double>(2001 + unsigned(k), k % 2 ? 40 : 16, k % 4 ? 1e3 : 3, o, seen);
  }
  EXPECT_GT(seen.compared, rounds / 8);
  EXPECT_GT(seen.several_levels, rounds / 15);
  EXPECT_GT(seen.solves, rounds / 2);
  EXPECT_GT(seen.same_iterations, seen.solves * 9 / 10);
}

TEST(DeviceFullMultigrid, BeginsWithLines) {
  seen_starts seen;
  const int rounds = test::rounds(60);
  grid_options o;
  o.smoother = "lines";
  for (int k = 0; k < rounds; ++k) {
    o.method = k % 4 == 3 ? "chebyshev" : "cg";
    o.cycle = k % 3 ? "auto" : "w";
    o.rtol = 1e-8;
    expect_full_start<double>(3001 + unsigned(k), k % 4 ? 40 : 90, k % 2 ? 3 : 50, o, seen);
    o.rtol = 1e-4;
    if (k % 4 == 0) expect_full_start<float>(4001 + unsigned(k), 30, 5, o, seen);
  }
  EXPECT_GT(seen.compared, rounds / 6);
  EXPECT_GT(seen.several_levels, rounds / 12);
  EXPECT_GT(seen.solves, rounds / 2);
  EXPECT_GT(seen.same_iterations, seen.solves * 9 / 10);
}

/// Levels of kernels have the bits of the host's, and so have answers.
TEST(DeviceFullMultigrid, BeginsWithLevelsThatKernelsHaveMade) {
  int made_there = 0, improved = 0;
  for (unsigned seed = 6001; seed <= 6000 + unsigned(test::rounds(40)); ++seed) {
    grid_problem<double> p;
    random_grid_problem(seed, 40, 3, p);
    if (!grids::has_arrays(p.d)) continue;
    SCOPED_TRACE(p.says + fmt::format(", seed {}", seed));
    const grids::chosen_method method = grids::method_of({}, backend::cuda);
    const int teams = 1 + int(seed % 4);
    grid_kernel_cpu<double> kernel(teams, seed % 2 == 0);
    const grids::deal_limits limits{teams, kernel.lanes(), 40, 16, true};
    const std::vector<double> b = random_values<double>(p.cells(), seed);
    const auto solved = [&](const grids::prepared_grid<double>& prepared,
                            const grids::device_operator<double>* a,
                            const grids::device_levels& levels) {
      grids::device_grid<double> grid(device::cpu(1), prepared, a, method, limits);
      std::vector<double> u(b.size(), 0.0), history;
      const grids::device_outcome out = grid.solve(kernel,
                                                   {.f = b.data(),
                                                    .u = u.data(),
                                                    .algebraic = true,
                                                    .rtol = 1e-8,
                                                    .max_iterations = 60,
                                                    .history = true,
                                                    .levels = &levels,
                                                    .twice = prepared.levels.own->twice,
                                                    .full = true},
                                                   {}, history);
      improved += history.at(0) < 0.9 * out.rhs_norm;
      return u;
    };
    const grids::prepared_grid<double> host = prepared_for(p.d, method);
    const grids::device_levels of_host(device::cpu(1), *host.levels.own, {}, limits, true);
    grids::undiscretized<double> problem = grids::discretize_elsewhere(p.d);
    grids::made_grid<double> made =
        grids::make_grid(device::cpu(1), kernel, problem, method, limits);
    ASSERT_TRUE(made.good);
    const grids::prepared_grid<double> there(std::move(problem.system), std::move(made.h),
                                             made.scale);
    const grids::device_levels levels(device::cpu(1), *there.levels.own, std::move(made.levels),
                                      limits, true, made.bottom_inverse);
    EXPECT_EQ(solved(there, &made.a, levels), solved(host, nullptr, of_host));
    ++made_there;
  }
  EXPECT_GT(made_there, test::rounds(40) / 4);
  EXPECT_GT(improved, made_there);
}

/// A start that is as good as rounding allows: what full multigrid makes of it is taken where its
/// residual is smaller; else all is as without it, to the bits.
TEST(DeviceFullMultigrid, KeepsStartsThatItDoesNotImprove) {
  int kept = 0, taken = 0;
  for (unsigned seed = 5001; seed <= 5000 + unsigned(test::rounds(80)); ++seed) {
    grid_problem<double> p;
    random_grid_problem(seed, 40, 5, p);
    SCOPED_TRACE(p.says + fmt::format(", seed {}", seed));
    grid_options o;
    o.smoother = seed % 5 == 0 ? "lines" : "points";
    o.coarse = seed % 5 == 1 ? "galerkin" : "averaged";
    o.method = seed % 3 ? "cg" : "minres";
    o.full_multigrid = true;
    grids::chosen_method method = grids::method_of(o);
    method.galerkin_bottom = 6;
    full_start<double> grid(p, method, seed);
    const std::vector<double> b = random_values<double>(p.cells(), seed);
    o.rtol = 0;
    o.max_iterations = 60;
    const std::vector<double> best = grid.by_a_thread(o, b, std::vector<double>(b.size(), 0.0)).u;
    o.max_iterations = 3;
    const auto full = grid.by_teams(o, b, best);
    o.full_multigrid = false;
    const auto plain = grid.by_teams(o, b, best);
    ASSERT_FALSE(full.history.empty());
    ASSERT_LE(full.history[0], plain.history.at(0));
    EXPECT_LE(std::ldexp(full.out.residual, full.out.scale), plain.history[0]);
    if (full.history[0] < plain.history[0]) {
      ++taken;
      continue;
    }
    ++kept;
    EXPECT_EQ(full.history, plain.history);
    EXPECT_EQ(full.u, plain.u);
  }
  EXPECT_GT(kept, test::rounds(80) / 8);
  EXPECT_GT(taken, 0);
}

}  // namespace
}  // namespace dwell
