// SPDX-License-Identifier: MIT
// What control groups leave to this process, of the machine's CPUs and of its memory: containers
// and batch systems limit time as often as they limit the CPUs themselves.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace dwell {

/// The content of a file, or nothing if there is none.
using file_reader = std::function<std::optional<std::string>(const std::string& path)>;

/// CPUs' worth of time by "cpu.max" of version 2: "150000 100000" is 1.5, "max 100000" no limit.
std::optional<double> quota_of_cpu_max(std::string_view text);
/// CPUs' worth of time by cpu.cfs_quota_us and cpu.cfs_period_us of version 1; -1 is no limit.
std::optional<double> quota_of_cfs(std::string_view quota_us, std::string_view period_us);

/// The least quota of the control groups in which a process is, and of all that these are in.
/// membership: its /proc/self/cgroup. They are looked for where distributions mount them,
/// /sys/fs/cgroup; a group that cannot be seen from inside a container counts as its nearest
/// visible parent.
std::optional<double> least_quota(std::string_view membership, const file_reader& read);

/// Bytes that the memory limits of these groups leave, those of files that the system lets go of
/// counted as free; at least 1. By memory.max, memory.current and memory.stat of version 2, and
/// memory.limit_in_bytes, memory.usage_in_bytes and memory.stat of version 1; nothing without a
/// limit.
std::optional<double> least_memory_left(std::string_view membership, const file_reader& read);

/// Threads that may run all the time: whole CPUs of the quota, at least one, at most `cpus`.
int threads_within(int cpus, std::optional<double> quota);

/// This process's, as it was when first asked for.
std::optional<double> cpu_quota();
/// This process's, now.
std::optional<double> group_memory_left();

}  // namespace dwell
