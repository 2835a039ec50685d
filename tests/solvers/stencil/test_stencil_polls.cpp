// SPDX-License-Identifier: MIT
// When runs of stencils poll: at every test, and in between often enough to be interrupted, also
// where tests are far apart and no part of that is a good distance.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <thread>
#include <vector>

#include "dwell/execution/stencil/args.hpp"
#include "each_stencil_way.hpp"
#include "place.hpp"
#include "stencil_oracle.hpp"

namespace dwell::test {
namespace {

class stencil_polls : public each_stencil_way {};

TEST(stencil_args, polls_are_at_all_tests_and_never_right_before_one) {
  for (const int steps : {1, 2, 3, 64, 65, 66, 200, 2019})
    for (const int check_every : {1, 2, 3, 7, 64, 65, 66, 101, 1009, 4000})
      for (const int poll_every : {1, 2, 7, 64, 1024})
        for (const bool until : {false, true}) {
          stencil_args<double> a;
          a.steps = steps;
          a.until = until;
          a.check_every = check_every;
          a.poll_every = poll_every;
          for (int done = 0; done < steps;) {
            const int poll = a.next_poll(done);
            ASSERT_GT(poll, done);
            ASSERT_LE(poll, steps);
            ASSERT_LE(poll - done, poll_every + (until ? 1 : 0));
            for (int step = done + 1; step < poll; ++step) {
              ASSERT_FALSE(a.tests(step));
              ASSERT_FALSE(a.polls(step));
            }
            ASSERT_TRUE(a.polls(poll));
            if (poll < steps && !a.tests(poll)) {
              ASSERT_FALSE(a.tests(poll + 1));
            }
            done = poll;
          }
        }
}

/// With these weights every step moves a periodic field by one cell: no run converges.
const std::vector<double> moving = {0, 0, 1, 0, 0};
grid<double> moved(const grid<double>& start, int steps) {
  const extents n = start.size();
  grid<double> u(n);
  for (int y = 0; y < n.y; ++y)
    for (int x = 0; x < n.x; ++x) u(y, x) = start(y, (x + steps % n.x) % n.x);
  return u;
}

TEST_F(stencil_polls, tests_that_nothing_divides_compare_whole_fields) {
  const auto start = random_field<double>({9, 34}, 3);
  for (const int every : {131, 3001}) {
    // A graph of more than 2048 steps makes no rounds.
    if (every > 2048 && stencil_place::where().on() == backend::cpu) continue;
    const int steps = 2 * every + 1;
    const auto before = moved(start, steps - 1), after = moved(start, steps);
    double largest = 0;
    for (std::size_t i = 0; i < after.cells().size(); ++i)
      largest = std::max(largest, std::abs(after.cells()[i] - before.cells()[i]));
    each_way([&](stencil_options o) {
      o.edge = boundary::periodic;
      o.weights = moving;
      o.until = 0;
      o.check_every = every;
      o.steps = steps;
      auto u = start;
      const auto report = solve(stencil_place::where(), u, o);
      EXPECT_EQ(report.stopped, stencil_stop::step_limit);
      EXPECT_EQ(report.steps, steps);
      EXPECT_EQ(report.change.value(), largest);
      EXPECT_EQ(difference(u, after), "");
    });
  }
}

TEST_F(stencil_polls, an_interrupt_does_not_wait_for_a_test_far_away) {
  const auto start = random_field<double>({40, 50}, 3);
  each_way([&](stencil_options o) {
    std::atomic<bool> stop = false;
    std::jthread later([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
      stop = true;
    });
    o.interrupt = &stop;
    o.edge = boundary::periodic;
    o.weights = moving;
    o.until = 0;
    o.check_every = 1999999973;  // a prime
    o.steps = 2000000000;
    auto u = start;
    const auto report = solve(stencil_place::where(), u, o);
    ASSERT_EQ(report.stopped, stencil_stop::interrupted);
    ASSERT_LT(report.steps, o.check_every);
    EXPECT_EQ(difference(u, moved(start, report.steps)), "");
  });
}

}  // namespace
}  // namespace dwell::test
