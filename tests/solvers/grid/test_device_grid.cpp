// SPDX-License-Identifier: MIT
// The solves of grids that GPUs do, played by threads of a CPU: true residuals by the operator,
// iterations beside those of the solver of CPUs, every boundary, size and dimension.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "dwell/grid/grid_solver.hpp"
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

/// A random problem by some teams, and by the solver of CPUs.
template <class T>
void expect_solved(unsigned seed, int most, double jump, const grid_options& o) {
  grid_problem<T> p;
  random_grid_problem(seed, most, jump, p);
  SCOPED_TRACE(p.says + ", " + o.method + ", cycle " + o.cycle);
  std::mt19937 chance(seed + 7);
  const int teams = 1 + int(chance() % 5);
  grid_kernel_cpu<T> kernel(teams, chance() % 2 == 0);
  grids::deal_limits limits{teams, kernel.lanes(), chance() % 3 ? 40u : 4096u,
                            chance() % 2 ? 128 : 16, true};
  const grids::chosen_method method = grids::method_of(o, backend::cuda);
  const grids::axis_order order(p.d.cells, grids::reordering::any);
  const grids::prepared_grid<T> prepared = prepared_for(p.d, method, order);
  EXPECT_TRUE(prepared.levels.own->levels[0].u.empty());
  grids::device_grid<T> grid(device::cpu(1), prepared, nullptr, method, limits);
  const grids::device_levels levels(device::cpu(1), *prepared.levels.own, {}, limits);

  grid_operator<T> a(device::cpu(1), p.d);
  const std::size_t n = a.rows();
  const double magnitude = std::ldexp(1.0, int(chance() % 60) - 30);
  std::vector<T> f = random_values<T>(n, seed), b(n), start = random_values<T>(n, seed + 1);
  for (T& v : f) v = T(double(v) * magnitude);
  for (T& v : start) v = T(double(v) * magnitude);
  const bool algebraic = chance() % 3 == 0;
  if (algebraic)
    b = f;
  else
    a.rhs(f, b);
  std::vector<T> u = start, by_cpu = start;
  grids::grid_request<T> request{.f = f.data(),
                                 .u = u.data(),
                                 .algebraic = algebraic,
                                 .rtol = *o.rtol,
                                 .max_iterations = o.max_iterations,
                                 .history = true,
                                 .levels = &levels,
                                 .twice = prepared.levels.own->twice};
  std::vector<double> history;
  const grids::device_outcome out = grid.solve(kernel, request, {}, history);
  grid_solver<T> solver(device::cpu(1), p.d, o);
  const grid_report r = algebraic ? solver.solve_algebraic(f, by_cpu) : solver.solve(f, by_cpu);
  if (out.indefinite && prepared.levels.own->twice) return;  // the host then visits levels once
  const auto stopped = stop_reason(out.stopped);
  if (r.stopped == stop_reason::converged) {
    EXPECT_TRUE(stopped == stop_reason::converged ||
                (sizeof(T) == 4 && stopped == stop_reason::accuracy_limit))
        << to_string(stopped);
    EXPECT_LE(std::abs(out.iterations - r.iterations), 2 + r.iterations / 8);
  }
  EXPECT_EQ(history.size(), std::size_t(out.iterations) + 1);
  // The true residual.
  double mean = 0;
  if (a.singular()) {
    for (const T v : b) mean += double(v) / double(n);
    double of_u = 0;
    for (const T v : u) of_u += double(v) / double(n);
    EXPECT_NEAR(of_u, 0, (sizeof(T) == 8 ? 1e-12 : 1e-5) * (magnitude + norm_of(u)));
  }
  std::vector<T> au(n), left(n);
  a.apply(u, au);
  for (std::size_t i = 0; i < n; ++i) left[i] = T((double(b[i]) - mean) - double(au[i]));
  std::vector<double> consistent(n);
  for (std::size_t i = 0; i < n; ++i) consistent[i] = double(b[i]) - mean;
  const double of_b = norm_of(consistent), eps = sizeof(T) == 8 ? 1e-13 : 1e-5;
  EXPECT_NEAR(std::ldexp(out.rhs_norm, out.scale), of_b, 1e-5 * of_b);
  if (stopped == stop_reason::converged) {
    EXPECT_LE(norm_of(left), 1.05 * *o.rtol * of_b + eps * (norm_of(au) + of_b) * 100);
  }
}

