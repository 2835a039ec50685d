// SPDX-License-Identifier: MIT
// Simulated caches against lists that are kept by hand; and shapes that cannot be.
#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "studies/trace/cache.hpp"

#include "dwell/base/error.hpp"

namespace dwell::test {
namespace {

using trace::cache_shape;
using trace::replacement;
using trace::simulated_cache;

constexpr std::int64_t memory_lines = 500;

/// Lines with some locality: most are near the one before.
std::vector<std::int64_t> some_lines(unsigned seed, int count) {
  std::minstd_rand chance(seed);
  std::vector<std::int64_t> all;
  std::int64_t line = 0;
  for (int i = 0; i < count; ++i) {
    line = chance() % 8 == 0 ? static_cast<std::int64_t>(chance() % memory_lines)
                             : (line + static_cast<std::int64_t>(chance() % 9)) % memory_lines;
    all.push_back(line);
  }
  return all;
}

/// A list for each set, the latest line first.
class lists_of_lines {
 public:
  explicit lists_of_lines(const cache_shape& s)
      : ways_(static_cast<std::size_t>(s.lines_of_set())),
        sets_(static_cast<std::size_t>(s.lines() / s.lines_of_set())) {}
  bool access(std::int64_t line) {
    auto& set = sets_[static_cast<std::size_t>(line) % sets_.size()];
    const auto found = std::find(set.begin(), set.end(), line);
    const bool hit = found != set.end();
    if (hit) set.erase(found);
    set.push_front(line);
    if (set.size() > ways_) set.pop_back();
    return hit;
  }

 private:
  std::size_t ways_;
  std::vector<std::list<std::int64_t>> sets_;
};

TEST(trace_cache, replaces_the_least_recently_used_line_of_a_set) {
  for (const auto& [lines, ways] :
       {std::pair{1, 1}, {8, 0}, {8, 1}, {8, 2}, {8, 8}, {60, 4}, {64, 16}, {96, 12}, {600, 0}}) {
    const cache_shape shape{lines * 64, 64, ways};
    simulated_cache cache(shape, memory_lines);
    lists_of_lines expected(shape);
    int hits = 0;
    for (const std::int64_t line : some_lines(static_cast<unsigned>(lines + ways), 20000)) {
      const bool hit = expected.access(line);
      ASSERT_EQ(cache.access(line), hit) << lines << " lines, " << ways << " ways";
      ASSERT_TRUE(cache.holds(line));
      hits += hit;
    }
    EXPECT_GT(hits, 0);
  }
}

/// Four lines that follow each other in the cache go together; three of their places stay empty
/// until the next lines come.
TEST(trace_cache, replaces_four_lines_at_random) {
  const int lines = 64;
  cache_shape shape{lines * 64, 64, 0, replacement::random4};
  simulated_cache cache(shape, memory_lines);
  std::set<std::int64_t> inside;
  std::vector<std::int64_t> fetched;
  int replacements = 0;
  for (const std::int64_t line : some_lines(5, 20000)) {
    const bool hit = cache.access(line);
    ASSERT_EQ(hit, inside.count(line) == 1);
    if (hit) continue;
    fetched.push_back(line);
    if (inside.size() == static_cast<std::size_t>(lines)) {
      ASSERT_EQ(cache.replaced().size(), 4u);
      ++replacements;
    } else {
      ASSERT_TRUE(cache.replaced().empty());
    }
    for (const std::int64_t gone : cache.replaced()) {
      ASSERT_EQ(inside.erase(gone), 1u);
      ASSERT_FALSE(cache.holds(gone));
    }
    // The first four came one after the other.
    if (replacements == 1 && !cache.replaced().empty()) {
      const auto first = std::find(fetched.begin(), fetched.end(), cache.replaced()[0]);
      EXPECT_EQ((first - fetched.begin()) % 4, 0);
      EXPECT_TRUE(std::equal(first, first + 4, cache.replaced().begin()));
    }
    inside.insert(line);
  }
  EXPECT_GT(replacements, 100);
}

TEST(trace_cache, repeats_its_random_choices) {
  const auto hits = [](std::uint64_t seed) {
    simulated_cache cache({32 * 64, 64, 8, replacement::random4, seed}, memory_lines);
    std::vector<bool> all;
    for (const std::int64_t line : some_lines(9, 5000)) all.push_back(cache.access(line));
    return all;
  };
  EXPECT_EQ(hits(1), hits(1));
  EXPECT_NE(hits(1), hits(2));
}

TEST(trace_cache, that_cannot_be_is_refused) {
  const auto message = [](const cache_shape& s) -> std::string {
    try {
      trace::check_cache("--cache", s);
    } catch (const input_error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message({1024, 64, 4}), "accepted");
  EXPECT_EQ(message({1000, 64, 0}),
            "--cache: expected a whole number of lines of 64 bytes, found 1000 bytes");
  EXPECT_EQ(message({0, 64, 0}),
            "--cache: expected a whole number of lines of 64 bytes, found 0 bytes");
  EXPECT_EQ(message({1024, 64, 5}), "--cache: expected whole sets of 5 lines, found 16 lines");
  EXPECT_EQ(message({1024, 64, 2, replacement::random4}),
            "--cache: expected sets of whole groups of 4 lines, which are replaced together, found "
            "sets of 2");
  EXPECT_EQ(message({1024, 0, 4}), "--cache: expected lines of at least 1 byte, found 0");
}

}  // namespace
}  // namespace dwell::test
