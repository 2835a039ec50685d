// SPDX-License-Identifier: MIT
// A cache that is simulated: which lines of memory it holds after a sequence of accesses. Sets of
// some ways; a line that comes into a full set takes the place of the least recently used one, or
// of four consecutive lines chosen at random, as Jia et al. found for L1 of Volta and Turing
// (Prasetya 2022, 2.1.3).
#pragma once
#include <cstdint>
#include <vector>

namespace dwell::trace {

/// Whose place a new line takes.
enum class replacement { lru, random4 };

struct cache_shape {
  std::int64_t bytes = 0;  ///< a whole number of sets
  int line = 64;           ///< bytes
  int ways = 0;            ///< lines of a set; 0: one set of all lines
  replacement replaces = replacement::lru;
  std::uint64_t seed = 1;  ///< seed of random4

  std::int64_t lines() const { return bytes / line; }
  std::int64_t lines_of_set() const { return ways > 0 ? ways : lines(); }
};

/// Throws input_error, beginning with `name`, unless there are whole sets, of whole groups of four
/// lines where these are replaced.
void check_cache(const char* name, const cache_shape& shape);

class simulated_cache {
 public:
  /// For lines 0 to `lines_of_memory` - 1. The shape is one that check_cache() accepts.
  simulated_cache(const cache_shape& shape, std::int64_t lines_of_memory);

  /// Reads or writes a line: whether it was there. It is there afterwards.
  bool access(std::int64_t line) {
    const std::int32_t slot = slot_of_[static_cast<std::size_t>(line)];
    if (slot < 0) {
      fetch(line);
      return false;
    }
    if (lru_) make_latest(slot);
    return true;
  }
  bool holds(std::int64_t line) const { return slot_of_[static_cast<std::size_t>(line)] >= 0; }
  /// Lines that the last access has replaced.
  const std::vector<std::int64_t>& replaced() const { return replaced_; }

 private:
  /// A set's free slots, and its slots from the latest to the earliest used one.
  struct cache_set {
    std::int32_t free = 0, free_end = 0;
    std::int32_t latest = -1, earliest = -1;
  };
  void fetch(std::int64_t line);
  void empty(std::int32_t slot);
  void make_latest(std::int32_t slot);
  void unlink(cache_set& set, std::int32_t slot);
  void link(cache_set& set, std::int32_t slot);
  cache_set& set_of(std::int32_t slot) {
    return sets_[static_cast<std::size_t>(slot) / static_cast<std::size_t>(ways_)];
  }
  std::uint64_t random_below(std::uint64_t n);

  bool lru_;
  std::int64_t ways_;
  std::uint64_t random_;
  std::vector<cache_set> sets_;
  std::vector<std::int64_t> line_in_;         // line of each slot; -1: empty
  std::vector<std::int32_t> before_, after_;  // neighbours of each slot, in its set
  std::vector<std::int32_t> slot_of_;         // slot of each line; -1: not there
  std::vector<std::int64_t> replaced_;
};

}  // namespace dwell::trace
