// SPDX-License-Identifier: MIT
// Sets of lines as linked lists in the order of their last use.
#include "studies/trace/cache.hpp"

#include <fmt/format.h>

#include "dwell/base/error.hpp"

namespace dwell::trace {

namespace {
constexpr int group = 4;  // lines that random4 replaces together
}

void check_cache(const char* name, const cache_shape& s) {
  const auto refuse = [&](const std::string& expected, const std::string& found) {
    throw input_error(fmt::format("{}: expected {}, found {}", name, expected, found));
  };
  if (s.line < 1) refuse("lines of at least 1 byte", fmt::format("{}", s.line));
  if (s.lines() < 1 || s.bytes % s.line != 0)
    refuse(fmt::format("a whole number of lines of {} bytes", s.line),
           fmt::format("{} bytes", s.bytes));
  if (s.lines() > INT32_MAX) refuse("at most 2^31 - 1 lines", fmt::format("{}", s.lines()));
  if (s.lines() % s.lines_of_set() != 0)
    refuse(fmt::format("whole sets of {} lines", s.lines_of_set()),
           fmt::format("{} lines", s.lines()));
  if (s.replaces == replacement::random4 && s.lines_of_set() % group != 0)
    refuse(fmt::format("sets of whole groups of {} lines, which are replaced together", group),
           fmt::format("sets of {}", s.lines_of_set()));
}

simulated_cache::simulated_cache(const cache_shape& shape, std::int64_t lines_of_memory)
    : lru_(shape.replaces == replacement::lru),
      ways_(shape.lines_of_set()),
      random_(shape.seed),
      sets_(static_cast<std::size_t>(shape.lines() / ways_)),
      line_in_(static_cast<std::size_t>(shape.lines()), -1),
      before_(lru_ ? line_in_.size() : 0, -1),
      after_(before_),
      slot_of_(static_cast<std::size_t>(lines_of_memory), -1) {
  for (std::size_t k = 0; k < sets_.size(); ++k) {
    sets_[k].free = static_cast<std::int32_t>(static_cast<std::int64_t>(k) * ways_);
    sets_[k].free_end = sets_[k].free + static_cast<std::int32_t>(ways_);
  }
}

void simulated_cache::fetch(std::int64_t line) {
  const auto number = static_cast<std::size_t>(line) % sets_.size();
  cache_set& set = sets_[number];
  replaced_.clear();
  if (set.free == set.free_end) {
    if (lru_) {
      set.free = set.earliest;
      set.free_end = set.free + 1;
    } else {
      const auto groups = static_cast<std::uint64_t>(ways_ / group);
      set.free = static_cast<std::int32_t>(static_cast<std::int64_t>(number) * ways_) +
                 static_cast<std::int32_t>(random_below(groups)) * group;
      set.free_end = set.free + group;
    }
    for (std::int32_t slot = set.free; slot < set.free_end; ++slot) empty(slot);
  }
  const std::int32_t slot = set.free++;
  line_in_[static_cast<std::size_t>(slot)] = line;
  slot_of_[static_cast<std::size_t>(line)] = slot;
  if (lru_) link(set, slot);
}

void simulated_cache::empty(std::int32_t slot) {
  std::int64_t& line = line_in_[static_cast<std::size_t>(slot)];
  slot_of_[static_cast<std::size_t>(line)] = -1;
  replaced_.push_back(line);
  line = -1;
  if (lru_) unlink(set_of(slot), slot);
}

void simulated_cache::make_latest(std::int32_t slot) {
  cache_set& set = set_of(slot);
  if (set.latest == slot) return;
  unlink(set, slot);
  link(set, slot);
}

void simulated_cache::unlink(cache_set& set, std::int32_t slot) {
  const std::int32_t before = before_[static_cast<std::size_t>(slot)],
                     after = after_[static_cast<std::size_t>(slot)];
  (before < 0 ? set.latest : after_[static_cast<std::size_t>(before)]) = after;
  (after < 0 ? set.earliest : before_[static_cast<std::size_t>(after)]) = before;
}

void simulated_cache::link(cache_set& set, std::int32_t slot) {
  before_[static_cast<std::size_t>(slot)] = -1;
  after_[static_cast<std::size_t>(slot)] = set.latest;
  (set.latest < 0 ? set.earliest : before_[static_cast<std::size_t>(set.latest)]) = slot;
  set.latest = slot;
}

/// splitmix64 (Steele et al. 2014): the same numbers everywhere.
std::uint64_t simulated_cache::random_below(std::uint64_t n) {
  std::uint64_t v = random_ += 0x9e3779b97f4a7c15u;
  v = (v ^ (v >> 30)) * 0xbf58476d1ce4e5b9u;
  v = (v ^ (v >> 27)) * 0x94d049bb133111ebu;
  return (v ^ (v >> 31)) % n;
}

}  // namespace dwell::trace
