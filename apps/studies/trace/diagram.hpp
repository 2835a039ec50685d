// SPDX-License-Identifier: MIT
// Spatial-temporal diagrams (Prasetya 2022, 3.1): lines of memory from top to bottom, groups of
// threads from left to right; which lines are in the first cache, which are used, which are
// fetched. An SVG with a panel for each order.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "studies/trace/simulation.hpp"

namespace dwell::app {

/// What an order does with lines, as a simulation tells it.
class access_record {
 public:
  access_record(std::int64_t lines, std::int64_t times);
  /// See trace::access_watcher.
  void note(std::int64_t time, std::int64_t line, bool hit,
            const std::vector<std::int64_t>& replaced);
  /// After the last access.
  void finish();

  /// From a time to before another one.
  struct span {
    std::int64_t begin = 0, end = 0;
  };
  struct history {
    std::vector<span> cached, used;
    std::vector<std::int64_t> fetched;  ///< times
  };
  const std::vector<history>& lines() const { return lines_; }
  std::int64_t times() const { return times_; }

 private:
  std::vector<history> lines_;
  std::int64_t times_;
};

struct diagram_panel {
  std::string title;
  access_record record;
};

/// Most groups of threads, and lines, of a panel.
inline constexpr std::int64_t most_times = 20000, most_lines = 4000;

/// `threads`: of a group.
std::string diagram_svg(const std::string& title, const trace::traced_problem& problem, int threads,
                        const std::vector<diagram_panel>& panels);

}  // namespace dwell::app
