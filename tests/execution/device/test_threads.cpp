// SPDX-License-Identifier: MIT
// Threads of a CPU run: how many there are, how they wait for each other, and that a failure of one
// ends all of them and is the caller's to see.
#include <gtest/gtest.h>

#include <limits>
#include <map>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "dwell/base/control_groups.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/execution/device/scratch_cpu.hpp"
#include "dwell/execution/device/threads/threads_worth.hpp"
#include "dwell/execution/team/run_teams_cpu.hpp"
#include "dwell/execution/team/thread_pool.hpp"
#include "refusal.hpp"

namespace dwell::test {
namespace {

/// A CPU with so many threads, asked for or not.
device_facts cpu_of(int threads, bool at_most = true) {
  device_facts d;
  d.units = threads;
  d.units_at_most = at_most;
  return d;
}

int worth(double kib, int threads, std::int64_t rows = 1 << 20) {
  return threads_worth(kib * 1024, rows, "step", cpu_of(threads)).threads;
}

TEST(threads, there_are_as_many_as_the_work_is_worth) {
  EXPECT_EQ(worth(0, 8), 1);
  EXPECT_EQ(worth(25, 8), 1);
  EXPECT_EQ(worth(255, 8), 1);
  EXPECT_EQ(worth(257, 8), 2);
  EXPECT_EQ(worth(128 * 5 + 1, 8), 5);
  EXPECT_EQ(worth(1e6, 8), 8);
  EXPECT_EQ(worth(1e12, 100000), 100000);
  EXPECT_EQ(worth(1e6, 1), 1);
  EXPECT_EQ(worth(1e6, 8, 3), 3) << "rows to share";
  EXPECT_EQ(worth(1e6, 8, 0), 1);
  for (int threads = 1, before = 0; threads < 100; ++threads)  // more threads never mean fewer
    EXPECT_GE(worth(10000, threads), before), before = worth(10000, threads);
}

TEST(threads, a_plan_says_why_there_are_fewer) {
  const auto why = [](double kib, std::int64_t rows, const device_facts& d) {
    return threads_worth(kib * 1024, rows, "step", d).why;
  };
  EXPECT_EQ(why(25, 1000, cpu_of(8)), "1 of 8 threads, as many as 25.0 KiB per step are worth");
  EXPECT_EQ(why(1e6, 3, cpu_of(8)), "3 of 8 threads, as many as there are rows to share");
  EXPECT_EQ(why(1e6, 1000, cpu_of(8)), "8 threads");
  EXPECT_EQ(why(1, 1, cpu_of(1)), "1 thread");
}

TEST(threads, a_number_that_was_asked_for_is_taken) {
  const thread_choice c = threads_worth(1, 1, "step", cpu_of(7, false));
  EXPECT_EQ(c.threads, 7);
  EXPECT_EQ(c.why, "7 threads");
  EXPECT_FALSE(device::cpu(3).facts().units_at_most);
  EXPECT_TRUE(device::cpu().facts().units_at_most);
  EXPECT_EQ(device::cpu().threads(), default_threads());
}

TEST(cpu_quota, of_both_versions) {
  EXPECT_EQ(quota_of_cpu_max("150000 100000\n"), 1.5);
  EXPECT_EQ(quota_of_cpu_max("max 100000\n"), std::nullopt);
  EXPECT_EQ(quota_of_cfs("400000\n", "100000\n"), 4);
  EXPECT_EQ(quota_of_cfs("-1\n", "100000\n"), std::nullopt);
  for (const char* nonsense : {"", "\n", "100000", "100000 0", "0 100000", "-5 100000", "1e5 1000",
                               "99999999999999999999 1", "x y"})
    EXPECT_EQ(quota_of_cpu_max(nonsense), std::nullopt) << nonsense;
}

TEST(cpu_quota, the_least_of_all_groups_around_counts) {
  std::map<std::string, std::string> files;
  const auto least = [&](const char* membership) {
    return least_quota(membership, [&](const std::string& path) -> std::optional<std::string> {
      const auto found = files.find(path);
      return found != files.end() ? std::optional(found->second) : std::nullopt;
    });
  };
  const std::string root = "/sys/fs/cgroup";
  EXPECT_EQ(least("0::/a/b\n"), std::nullopt);
  files[root + "/a/b/cpu.max"] = "max 100000";
  EXPECT_EQ(least("0::/a/b\n"), std::nullopt);
  files[root + "/a/cpu.max"] = "300000 100000";
  EXPECT_EQ(least("0::/a/b\n"), 3);
  files[root + "/a/b/cpu.max"] = "800000 100000";
  EXPECT_EQ(least("0::/a/b\n"), 3);
  EXPECT_EQ(least("0::/other\n"), std::nullopt);
  EXPECT_EQ(least("0::/\n"), std::nullopt);
  files[root + "/cpu.max"] = "50000 100000";  // a container's own, seen as the root
  EXPECT_EQ(least("0::/\n"), 0.5);
  EXPECT_EQ(least("0::/a/b"), 0.5);
  files.clear();

  const char* legacy = "9:name=systemd:/x\n5:cpuset:/set\n4:cpu,cpuacct:/job/1\n0::/\n";
  files[root + "/cpuset/set/cpu.cfs_quota_us"] = "1";  // not that controller's
  EXPECT_EQ(least(legacy), std::nullopt);
  files[root + "/cpu,cpuacct/job/cpu.cfs_quota_us"] = "200000\n";
  EXPECT_EQ(least(legacy), std::nullopt) << "without a period";
  files[root + "/cpu,cpuacct/job/cpu.cfs_period_us"] = "100000\n";
  EXPECT_EQ(least(legacy), 2);
  files[root + "/cpu/job/1/cpu.cfs_quota_us"] = "100000\n";
  files[root + "/cpu/job/1/cpu.cfs_period_us"] = "100000\n";
  EXPECT_EQ(least(legacy), 1);
  files[root + "/unified/cpu.max"] = "25000 100000";
  EXPECT_EQ(least(legacy), 0.25);
  for (const char* nonsense : {"", "\n", "::", "0:", "4:cpu", ":::::\n\n"})
    EXPECT_NO_THROW(least(nonsense)) << nonsense;
}

TEST(group_memory, is_what_the_tightest_group_leaves) {
  std::map<std::string, std::string> files;
  const auto left = [&](const char* membership) {
    return least_memory_left(
        membership, [&](const std::string& path) -> std::optional<std::string> {
          const auto found = files.find(path);
          return found != files.end() ? std::optional(found->second) : std::nullopt;
        });
  };
  const std::string root = "/sys/fs/cgroup";
  EXPECT_EQ(left("0::/a/b\n"), std::nullopt);
  files[root + "/a/b/memory.max"] = "max\n";
  files[root + "/a/b/memory.current"] = "5000\n";
  EXPECT_EQ(left("0::/a/b\n"), std::nullopt);
  files[root + "/a/memory.max"] = "100000\n";
  files[root + "/a/memory.current"] = "70000\n";
  EXPECT_EQ(left("0::/a/b\n"), 30000);
  files[root + "/a/memory.stat"] = "anon 60000\nfile 10000\ninactive_file 8000\nactive_file 2000\n";
  EXPECT_EQ(left("0::/a/b\n"), 38000);
  files[root + "/a/b/memory.max"] = "6000\n";
  EXPECT_EQ(left("0::/a/b\n"), 1000);
  files[root + "/a/b/memory.current"] = "9000\n";
  EXPECT_EQ(left("0::/a/b\n"), 1) << "never 0, which is: not known";
  EXPECT_EQ(left("0::/other\n"), std::nullopt);
  files.clear();

  const char* legacy = "9:name=systemd:/x\n5:cpu,cpuacct:/set\n4:memory:/job/1\n0::/\n";
  files[root + "/memory/memory.limit_in_bytes"] = "9223372036854771712\n";  // no limit
  EXPECT_EQ(left(legacy), std::nullopt);
  files[root + "/memory/job/memory.limit_in_bytes"] = "1000000\n";
  files[root + "/memory/job/memory.usage_in_bytes"] = "400000\n";
  files[root + "/memory/job/memory.stat"] = "inactive_file 1\ntotal_inactive_file 50000\n";
  EXPECT_EQ(left(legacy), 650000);
  for (const char* nonsense : {"", "\n", "::", "0:", "4:memory", ":::::\n\n"})
    EXPECT_NO_THROW(left(nonsense)) << nonsense;
}

TEST(cpu_quota, leaves_whole_threads) {
  EXPECT_EQ(threads_within(8, std::nullopt), 8);
  EXPECT_EQ(threads_within(8, 2.9), 2);
  EXPECT_EQ(threads_within(8, 0.1), 1);
  EXPECT_EQ(threads_within(8, 1e300), 8);
  EXPECT_EQ(threads_within(0, std::nullopt), 1);
}

/// Many teams for each CPU.
constexpr int crowd = 24;

TEST(threads, a_crowd_meets) {
  run_control control;
  monitor shared;
  cpu::run_watch watch(control, &shared);
  std::vector<int> seen(crowd);
  cpu::run_teams(crowd, watch, [&](int t, cpu_barrier& grid) {
    for (int round = 1; round <= 200; ++round) {
      seen[static_cast<std::size_t>(t)] = round;
      grid.arrive_and_wait();
      for (const int s : seen)
        if (s != round) throw std::logic_error("left before all were there");
      grid.arrive_and_wait();
    }
  });
  EXPECT_EQ(seen, std::vector<int>(crowd, 200));
}

TEST(threads, a_crowd_waits_for_flags) {
  run_control control;
  monitor shared;
  cpu::run_watch watch(control, &shared);
  std::vector<unsigned> flags(crowd * 16);
  std::vector<int> values(crowd);
  cpu::run_teams(crowd, watch, [&](int t, cpu_barrier& grid) {
    const auto flag = [&](int of) -> unsigned& {
      return flags[static_cast<std::size_t>(of % crowd * 16)];
    };
    for (unsigned turn = 1; turn <= 100; ++turn) {  // one after the other, round and round
      if (t > 0)
        grid.waiting().until(flag(t - 1), [&](unsigned now) { return now >= turn; });
      else
        grid.waiting().until(flag(crowd - 1), [&](unsigned now) { return now + 1 >= turn; });
      const int before = t > 0 ? t - 1 : crowd - 1;
      values[static_cast<std::size_t>(t)] = values[static_cast<std::size_t>(before)] + 1;
      grid.waiting().set(flag(t), turn);
    }
  });
  EXPECT_EQ(values.back(), 100 * crowd);
}

TEST(threads, what_one_team_throws_ends_all_and_reaches_the_caller) {
  for (const int thrower : {0, 3, 7})
    for (const bool by_flags : {false, true}) {
      run_control control;
      monitor shared;
      cpu::run_watch watch(control, &shared);
      unsigned never = 0;
      EXPECT_THROW(cpu::run_teams(8, watch,
                                  [&](int t, cpu_barrier& grid) {
                                    for (int round = 0; round < 10; ++round) grid.arrive_and_wait();
                                    if (t == thrower) throw std::bad_alloc();
                                    if (by_flags)
                                      grid.waiting().until(never,
                                                           [](unsigned now) { return now > 0; });
                                    grid.arrive_and_wait();
                                  }),
                   std::bad_alloc);
    }
}

TEST(threads, what_a_member_of_a_pool_throws_reaches_the_caller_and_the_pool_goes_on) {
  thread_pool all(5);
  for (const int thrower : {0, 4}) {
    std::atomic<int> done = 0;
    EXPECT_THROW(all.launch([&](int member) {
      if (member == thrower) throw std::runtime_error("member");
      ++done;
    }),
                 std::runtime_error);
    EXPECT_EQ(done, 4);
    all.launch([&](int) { ++done; });
    EXPECT_EQ(done, 9);
  }
}

TEST(threads, private_memory_that_is_not_there_is_refused_before_any_starts) {
#if defined(DWELL_SANITIZED)
  GTEST_SKIP() << "sanitizers end the program where memory is missing";
#endif
  EXPECT_EQ(refusal<device_error>([] { cpu::team_scratch(3, std::size_t{1} << 62); }),
            "not enough memory: 3 threads need 4194304 TiB each of their own");
  const cpu::team_scratch some(3, 100);
  for (int t = 0; t < 3; ++t) EXPECT_EQ(reinterpret_cast<std::uintptr_t>(some.of(t)) % 64, 0u);
}

}  // namespace
}  // namespace dwell::test
