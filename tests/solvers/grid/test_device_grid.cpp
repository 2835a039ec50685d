// SPDX-License-Identifier: MIT
// The solves of grids that GPUs do, played by threads of a CPU: true residuals by the operator,
// iterations beside those of the solver of CPUs, every boundary, size and dimension.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/device/compiled_kernel.hpp"
#include "dwell/execution/device/nvrtc.hpp"
#include "dwell/grid/grid_solver.hpp"
#include "dwell/solvers/grid/device/device_grid.hpp"
#include "grid_answers.hpp"
#include "grid_far.hpp"
#include "grid_kernel_cpu.hpp"
#include "grid_problem.hpp"
#include "sanitized.hpp"
#include "scratch.hpp"

namespace dwell {
namespace {

using testing::grid_kernel_cpu;
using testing::grid_problem;
using testing::random_grid_problem;
using testing::random_values;

template <class T>
double norm_of(const std::vector<T>& v) {
  double sum = 0;
  for (const T e : v) sum += double(e) * double(e);
  return std::sqrt(sum);
}

template <class T>
grids::prepared_grid<T> prepared_for(const grid_description<T>& d,
                                     const grids::chosen_method& method) {
  grids::system<T> made = grids::discretize(d);
  const std::shared_ptr<communicator> alone = self_communicator();
  const grids::divided_grid grid = grids::undivided(*alone, made.a.shape);
  grids::exchange_cost none;
  return {grid, std::move(made), {}, method, none};
}

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
                            chance() % 2 ? 128 : 16};
  const grids::chosen_method method = grids::method_of(o);
  const grids::prepared_grid<T> prepared = prepared_for(p.d, method);
  grids::device_grid<T> grid(device::cpu(1), prepared, method, limits);

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
                                 .rtol = o.rtol,
                                 .max_iterations = o.max_iterations,
                                 .history = true,
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
    EXPECT_LE(norm_of(left), 1.05 * o.rtol * of_b + eps * (norm_of(au) + of_b) * 100);
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

TEST(DeviceGrid, WorkIsDealtToAllLanesOnce) {
  std::mt19937 chance(1);
  for (int round = 0; round < 2000; ++round) {
    const auto drawn = [&](int least, int most) {
      return least + int(chance() % unsigned(most - least + 1));
    };
    const int rows = drawn(1, 60), n = drawn(1, round % 5 ? 70 : 3000), teams = drawn(1, 140),
              lanes = 32 << drawn(0, 5);
    const grids::row_deal d = grids::deal_of(rows, n, teams, lanes);
    const int evens = (n + 1) / 2;
    EXPECT_GE(d.piece << d.piece_bits, evens);
    EXPECT_LE(1 << d.lane_bits, 32);
    EXPECT_LE(1 << d.lane_bits, lanes);
    EXPECT_EQ(d.piece % (1 << d.lane_bits), 0);
    EXPECT_EQ(d.each * teams + d.rest, rows << d.piece_bits);
    EXPECT_LT(d.rest, teams);
  }
}

TEST(DeviceGrid, TheKernelCompilesWithoutAGpu) {
  if (test::sanitized) GTEST_SKIP() << "the compiler is not ours";
  try {
    nvrtc::library(0);
  } catch (const unsupported_error& e) {
    GTEST_SKIP() << e.what();
  }
  const test::scratch_folder folder;
  setenv("DWELL_CACHE_DIR", (folder / "cache").c_str(), 1);
  const auto made = compile_kernel({"#include \"dwell/solvers/grid/device/kernel_cuda.cuh\"\n",
                                    "dwell::cuda::grid_solve_kernel<double, 512>"},
                                   {90, 0});
  EXPECT_GT(made->cubin.size(), 10000U);
  unsetenv("DWELL_CACHE_DIR");
}

template <class T>
void expect_far_device_answers_said() {
  for (unsigned seed = 1; seed <= unsigned(test::rounds(200)); ++seed) {
    SCOPED_TRACE(seed);
    const testing::far_grid<T> far(seed);
    const grids::chosen_method method = grids::method_of({});
    const grids::prepared_grid<T> prepared = prepared_for(far.p.d, method);
    const int teams = 1 + int(seed % 3);
    grid_kernel_cpu<T> kernel(teams, seed % 2 == 0);
    grids::device_grid<T> grid(device::cpu(1), prepared, method, {teams, kernel.lanes(), 40, 16});
    std::vector<T> u = far.start;
    std::vector<double> history;
    const grids::device_outcome out = grid.solve(kernel,
                                                 {.f = far.b.data(),
                                                  .u = u.data(),
                                                  .algebraic = true,
                                                  .rtol = far.rtol,
                                                  .max_iterations = 500},
                                                 {}, history);
    ASSERT_FALSE(out.bad_rhs || out.bad_start);
    far.expect_honest(stop_reason(out.stopped), u);
  }
}

TEST(DeviceGrid, AnswersThatAreTooLargeOrTooSmallForTheirTypeAreSaid) {
  expect_far_device_answers_said<double>();
  expect_far_device_answers_said<float>();
}

TEST(DeviceGrid, ValuesThatAreNotFiniteAreSaid) {
  grid_problem<double> p;
  random_grid_problem(5, 20, 2, p);
  const grids::chosen_method method = grids::method_of({});
  const grids::prepared_grid<double> prepared = prepared_for(p.d, method);
  grid_kernel_cpu<double> kernel(2, false);
  grids::device_grid<double> grid(device::cpu(1), prepared, method, {2, kernel.lanes(), 40, 16});
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    for (const bool in_rhs : {true, false}) {
      std::vector<double> f(p.cells(), 1.0), u(f.size(), 0.0), history;
      (in_rhs ? f : u)[f.size() / 2] = bad;
      const grids::device_outcome out = grid.solve(
          kernel, {.f = f.data(), .u = u.data(), .rtol = 1e-8, .max_iterations = 10}, {}, history);
      EXPECT_EQ(out.bad_rhs, in_rhs);
      EXPECT_EQ(out.bad_start, !in_rhs);
    }
}

}  // namespace
}  // namespace dwell
