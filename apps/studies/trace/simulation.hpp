// SPDX-License-Identifier: MIT
// The accesses of a problem, sent through simulated caches: what misses one level goes to the next,
// and what misses the last one is fetched from memory.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "studies/trace/accesses.hpp"
#include "studies/trace/cache.hpp"

#include "dwell/execution/stencil/order/cell_order.hpp"

namespace dwell::trace {

/// What came to one level.
struct level_counts {
  std::int64_t accesses = 0, hits = 0;

  std::int64_t fetches() const { return accesses - hits; }
  /// 0 where nothing came.
  double hit_rate() const {
    return accesses > 0 ? static_cast<double>(hits) / static_cast<double>(accesses) : 0;
  }
};

struct simulation {
  std::vector<level_counts> levels;               ///< counts of the caches, the first one first
  std::vector<std::vector<level_counts>> arrays;  ///< counts of each array, level by level
  std::int64_t accesses = 0;
};

/// What happens in the first cache, for those who draw it: f(time, line, was it there, lines that
/// it has replaced).
using access_watcher = std::function<void(std::int64_t time, std::int64_t line, bool hit,
                                          const std::vector<std::int64_t>& replaced)>;

/// `order` suits the problem's tasks; there is at least one cache, and their lines have the
/// problem's length.
simulation simulate(const traced_problem& problem, const cell_order& order, int threads,
                    const std::vector<cache_shape>& caches, const access_watcher& watch = {});

}  // namespace dwell::trace
