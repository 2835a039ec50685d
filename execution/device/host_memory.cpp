// SPDX-License-Identifier: MIT
// Linux says it in /proc/meminfo; sysconf() knows only what nobody uses, which on a machine that
// has read many files is little.
#include "dwell/execution/device/host_memory.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

#include "dwell/base/control_groups.hpp"

namespace dwell {
namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

/// What the limit of this process's address space (ulimit -v) leaves.
std::size_t address_space_free() {
  rlimit limit = {};
  if (::getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return unlimited;
  std::size_t pages = 0;
  if (!(std::ifstream("/proc/self/statm") >> pages)) return unlimited;
  const std::size_t used = pages * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return limit.rlim_cur > used ? static_cast<std::size_t>(limit.rlim_cur) - used : 1;
}

std::size_t machine_memory_free() {
  std::ifstream info("/proc/meminfo");
  std::string name, unit;
  for (std::size_t kib = 0; info >> name >> kib; std::getline(info, unit))
    if (name == "MemAvailable:") return kib << 10;
  const long pages = sysconf(_SC_AVPHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(bytes)
                                : 0;
}

}  // namespace

std::size_t host_memory_free() {
  const std::size_t free =
      std::min(machine_memory_free(), address_space_free());  // 0: the machine does not say
  const std::optional<double> left = group_memory_left();
  return left && *left < static_cast<double>(free) ? static_cast<std::size_t>(*left) : free;
}

}  // namespace dwell
