// SPDX-License-Identifier: MIT
// The merge path against a walk item by item: every diagonal, every share, on matrices that are
// each aimed at a class of mistake in the search.
#include "dwell/formats/merge_path.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <numeric>
#include <string>
#include <vector>

namespace dwell {
namespace {

struct shape {
  std::string name;
  std::vector<index> lengths;  ///< nonzeros of each row
};

std::vector<shape> shapes() {
  std::vector<shape> all = {
      {"no_rows", {}},
      {"one_by_one", {1}},
      {"one_empty_row", {0}},
      {"all_rows_empty", std::vector<index>(17, 0)},
      {"single_long_row", {1000}},
      {"dense_row_first", {300, 1, 1, 0, 1}},
      {"dense_row_last", {1, 0, 1, 1, 300}},
      {"dense_row_between_empty_ones", {0, 0, 0, 500, 0, 0, 0}},
      {"empty_rows_at_both_ends", {0, 0, 3, 2, 0, 4, 0, 0}},
      {"diagonal_of_prime_order", std::vector<index>(97, 1)},
      {"alternating", {}},
      {"power_law", {}},
  };
  for (int i = 0; i < 64; ++i) all[10].lengths.push_back(i % 2 ? 5 : 0);
  for (int i = 1; i <= 101; ++i) all[11].lengths.push_back(400 / i);
  return all;
}

class merge_path : public testing::TestWithParam<shape> {
 protected:
  void SetUp() override {
    for (index n : GetParam().lengths) row_ptr.push_back(row_ptr.back() + n);
    rows = static_cast<index>(row_ptr.size()) - 1;
    nonzeros = row_ptr.back();
    // The walk of a serial SpMV: the nonzeros of a row, then its end.
    merge_coordinate at;
    walk.push_back(at);
    for (index i = 0; i < rows; ++i) {
      while (at.nonzero < row_ptr[static_cast<std::size_t>(i) + 1])
        ++at.nonzero, walk.push_back(at);
      ++at.row;
      walk.push_back(at);
    }
  }

  std::vector<index> row_ptr = {0};
  index rows = 0, nonzeros = 0;
  std::vector<merge_coordinate> walk;  ///< walk[d]: the point on diagonal d
};

TEST_P(merge_path, every_diagonal_is_where_the_walk_is) {
  ASSERT_EQ(walk.size(), static_cast<std::size_t>(rows) + static_cast<std::size_t>(nonzeros) + 1);
  for (std::size_t d = 0; d < walk.size(); ++d) {
    const auto found =
        merge_path_search(static_cast<std::int64_t>(d), row_ptr.data() + 1, rows, nonzeros);
    EXPECT_EQ(found.row, walk[d].row) << "diagonal " << d;
    EXPECT_EQ(found.nonzero, walk[d].nonzero) << "diagonal " << d;
  }
}

TEST_P(merge_path, shares_are_equal_and_cover_the_walk) {
  const auto items = static_cast<std::int64_t>(walk.size()) - 1;
  std::vector<int> counts = {1, 2, 3, 4, 5, 7, 8, 16, 31, 64, 97, 128, 1009};
  counts.push_back(static_cast<int>(items) + 1);
  if (items > 0) counts.push_back(static_cast<int>(items));
  for (int parts : counts) {
    EXPECT_EQ(merge_share(items, 0, parts), 0);
    EXPECT_EQ(merge_share(items, parts, parts), items);
    for (int part = 0; part < parts; ++part) {
      const auto size = merge_share(items, part + 1, parts) - merge_share(items, part, parts);
      EXPECT_EQ(size, items / parts + (part < items % parts)) << part << " of " << parts;
    }
  }
}

TEST_P(merge_path, the_sums_of_the_shares_are_the_row_sums) {
  const auto items = static_cast<std::int64_t>(walk.size()) - 1;
  for (int parts : {1, 2, 3, 7, 64, 1009}) {
    std::vector<std::int64_t> sums(static_cast<std::size_t>(rows), 0);
    for (int part = 0; part < parts; ++part) {
      auto at =
          merge_path_search(merge_share(items, part, parts), row_ptr.data() + 1, rows, nonzeros);
      const auto end = merge_path_search(merge_share(items, part + 1, parts), row_ptr.data() + 1,
                                         rows, nonzeros);
      for (; at.row < end.row; ++at.row)
        for (; at.nonzero < row_ptr[static_cast<std::size_t>(at.row) + 1]; ++at.nonzero)
          sums[static_cast<std::size_t>(at.row)] += at.nonzero;
      for (; at.nonzero < end.nonzero; ++at.nonzero)
        sums[static_cast<std::size_t>(at.row)] += at.nonzero;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::int64_t a = row_ptr[i], b = row_ptr[i + 1];
      EXPECT_EQ(sums[i], (b * (b - 1) - a * (a - 1)) / 2) << "row " << i << ", parts " << parts;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(battery, merge_path, testing::ValuesIn(shapes()),
                         [](const auto& p) { return p.param.name; });

TEST(merge_path_large, indices_near_two_to_the_31_do_not_overflow) {
  const index most = std::numeric_limits<index>::max();
  const std::vector<index> row_end = {0, most - 5, most - 5, most};
  const auto at = [&](std::int64_t d) { return merge_path_search(d, row_end.data(), 4, most); };
  const std::int64_t items = std::int64_t{most} + 4;
  EXPECT_EQ(at(0), (merge_coordinate{0, 0}));
  EXPECT_EQ(at(1), (merge_coordinate{1, 0}));
  EXPECT_EQ(at(most - 4), (merge_coordinate{1, most - 5}));
  EXPECT_EQ(at(most - 3), (merge_coordinate{2, most - 5}));
  EXPECT_EQ(at(most - 2), (merge_coordinate{3, most - 5}));
  EXPECT_EQ(at(items - 1), (merge_coordinate{3, most}));
  EXPECT_EQ(at(items), (merge_coordinate{4, most}));
  EXPECT_EQ(merge_share(items, 3, 3), items);
  EXPECT_EQ(merge_share(items, 1, 2), items / 2 + items % 2);
}

}  // namespace
}  // namespace dwell
