// SPDX-License-Identifier: MIT
// Solves with Galerkin's levels that GPUs do, played by threads of a CPU, beside a thread with the
// same levels; and slow solves that go on with them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <vector>

#include "dwell/grid/grid_operator.hpp"
#include "dwell/solvers/grid/slow_end.hpp"
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

int histories_compared = 0;  ///< histories of norms, beside those of a CPU

/// A random problem with Galerkin's levels, by some teams and by a thread of the CPU.
void expect_galerkin(unsigned seed, int most, double jump, const grid_options& o) {
  grid_problem<double> p;
  random_grid_problem(seed, most, jump, p);
  std::mt19937 chance(seed + 7);
  grids::chosen_method method = grids::method_of(o);
  method.coarse = grids::coarse_operators::galerkin;
  method.galerkin_bottom = chance() % 3 ? 6 : 150;
  SCOPED_TRACE(p.says + ", cycle " + o.cycle + fmt::format(", to {}", method.galerkin_bottom));
  const int teams = 1 + int(chance() % 5);
  grid_kernel_cpu<double> kernel(teams, chance() % 2 == 0);
  const grids::deal_limits limits{teams, kernel.lanes(), chance() % 3 ? 40u : 4096u,
                                  chance() % 2 ? 128 : 16, true};
  const grids::prepared_grid<double> prepared = prepared_for(p.d, method);
  grids::device_grid<double> grid(device::cpu(1), prepared, nullptr, method, limits);
  const grids::device_levels levels(device::cpu(1), *prepared.levels.own, {}, limits);
  grid_operator<double> a(device::cpu(1), p.d);
  const std::size_t n = a.rows();
  const std::vector<double> b = random_values<double>(n, seed);
  std::vector<double> u(n, 0.0), history;
  const bool twice = prepared.levels.own->twice;
  const grids::device_outcome out = grid.solve(kernel,
                                               {.f = b.data(),
                                                .u = u.data(),
                                                .algebraic = true,
                                                .rtol = *o.rtol,
                                                .max_iterations = o.max_iterations,
                                                .history = true,
                                                .levels = &levels,
                                                .twice = twice},
                                               {}, history);
  if (out.indefinite && twice) return;
  const std::vector<double> wanted =
      testing::thread_run<double>(prepared, method, o, b, std::vector<double>(n, 0.0)).out.history;
  // In three dimensions, and where a ring has an odd number of cells, the order is another one. In
  // singular systems rounding of f32 is where one unknown is held, over the least conductance.
  const auto other_order = [](const grids::grid_shape& g) {
    bool is = g.n[1] > 1;
    for (std::size_t axis = 0; axis < 3; ++axis) is = is || (g.wraps[axis] && g.n[axis] % 2);
    return is;
  };
  bool compare = !other_order(prepared.system.a.shape) && !a.singular();
  for (const auto& l : prepared.levels.own->galerkin.levels)
    compare = compare && !other_order(l.shape);
  if (compare) {
    ++histories_compared;
    ASSERT_GT(history.size(), 0U);
    for (std::size_t i = 0; i < std::min({history.size(), wanted.size(), std::size_t(2)}); ++i)
      EXPECT_NEAR(std::ldexp(history[i], out.scale), wanted[i], 5e-3 * wanted[i] + 1e-5 * wanted[0])
          << i;
  }
  if (wanted.back() <= *o.rtol * wanted[0]) {
    EXPECT_EQ(stop_reason(out.stopped), stop_reason::converged);
    EXPECT_LE(out.iterations, int(wanted.size()) + 2 + int(wanted.size()) / 4);
  }
  if (stop_reason(out.stopped) != stop_reason::converged) return;
  std::vector<double> au(n);
  a.apply(u, au);
  double mean = 0, left = 0, all = 0;
  if (a.singular())
    for (const double v : b) mean += v / double(n);
  for (std::size_t i = 0; i < n; ++i) {
    left += std::pow(b[i] - mean - au[i], 2);
    all += std::pow(b[i] - mean, 2);
  }
  EXPECT_LE(std::sqrt(left), (1.05 * *o.rtol + 1e-10) * std::sqrt(all) + 1e-11 * norm_of(au));
}

TEST(DeviceGrid, SolvesWithGalerkinsLevels) {
  grid_options o;
  o.rtol = 1e-8;
  histories_compared = 0;
  for (int k = 0; k < test::rounds(160); ++k) {
    o.cycle = k % 3 ? "auto" : "v";
    expect_galerkin(4001 + unsigned(k), k % 2 ? 40 : 12, k % 4 ? 1e3 : 3, o);
  }
  EXPECT_GT(histories_compared, test::rounds(160) / 8);
}

TEST(DeviceGrid, SlowSolvesEndAndGoOnWithGalerkinsLevels) {
  constexpr int n = 160, block = 5, blocks = n / block;
  std::mt19937 random(3);
  std::vector<bool> is_high;
  for (int k = 0; k < blocks * blocks; ++k) is_high.push_back(random() % 2);
  grid_description<double> d;
  d.cells = {n, n};
  std::vector<double> k, f(std::size_t(n * n), 1.0), u(f.size(), 0.0), history;
  for (int cell = 0; cell < n * n; ++cell)
    k.push_back(is_high[std::size_t(cell / n / block * blocks + cell % n / block)] ? 1e4 : 1.0);
  d.k_cells = k;
  grids::chosen_method method = grids::method_of({}, backend::cuda);
  method.galerkin_bottom = 200;
  grids::prepared_grid<double> prepared = prepared_for(d, method);
  grid_kernel_cpu<double> kernel(3, true);
  const grids::deal_limits limits{3, kernel.lanes(), 600, 128, true};
  grids::device_grid<double> grid(device::cpu(1), prepared, nullptr, method, limits);
  const grids::device_levels averaged(device::cpu(1), *prepared.levels.own, {}, limits);
  grids::grid_request<double> request{.f = f.data(),
                                      .u = u.data(),
                                      .rtol = 1e-8,
                                      .max_iterations = 200,
                                      .levels = &averaged,
                                      .twice = true,
                                      .slow_after = grids::slow_after};
  const grids::device_outcome first = grid.solve(kernel, request, {}, history);
  EXPECT_TRUE(first.slow);
  EXPECT_EQ(first.iterations, grids::slow_after);
  const std::shared_ptr<communicator> alone = self_communicator();
  grids::exchange_cost none;
  prepared.add_galerkin(grids::undivided(*alone, prepared.system.a.shape), method, none);
  EXPECT_TRUE(prepared.galerkin->own->galerkin.levels[0].u.empty());
  const grids::device_levels galerkin(device::cpu(1), *prepared.galerkin->own, {}, limits);
  request.levels = &galerkin;
  request.slow_after = 0;
  const grids::device_outcome then = grid.solve(kernel, request, {}, history);
  EXPECT_EQ(stop_reason(then.stopped), stop_reason::converged);
  EXPECT_LE(then.iterations, 30);
  EXPECT_LT(then.residual, 1.01e-8 * then.rhs_norm);
}

}  // namespace
}  // namespace dwell
