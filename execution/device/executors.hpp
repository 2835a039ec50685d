// SPDX-License-Identifier: MIT
// The table of executors: one row each, which the command line, lists in errors, and the rules of
// "auto" read. A row's name is that of the structs in the executor's folder; a test compares the
// rows with all compiled kernels.
#pragma once
#include <algorithm>
#include <iterator>
#include <string_view>

#include "dwell/device/device.hpp"

namespace dwell {

struct executor_info {
  const char* name;
  const char* what;  ///< one line of help
  bool on_cpu, on_cuda;
  bool programs, stencils;  ///< the families that it runs
  bool caches;              ///< data stay on the chip between iterations, by a caching policy
  bool reference = false;   ///< there to compare results with, not times

  constexpr bool runs_on(backend b) const { return b == backend::cpu ? on_cpu : on_cuda; }
};

namespace executors {

inline constexpr executor_info all[] = {
    {"naive", "one plain loop over all cells a step", true, true, false, true, false, true},
    {"host-loop", "the host queues every phase or step", true, true, true, true, false},
    {"graph", "as host-loop, queued as CUDA graphs", false, true, true, true, false},
    {"persistent", "one launch, which holds the time loop", true, true, true, true, false},
    {"perks", "as persistent, with data cached on the chip", true, true, true, true, true},
    {"temporal", "as graph, several steps in each pass over the field", true, true, false, true,
     false},
};

// By name, for code that treats one of them apart.
inline constexpr const executor_info& naive = all[0];
inline constexpr const executor_info& host_loop = all[1];
inline constexpr const executor_info& graph = all[2];
inline constexpr const executor_info& persistent = all[3];
inline constexpr const executor_info& perks = all[4];
inline constexpr const executor_info& temporal = all[5];

}  // namespace executors

/// The row of this name, or null.
constexpr const executor_info* find_executor(std::string_view name) {
  const auto found = std::find_if(std::begin(executors::all), std::end(executors::all),
                                  [&](const executor_info& e) { return e.name == name; });
  return found == std::end(executors::all) ? nullptr : found;
}

/// Whether the executor of this name caches, and so has policies to choose among.
constexpr bool has_policies(std::string_view executor) {
  const executor_info* row = find_executor(executor);
  return row != nullptr && row->caches;
}

/// Whether the executor of this name is there to compare results with, not times.
constexpr bool is_reference(std::string_view executor) {
  const executor_info* row = find_executor(executor);
  return row != nullptr && row->reference;
}

/// Whether the steps of the executor of this name are those of the whole field (engine step), which
/// may take its cells in any order.
constexpr bool has_whole_steps(std::string_view executor) {
  const executor_info* row = find_executor(executor);
  return row != nullptr && row->stencils && !row->caches && !row->reference &&
         row != &executors::temporal;
}

}  // namespace dwell