TEST(DeviceGrid, SolvesRandomSystems) {
  grid_options o;
  for (int k = 0; k < test::rounds(160); ++k) {
    o.rtol = 1e-9;
    expect_solved<double>(1 + unsigned(k), 40, 20, o);
    o.rtol = 1e-4;
    if (k % 4 == 0) expect_solved<float>(1001 + unsigned(k), 30, 5, o);
  }
}

TEST(DeviceGrid, CyclesAloneAndSmallLevelsTwice) {
  grid_options o;
  o.method = "multigrid";
  o.rtol = 1e-8;
  for (int k = 0; k < test::rounds(20); ++k) expect_solved<double>(2001 + unsigned(k), 30, 2, o);
  o.method = "cg";
  o.cycle = "w";
  for (int k = 0; k < test::rounds(40); ++k) expect_solved<double>(3001 + unsigned(k), 60, 50, o);
}

/// Each method with each preconditioner.
TEST(DeviceGrid, TakesAllMethodsAndPreconditioners) {
  unsigned seed = 8001;
  for (const std::string& method : grid_methods())
    for (const std::string& preconditioner : grid_preconditioners()) {
      grid_options o;
      o.method = method;
      if (preconditioner != "auto" && (method == "multigrid" || method == "jacobi")) continue;
      o.preconditioner = preconditioner;
      const bool multigrid = grids::method_of(o).has_levels();
      o.max_iterations = multigrid ? 300 : 4000;
      for (int k = 0; k < test::rounds(multigrid ? 12 : 8); ++k) {
        o.rtol = 1e-7;
        expect_solved<double>(seed++, multigrid ? 40 : 12, k % 2 ? 3 : 20, o);
        o.rtol = 1e-4;
        if (k % 4 == 0) expect_solved<float>(seed++, 12, 3, o);
      }
    }
}

/// Jacobi's iteration has no sums but those for the end: so the bits of a CPU.
TEST(DeviceGrid, JacobisIterationHasTheBitsOfACpu) {
  int compared = 0;
  for (unsigned seed = 1; seed <= unsigned(test::rounds(60)); ++seed) {
    grid_problem<double> p;
    random_grid_problem(9000 + seed, 30, 10, p);
    grid_options o;
    o.method = "jacobi";
    o.rtol = 0;
    o.max_iterations = 1 + int(seed % 23);
    const grids::chosen_method method = grids::method_of(o, backend::cuda);
    const grids::axis_order order(p.d.cells, grids::reordering::any);
    const grids::prepared_grid<double> prepared = prepared_for(p.d, method, order);
    if (prepared.system.singular) continue;
    SCOPED_TRACE(p.says);
    const int teams = 1 + int(seed % 4);
    grid_kernel_cpu<double> kernel(teams, seed % 2 == 0);
    const grids::deal_limits limits{teams, kernel.lanes(), 40, 16, true};
    grids::device_grid<double> grid(device::cpu(1), prepared, nullptr, method, limits);
    const grids::device_levels levels(device::cpu(1), *prepared.levels.own, {}, limits);
    const std::vector<double> b = random_values<double>(p.cells(), seed);
    std::vector<double> u = random_values<double>(b.size(), seed + 1), by_cpu = u, history;
    const grids::device_outcome out = grid.solve(kernel,
                                                 {.f = b.data(),
                                                  .u = u.data(),
                                                  .algebraic = true,
                                                  .max_iterations = o.max_iterations,
                                                  .levels = &levels},
                                                 {}, history);
    const grid_report r = grid_solver<double>(device::cpu(1), p.d, o).solve_algebraic(b, by_cpu);
    if (out.iterations != r.iterations || out.refinements != r.refinements) continue;
    ++compared;
    EXPECT_EQ(u, by_cpu);
  }
  EXPECT_GT(compared, test::rounds(60) / 3);
}

