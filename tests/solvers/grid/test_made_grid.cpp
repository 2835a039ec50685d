// SPDX-License-Identifier: MIT
// Set-ups that GPUs do, played by threads of a CPU: the bits of the host's.
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

#include "grid_kernel_cpu.hpp"
#include "grid_made.hpp"
#include "grid_problem.hpp"
#include "sanitized.hpp"

namespace dwell {
namespace {

using testing::grid_kernel_cpu;
using testing::grid_problem;
using testing::random_grid_problem;

/// Made by some teams; false where the host makes all.
template <class T>
bool expect_made(unsigned seed, int most, double jump) {
  grid_problem<T> p;
  random_grid_problem(seed, most, jump, p);
  SCOPED_TRACE(p.says);
  std::mt19937 chance(seed + 7);
  const int teams = 1 + int(chance() % 5);
  grid_kernel_cpu<T> kernel(teams, chance() % 2 == 0);
  const grids::deal_limits limits{teams, kernel.lanes(), 40, 16, chance() % 3 > 0};
  return testing::expect_made_as_by_the_host<T>(device::cpu(1), kernel, limits, p.d);
}

TEST(MadeGrid, HasTheBitsOfTheHosts) {
  int made = 0;
  for (int k = 0; k < test::rounds(240) && !HasFailure(); ++k) {
    const double jump = k % 3 == 0 ? 1.5 : k % 3 == 1 ? 20 : 1e4;
    made += expect_made<double>(1 + unsigned(k), k % 8 ? 40 : 150, jump);
    if (k % 2) made += expect_made<float>(1001 + unsigned(k), 40, jump);
  }
  EXPECT_GT(made, test::rounds(240) / 2);
}

/// So many rows that their places, and small levels, need several pieces of memory.
TEST(MadeGrid, HasTheBitsOfTheHostsWhereRowsAreMany) {
  std::mt19937 chance(11);
  for (const bool guarded : {false, true}) {
    SCOPED_TRACE(guarded);
    grid_description<float> d{.cells = {16000, 4}};
    std::vector<float> k(64000);
    for (float& v : k) v = 1 + float(chance() % 1000) / 1000;
    d.k_cells = k;
    grid_kernel_cpu<float> kernel(3, true);
    const grids::deal_limits limits{3, kernel.lanes(), 40, 16, guarded};
    EXPECT_TRUE(testing::expect_made_as_by_the_host<float>(device::cpu(1), kernel, limits, d));
  }
}

template <class T>
grids::made_grid<T> made_by_teams(const grid_description<T>& d) {
  grid_kernel_cpu<T> kernel(3, true);
  const grids::deal_limits limits{3, kernel.lanes(), 40, 16, true};
  return grids::make_grid<T>(device::cpu(1), kernel, grids::discretize_elsewhere(d),
                             grids::method_of({}, backend::cuda), limits);
}

/// Each kind of value that discretize() refuses, at any place.
TEST(MadeGrid, SaysWhatTheHostRefuses) {
  std::mt19937 chance(5);
  for (int round = 0; round < test::rounds(40); ++round) {
    SCOPED_TRACE(round);
    grid_description<float> d{.cells = {1 + int(chance() % 30), 1 + int(chance() % 30)}};
    const std::size_t cells = std::size_t(d.cells[0]) * std::size_t(d.cells[1]);
    std::vector<float> k(cells, 1.0f), s(cells, 0.0f);
    d.k_cells = k;
    if (round % 2) d.s_cells = s;
    EXPECT_TRUE(made_by_teams(d).good);
    const float bad[] = {0, -1, NAN, HUGE_VALF};
    std::vector<float>& of = round % 4 == 1 ? s : k;
    of[chance() % cells] = round % 4 == 1 ? (round % 8 == 1 ? NAN : -HUGE_VALF) : bad[chance() % 4];
    EXPECT_THROW(grids::discretize(d), input_error);
    EXPECT_FALSE(made_by_teams(d).good);
    of.assign(cells, round % 4 == 1 ? 0.0f : 1.0f);
    d.spacing = round % 3 ? std::vector<double>{1e30, 1e30} : std::vector<double>{1e-30, 1e-30};
    EXPECT_THROW(grids::discretize(d), input_error);
    EXPECT_FALSE(made_by_teams(d).good);
  }
}

}  // namespace
}  // namespace dwell
