// SPDX-License-Identifier: MIT
// Values at the ends of their types in solves that GPUs do, played by threads of a CPU.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "grid_far.hpp"
#include "grid_problem.hpp"
#include "played_grid.hpp"
#include "sanitized.hpp"

namespace dwell {
namespace {

using testing::grid_kernel_cpu;
using testing::grid_problem;
using testing::prepared_for;
using testing::random_grid_problem;

template <class T>
void expect_far_device_answers_said() {
  for (unsigned seed = 1; seed <= unsigned(test::rounds(200)); ++seed) {
    SCOPED_TRACE(seed);
    const testing::far_grid<T> far(seed);
    const grids::chosen_method method = grids::method_of({}, backend::cuda);
    const grids::prepared_grid<T> prepared = prepared_for(far.p.d, method);
    const int teams = 1 + int(seed % 3);
    grid_kernel_cpu<T> kernel(teams, seed % 2 == 0);
    const grids::deal_limits limits{teams, kernel.lanes(), 40, 16};
    grids::device_grid<T> grid(device::cpu(1), prepared, nullptr, method, limits);
    const grids::device_levels levels(device::cpu(1), *prepared.levels.own, {}, limits);
    std::vector<T> u = far.start;
    std::vector<double> history;
    const grids::device_outcome out = grid.solve(kernel,
                                                 {.f = far.b.data(),
                                                  .u = u.data(),
                                                  .algebraic = true,
                                                  .rtol = far.rtol,
                                                  .max_iterations = 500,
                                                  .levels = &levels},
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
  const grids::chosen_method method = grids::method_of({}, backend::cuda);
  const grids::prepared_grid<double> prepared = prepared_for(p.d, method);
  grid_kernel_cpu<double> kernel(2, false);
  const grids::deal_limits limits{2, kernel.lanes(), 40, 16};
  grids::device_grid<double> grid(device::cpu(1), prepared, nullptr, method, limits);
  const grids::device_levels levels(device::cpu(1), *prepared.levels.own, {}, limits);
  for (const double bad : {std::nan(""), HUGE_VAL, -HUGE_VAL})
    for (const bool in_rhs : {true, false}) {
      std::vector<double> f(p.cells(), 1.0), u(f.size(), 0.0), history;
      (in_rhs ? f : u)[f.size() / 2] = bad;
      const grids::device_outcome out = grid.solve(
          kernel,
          {.f = f.data(), .u = u.data(), .rtol = 1e-8, .max_iterations = 10, .levels = &levels}, {},
          history);
      EXPECT_EQ(out.bad_rhs, in_rhs);
      EXPECT_EQ(out.bad_start, !in_rhs);
    }
}

/// A start so far above the right-hand side that its residual would leave the range is zeros.
template <class T>
void expect_far_starts_taken_as_zeros(int least, int most) {
  for (unsigned seed = 1; seed <= 12; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937 random(seed);
    grid_problem<T> p;
    random_grid_problem(seed, 20, 1 + int(seed % 3), p);
    const grids::chosen_method method = grids::method_of({}, backend::cuda);
    const grids::prepared_grid<T> prepared = prepared_for(p.d, method);
    const int teams = 1 + int(seed % 3);
    grid_kernel_cpu<T> kernel(teams, seed % 2 == 0);
    const grids::deal_limits limits{teams, kernel.lanes(), 40, 16};
    grids::device_grid<T> grid(device::cpu(1), prepared, nullptr, method, limits);
    const grids::device_levels levels(device::cpu(1), *prepared.levels.own, {}, limits);
    const std::vector<T> f = random_values<T>(p.cells(), seed);
    const int exponent = least + int(random() % unsigned(most - least + 1));
    const auto solved = [&](std::vector<T> u) {
      std::vector<double> history;
      const grids::device_outcome out = grid.solve(
          kernel,
          {.f = f.data(), .u = u.data(), .rtol = 1e-4, .max_iterations = 100, .levels = &levels},
          {}, history);
      EXPECT_FALSE(out.bad_rhs || out.bad_start);
      EXPECT_NE(stop_reason(out.stopped), stop_reason::not_finite);
      return u;
    };
    std::vector<T> far = random_values<T>(p.cells(), seed + 100);
    for (T& v : far) v = std::ldexp(v, exponent);
    EXPECT_EQ(solved(far), solved(std::vector<T>(p.cells())));
  }
}

TEST(DeviceGrid, FarStartsAreTakenAsZeros) {
  expect_far_starts_taken_as_zeros<double>(540, 1000);
  expect_far_starts_taken_as_zeros<float>(90, 120);
}

}  // namespace
}  // namespace dwell