TEST(DeviceGrid, RelaxesLines) {
  grid_options o;
  o.smoother = "lines";
  for (int k = 0; k < test::rounds(60); ++k) {
    o.cycle = k % 3 ? "auto" : "w";
    o.rtol = 1e-8;
    expect_solved<double>(6001 + unsigned(k), k % 5 ? 40 : 90, k % 2 ? 3 : 50, o);
    o.rtol = 1e-4;
    if (k % 4 == 0) expect_solved<float>(7001 + unsigned(k), 30, 5, o);
  }
}

/// Sides of one to a few cells, axes of which one is much stronger, rings.
TEST(DeviceGrid, TinyGridsAndStrongAxes) {
  std::mt19937 chance(7);
  int several_levels = 0;
  for (const double weak : {1.0, 0.1, 1e-3})
    for (int ny = 1; ny <= 21; ny += 1 + ny / 6)
      for (int nx = 1; nx <= 21; nx += 1 + nx / 6) {
        grid_description<double> d;
        d.cells = {ny, nx};
        d.k_axes = {1, 1, 1};
        d.k_axes[chance() % 2] = weak;
        for (std::size_t axis = 0; axis < 2; ++axis)
          for (auto& side : d.boundary.sides[axis]) side.kind = boundary_kind::dirichlet;
        const auto ring = chance() % 4;
        for (auto& side : d.boundary.sides[ring % 2])
          if (ring < 2) side.kind = boundary_kind::periodic;
        if (chance() % 4 == 0) d.boundary.sides[1 - ring % 2][0].kind = boundary_kind::neumann;
        SCOPED_TRACE(fmt::format("{} x {}, weak {}, k {} {}, {} {}", ny, nx, weak, d.k_axes[0],
                                 d.k_axes[1], to_string(d.boundary.sides[0][0]),
                                 to_string(d.boundary.sides[1][0])));
        const grids::chosen_method method = grids::method_of({}, backend::cuda);
        const grids::prepared_grid<double> prepared = prepared_for(d, method);
        const int teams = 1 + int(chance() % 3);
        grid_kernel_cpu<double> kernel(teams, chance() % 2 == 0);
        const grids::deal_limits limits{teams, kernel.lanes(), 40, 16, true};
        grids::device_grid<double> grid(device::cpu(1), prepared, nullptr, method, limits);
        const grids::device_levels levels(device::cpu(1), *prepared.levels.own, {}, limits);
        grid_operator<double> a(device::cpu(1), d);
        const std::vector<double> b = random_values<double>(a.rows(), unsigned(ny * 100 + nx));
        std::vector<double> u(b.size(), 0.0), au(b.size()), history;
        const grids::device_outcome out = grid.solve(kernel,
                                                     {.f = b.data(),
                                                      .u = u.data(),
                                                      .algebraic = true,
                                                      .rtol = 1e-9,
                                                      .max_iterations = 50,
                                                      .levels = &levels},
                                                     {}, history);
        EXPECT_EQ(stop_reason(out.stopped), stop_reason::converged);
        EXPECT_LE(out.iterations, 20);
        a.apply(u, au);
        for (std::size_t i = 0; i < b.size(); ++i) au[i] -= b[i];
        EXPECT_LE(norm_of(au), 2e-9 * norm_of(b));
        if (prepared.levels.own->levels.size() > 1) ++several_levels;
      }
  EXPECT_GT(several_levels, 30);
}

}  // namespace
}  // namespace dwell
