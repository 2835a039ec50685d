// SPDX-License-Identifier: MIT
// Sends accesses from level to level, and counts hits.
#include "studies/trace/simulation.hpp"

namespace dwell::trace {

simulation simulate(const traced_problem& problem, const cell_order& order, int threads,
                    const std::vector<cache_shape>& caches, const access_watcher& watch) {
  std::vector<simulated_cache> levels;
  for (const cache_shape& shape : caches) levels.emplace_back(shape, problem.lines());
  simulation out;
  out.arrays.assign(problem.arrays.size(), std::vector<level_counts>(levels.size()));
  const std::vector<std::int64_t> none;
  const index_map map(order, problem.tasks);
  each_access(problem, map, threads, [&](std::int64_t time, int array, std::int64_t line) {
    std::vector<level_counts>& counts = out.arrays[static_cast<std::size_t>(array)];
    for (std::size_t k = 0; k < levels.size(); ++k) {
      const bool hit = levels[k].access(line);
      ++counts[k].accesses;
      counts[k].hits += hit;
      if (k == 0 && watch) watch(time, line, hit, hit ? none : levels[0].replaced());
      if (hit) break;
    }
  });
  out.levels.resize(levels.size());
  for (const auto& counts : out.arrays)
    for (std::size_t k = 0; k < levels.size(); ++k) {
      out.levels[k].accesses += counts[k].accesses;
      out.levels[k].hits += counts[k].hits;
    }
  out.accesses = out.levels[0].accesses;
  return out;
}

}  // namespace dwell::trace
