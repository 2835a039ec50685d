// SPDX-License-Identifier: MIT
// Linux says it in /proc/meminfo; sysconf() knows only what nobody uses, which on a machine that
// has read many files is little.
#include "dwell/execution/device/host_memory.hpp"

#include <unistd.h>

#include <fstream>
#include <string>

namespace dwell {

std::size_t host_memory_free() {
  std::ifstream info("/proc/meminfo");
  std::string name, unit;
  for (std::size_t kib = 0; info >> name >> kib; std::getline(info, unit))
    if (name == "MemAvailable:") return kib << 10;
  const long pages = sysconf(_SC_AVPHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(bytes)
                                : 0;
}

}  // namespace dwell
