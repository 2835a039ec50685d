// SPDX-License-Identifier: MIT
// How runs of stencils end: tolerances, limits, overflow, interrupts, an exception of the caller's.
// All ways end at the same step, with the field of that step.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <thread>

#include "each_stencil_way.hpp"
#include "place.hpp"
#include "stencil_oracle.hpp"

namespace dwell::test {
namespace {

class stencil_ends : public each_stencil_way {};

/// Largest change of a cell.
double largest_change(const grid<double>& before, const grid<double>& after) {
  double largest = 0;
  for (std::size_t i = 0; i < after.cells().size(); ++i)
    largest = std::max(largest, std::abs(after.cells()[i] - before.cells()[i]));
  return largest;
}

TEST_F(stencil_ends, all_ways_end_at_the_same_step) {
  for (const int every : sanitized ? std::vector{7} : std::vector{1, 7, 101}) {
    // The number of steps, and the time of the test, grow as the number of cells.
    const auto start = random_field<double>(every == 7 ? extents(21, 34) : extents(9, 23), 3);
    int expected = -1;
    double change = 0;
    each_way([&](stencil_options o) {
      o.until = 1e-4;
      o.check_every = every;
      o.steps = 5000;
      auto u = start;
      const auto report = solve(stencil_place::where(), u, o);
      EXPECT_EQ(report.stopped, stencil_stop::converged);
      EXPECT_EQ(report.steps % every, 0);
      if (expected < 0) {
        expected = report.steps;
        change = report.change.value();
        const auto before = stencil_by_loops("2d5pt", start, expected - 1, o.edge);
        const auto after = stencil_by_loops("2d5pt", before, 1, o.edge);
        EXPECT_EQ(change, largest_change(before, after));
        EXPECT_EQ(difference(u, after), "");
      }
      EXPECT_EQ(report.steps, expected) << "tested every " << every;
      EXPECT_EQ(report.change, change);
    });
  }
}

/// Blocks, and streams, whose passes of two steps a test may come in the middle of.
TEST_F(stencil_ends, in_three_dimensions_all_ways_end_at_the_same_step) {
  const auto start = random_field<double>({9, 12, 20}, 3);
  int turn = 0;
  for (const boundary edge : {boundary::fixed, boundary::periodic, boundary::reflect})
    for (const int every : {1, 3, 4}) {
      // Every boundary and every number of steps once, or twice.
      if (const int here = turn++ % 4; sanitized ? here != 0 : here == 3) continue;
      int expected = -1, streams = 0;
      double change = 0;
      grid<double> end;
      each_way("3d7pt", [&](stencil_options o) {
        o.edge = edge;
        o.until = 1e-3;
        o.check_every = every;
        auto u = start;
        const auto report = solve(stencil_place::where(), u, o);
        EXPECT_EQ(report.stopped, stencil_stop::converged);
        EXPECT_EQ(report.steps % every, 0);
        if (expected < 0) {
          expected = report.steps;
          const auto before = stencil_by_loops(o.shape, start, expected - 1, edge);
          end = stencil_by_loops(o.shape, before, 1, edge);
          change = largest_change(before, end);
        }
        EXPECT_EQ(report.steps, expected) << to_string(edge) << ", tested every " << every;
        EXPECT_EQ(report.change, change) << to_string(edge) << ", tested every " << every;
        EXPECT_EQ(difference(u, end), "") << to_string(edge) << ", tested every " << every;
        streams += report.engine.starts_with("stream");
      });
      EXPECT_GE(streams, 1);
    }
}

TEST_F(stencil_ends, the_step_limit_is_kept_and_tested) {
  for (const int steps : {1, 2, 99, 130})
    each_way([&](stencil_options o) {
      o.until = 0;
      o.check_every = 8;
      o.steps = steps;
      auto u = random_field<double>({9, 9}, 3);
      const auto report = solve(stencil_place::where(), u, o);
      EXPECT_EQ(report.stopped, stencil_stop::step_limit);
      EXPECT_EQ(report.steps, steps);
      EXPECT_GT(report.change.value(), 0);
      EXPECT_EQ(
          difference(u, stencil_by_loops("2d5pt", random_field<double>({9, 9}, 3), steps, o.edge)),
          "");
    });
}

/// More steps between two tests than between two polls: a test at the limit then comes right after
/// a poll.
TEST_F(stencil_ends, a_test_after_a_poll_compares_whole_fields) {
  const auto start = random_field<double>({21, 34}, 3);
  const auto before = stencil_by_loops("2d5pt", start, 64, boundary::fixed);
  const auto after = stencil_by_loops("2d5pt", before, 1, boundary::fixed);
  const double largest = largest_change(before, after);
  for (const int every : {128, 1031, 4096})
    each_way([&](stencil_options o) {
      o.edge = boundary::fixed;
      o.until = 0;
      o.check_every = every;
      o.steps = 65;
      auto u = start;
      const auto report = solve(stencil_place::where(), u, o);
      EXPECT_EQ(report.steps, 65);
      EXPECT_EQ(report.change.value(), largest);
      EXPECT_EQ(difference(u, after), "");
    });
}

TEST_F(stencil_ends, growth_beyond_all_numbers_is_noticed) {
  each_way([&](stencil_options o) {
    o.weights = {1e30, 1e30, -1e30, 1e30, 1e30};
    o.until = 1e-3;
    o.check_every = 2;
    o.steps = 1000;
    auto u = random_field<double>({16, 16}, 3);
    const auto report = solve(stencil_place::where(), u, o);
    EXPECT_EQ(report.stopped, stencil_stop::not_finite);
    EXPECT_LT(report.steps, 50);
    EXPECT_FALSE(report.finite);
  });
}

TEST_F(stencil_ends, an_interrupt_before_the_first_test_reports_no_change) {
  each_way([&](stencil_options o) {
    std::atomic<bool> stop = false;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
      stop = true;
    });
    o.interrupt = &stop;
    o.until = 0;
    o.check_every = o.steps = 2000000000;
    auto u = random_field<double>({40, 50}, 3);
    const auto report = solve(stencil_place::where(), u, o);
    ASSERT_EQ(report.stopped, stencil_stop::interrupted);
    EXPECT_FALSE(report.change.has_value());
  });
}

