// SPDX-License-Identifier: MIT
// Threads that are kept, in a child after fork(): made anew at the first use, however the parent's
// are just then; and left alone at the end.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <thread>

#include "dwell/base/fork_count.hpp"
#include "dwell/execution/device/monitor.hpp"
#include "dwell/execution/team/team_threads.hpp"
#include "dwell/execution/team/thread_pool.hpp"

namespace dwell::test {
namespace {

/// The exit code of a child that calls f(), 0 for true; a child that hangs is killed by its alarm.
int in_child(const std::function<bool()>& f) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    ::_exit(f() ? 0 : 1);
  }
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

class forks : public testing::Test {
 protected:
  void SetUp() override {
#if defined(DWELL_SANITIZED_THREADS)
    GTEST_SKIP() << "ThreadSanitizer ends a child that starts threads";
#endif
  }
};

bool works(thread_pool& pool, int members) {
  std::atomic<int> sum{0};
  for (int round = 0; round < 3; ++round) pool.launch([&](int member) { sum += member + 1; });
  return sum == 3 * members * (members + 1) / 2;
}

bool works(cpu::team_threads& teams, int count) {
  std::atomic<int> sum{0};
  run_control control;
  monitor shared;
  for (int round = 0; round < 3; ++round) {
    cpu::run_watch watch(control, &shared);
    teams.run(watch, [&](int team, cpu_barrier& grid) {
      grid.arrive_and_wait();
      sum += team + 1;
    });
  }
  return sum == 3 * count * (count + 1) / 2;
}

template <class Threads>
void expect_to_work_after_fork() {
  for (const int count : {1, 2, 5}) {
    SCOPED_TRACE(count);
    auto kept = std::make_unique<Threads>(count);
    const auto used = std::make_unique<Threads>(count);
    EXPECT_TRUE(works(*used, count));
    EXPECT_EQ(in_child([&] { return works(*kept, count) && works(*used, count); }), 0);
    EXPECT_EQ(in_child([&] { return in_child([&] { return works(*used, count); }) == 0; }), 0)
        << "a grandchild";
    EXPECT_EQ(in_child([&] {
                const bool good = works(*used, count);
                kept.reset();  // unused in the child: its threads are not waited for
                return good;
              }),
              0);
    EXPECT_TRUE(works(*used, count) && works(*kept, count)) << "the parent goes on";
  }
}

TEST_F(forks, a_pool_works_in_the_child) { expect_to_work_after_fork<thread_pool>(); }
TEST_F(forks, teams_work_in_the_child) { expect_to_work_after_fork<cpu::team_threads>(); }

TEST_F(forks, amid_a_launch_of_another_thread) {
  thread_pool pool(4);
  std::atomic<bool> over{false};
  std::atomic<int> launches{0};
  std::jthread busy([&] {
    for (; !over; ++launches) pool.launch([](int) {});
  });
  while (launches == 0) std::this_thread::yield();
  for (int k = 0; k < 20; ++k) EXPECT_EQ(in_child([&] { return works(pool, 4); }), 0);
  over = true;
}

TEST_F(forks, are_counted) {
  const unsigned before = fork_count();
  EXPECT_EQ(in_child([&] { return fork_count() == before + 1; }), 0);
  EXPECT_EQ(fork_count(), before);
}

}  // namespace
}  // namespace dwell::test
