// SPDX-License-Identifier: MIT
// A running solve and its caller, under every executor of this place: interrupts, progress,
// exceptions thrown by the callback, several callers at once.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <cmath>
#include <fstream>
#include <thread>

#include "each_executor.hpp"

namespace dwell::test {
namespace {

using seconds = std::chrono::duration<double>;
const auto now = [] { return std::chrono::steady_clock::now(); };

class interrupts : public each_executor {
 protected:
  /// Takes as many iterations as it has rows before its residual falls at all: many seconds, on any
  /// device.
  static linear_system<double> endless() {
    const index n = sanitized ? 30001 : 300001;
    return {"endless", tridiagonal(n, 2, -1), random_vector(n, 3)};
  }
  solve_options endlessly() const {
    solve_options o = options(0);
    o.max_iterations = INT_MAX;
    return o;
  }
};

TEST_P(interrupts, interrupt_set_before) {
  const auto s = system("mesh_33x47");
  const auto x0 = random_vector(s.a.rows, 6);
  const std::atomic<bool> stop{true};
  solve_options o = options();
  o.interrupt = &stop;
  const auto got = run(s, o, x0);
  check_report(s, got);
  EXPECT_EQ(got.report.stopped, stop_reason::interrupted);
  EXPECT_LE(got.report.iterations, 1);
  if (got.report.iterations == 0) {
    EXPECT_TRUE(same_bits(got.x, x0));
  }
}

TEST_P(interrupts, interrupt_never_set_changes_nothing) {
  const auto s = system("mesh_33x47");
  const std::atomic<bool> stop{false};
  solve_options o = options();
  const auto without = run(s, o);
  o.interrupt = &stop;
  o.progress = [](const solve_progress&) {};
  o.progress_interval = 1e-4;
  o.history = true;
  const auto with_all = run(s, o);
  EXPECT_TRUE(same_bits(with_all.x, without.x));
  EXPECT_EQ(with_all.report.iterations, without.report.iterations);
}

TEST_P(interrupts, interrupt_from_another_thread) {
  const auto s = endless();
  for (const bool fixed : {false, true}) {
    SCOPED_TRACE(fixed ? "fixed iterations" : "to a tolerance");
    std::atomic<bool> stop{false};
    solve_options o = endlessly();
    o.interrupt = &stop;
    o.fixed_iterations = fixed;
    if (fixed) o.max_iterations = 2000000;
    std::chrono::steady_clock::time_point pulled;
    std::jthread other([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
      pulled = now();
      stop = true;
    });
    const auto got = run(s, o);
    const auto ended = now();
    other.join();
    check_report(s, got);
    EXPECT_EQ(got.report.stopped, stop_reason::interrupted) << to_string(got.report.stopped);
    EXPECT_GT(got.report.iterations, 0);
    EXPECT_LT(seconds(ended - pulled).count(), 5.0);
    // The partial answer belongs to the iteration at which the report says that it stopped.
    o.interrupt = nullptr;
    o.max_iterations = got.report.iterations;
    if (!sanitized) {
      EXPECT_TRUE(same_bits(run(s, o).x, got.x));
    }
  }
}

TEST_P(interrupts, progress_is_told_to_the_caller) {
  const auto s = endless();
  solve_options o = endlessly();
  o.rtol = 1e-200;
  std::atomic<bool> stop{false};
  o.interrupt = &stop;
  o.progress_interval = 0.02;
  const auto caller = std::this_thread::get_id();
  const auto began = now();
  solve_progress last;
  int calls = 0;
  o.progress = [&](const solve_progress& p) {
    EXPECT_EQ(std::this_thread::get_id(), caller);
    EXPECT_GE(p.iteration, last.iteration);
    EXPECT_GE(p.seconds, last.seconds);
    EXPECT_LE(p.seconds, seconds(now() - began).count());
    EXPECT_TRUE(std::isfinite(p.relative_residual) && p.relative_residual >= 0)
        << p.relative_residual;
    EXPECT_DOUBLE_EQ(p.target, o.rtol);
    last = p;
    if (++calls == 5) stop = true;
  };
  const auto got = run(s, o);
  EXPECT_EQ(got.report.stopped, stop_reason::interrupted);
  EXPECT_GE(calls, 5);
  EXPECT_GT(last.iteration, 0);
  EXPECT_LE(last.iteration, got.report.iterations);
  EXPECT_GE(last.seconds, 0.04);
}

int threads_of_this_process() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("Threads:")) return std::stoi(line.substr(8));
  return -1;
}

TEST_P(interrupts, exception_from_progress_ends_the_solve) {
  struct enough {
    int iteration;
  };
  const auto s = endless();
  const auto small = system("mesh_33x47");
  (void)run(small, options());  // what a backend starts once, it may keep
  const int threads = threads_of_this_process();
  ASSERT_GT(threads, 0);
  solve_options o = endlessly();
  o.progress_interval = 0.01;
  o.progress = [](const solve_progress& p) { throw enough{p.iteration}; };
  for (int time = 0; time < 3; ++time) {
    bool came = false;
    try {
      (void)run(s, o);
    } catch (const enough& e) {
      came = true;
      EXPECT_GE(e.iteration, 0);
    }
    ASSERT_TRUE(came);
  }
  if (place::on() == backend::cpu) {
    EXPECT_LE(threads_of_this_process(), threads);
  }
  const auto after = run(small, options());
  EXPECT_EQ(after.report.stopped, stop_reason::converged);
}

TEST_P(interrupts, solves_may_run_side_by_side) {
  const auto s = system("power_law_1500");
  const auto alone = run(s, options());
  std::vector<solution<double>> got(3);
  {
    std::vector<std::jthread> callers;
    for (auto& g : got) callers.emplace_back([&] { g = run(s, options()); });
  }
  for (const auto& g : got) EXPECT_TRUE(same_bits(g.x, alone.x));
}

INSTANTIATE_TEST_SUITE_P(every_executor, interrupts, testing::ValuesIn(executors_and_variants()),
                         executor_name);

}  // namespace
}  // namespace dwell::test