TEST_F(stencil_ends, an_interrupt_ends_it_with_the_field_of_the_step_it_reports) {
  each_way([&](stencil_options o) {
    for (const bool until : {false, true}) {
      std::atomic<bool> stop = false;
      std::jthread later([&] {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        stop = true;
      });
      o.interrupt = &stop;
      o.steps = 2000000000;
      if (until) o.until = 0;
      o.edge = boundary::periodic;
      o.weights = {0, 0, 1, 0, 0};  // every step moves the field by one cell
      auto start = random_field<double>({40, 50}, 3);
      auto u = start;
      const auto report = solve(stencil_place::where(), u, o);
      ASSERT_EQ(report.stopped, stencil_stop::interrupted);
      ASSERT_GT(report.steps, 0);
      grid<double> moved(start.size());
      for (int y = 0; y < 40; ++y)
        for (int x = 0; x < 50; ++x) moved(y, x) = start(y, (x + report.steps % 50) % 50);
      EXPECT_EQ(difference(u, moved), "");
    }
  });
}

/// Covers warps' cached rows, and the last ones, which live in the field.
TEST_F(stencil_ends, an_interrupt_leaves_all_of_a_fully_cached_field) {
  std::atomic<bool> stop = false;
  std::jthread later([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = true;
  });
  stencil_options o;
  o.shape = "2d5pt";
  o.executor = "perks";
  o.policy = "both";
  o.blocking = "spatial";
  o.teams = 2;  // whose tiles would not be wide enough
  o.interrupt = &stop;
  o.steps = 2000000000;
  o.edge = boundary::periodic;
  o.weights = {0, 0, 1, 0, 0};
  const auto start = random_field<double>({80, 260}, 3);
  auto u = start;
  const auto report = solve(stencil_place::where(), u, o);
  ASSERT_EQ(report.stopped, stencil_stop::interrupted);
  EXPECT_EQ(report.engine, "strip2d") << report.reason;
  grid<double> moved(start.size());
  for (int y = 0; y < 80; ++y)
    for (int x = 0; x < 260; ++x) moved(y, x) = start(y, (x + report.steps % 260) % 260);
  EXPECT_EQ(difference(u, moved), "");
}

TEST_F(stencil_ends, an_interrupt_in_three_dimensions_leaves_the_field_of_the_step_it_reports) {
  const auto start = random_field<double>({8, 10, 50}, 3);
  int streams = 0;
  each_way("3d7pt", [&](stencil_options o) {
    std::atomic<bool> stop = false;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      stop = true;
    });
    o.interrupt = &stop;
    o.steps = 2000000000;
    o.edge = boundary::periodic;
    o.weights = {0, 0, 1, 0, 0, 0, 0};  // every step moves the field by one cell
    auto u = start;
    const auto report = solve(stencil_place::where(), u, o);
    ASSERT_EQ(report.stopped, stencil_stop::interrupted);
    grid<double> moved(start.size());
    for (int z = 0; z < 8; ++z)
      for (int y = 0; y < 10; ++y)
        for (int x = 0; x < 50; ++x) moved(z, y, x) = start(z, y, (x + report.steps % 50) % 50);
    EXPECT_EQ(difference(u, moved), "");
    streams += report.engine.starts_with("stream");
  });
  EXPECT_GE(streams, 1);
}

TEST_F(stencil_ends, what_progress_returns_ends_the_run) {
  each_way([&](stencil_options o) {
    o.steps = 2000000000;
    o.progress_interval = 0.01;
    int calls = 0;
    o.progress = [&](const stencil_progress&) { return ++calls < 2; };
    auto u = random_field<double>({40, 50}, 3);
    EXPECT_EQ(solve(stencil_place::where(), u, o).stopped, stencil_stop::interrupted);
    EXPECT_EQ(calls, 2);
  });
}

TEST_F(stencil_ends, progress_is_told_and_may_throw) {
  each_way([&](stencil_options o) {
    o.steps = 2000000000;
    o.progress_interval = 0.01;
    int seen = 0;
    o.progress = [&](const stencil_progress& p) {
      seen = std::max(seen, p.step);
      if (p.step > 0) throw std::runtime_error("enough");
    };
    auto u = random_field<double>({40, 50}, 3);
    EXPECT_THROW(solve(stencil_place::where(), u, o), std::runtime_error);
    EXPECT_GT(seen, 0);
  });
}

}  // namespace
}  // namespace dwell::test
