// SPDX-License-Identifier: MIT
// Every rank has the values of all ranks after the last round, whatever the groups; what a rank
// gets, another one sends in the same round and has.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <tuple>
#include <vector>

#include "dwell/execution/comm/gather_rounds.hpp"

namespace dwell {
namespace {

class gathers_in_rounds : public testing::TestWithParam<std::vector<int>> {};

TEST_P(gathers_in_rounds, whatever_the_ranks) {
  const std::vector<int>& groups = GetParam();
  int most = 1;
  for (const int members : groups) most *= members;
  for (int ranks = 1; ranks <= std::min(most, 70); ++ranks) {
    SCOPED_TRACE(ranks);
    std::vector<std::vector<gather_round>> of;
    std::vector<std::set<int>> have;
    for (int r = 0; r < ranks; ++r)
      of.push_back(gather_rounds(r, ranks, groups)), have.push_back({r});
    for (std::size_t k = 0; k < groups.size(); ++k) {
      std::set<std::tuple<int, int, int, int>> sent, got;  // from, to, first, count
      const auto before = have;
      for (int r = 0; r < ranks; ++r) {
        const gather_round& round = of[static_cast<std::size_t>(r)].at(k);
        for (const gather_message& m : round.out) {
          EXPECT_TRUE(sent.insert({r, m.peer, m.first, m.count}).second);
          for (int v = m.first; v < m.first + m.count; ++v)
            EXPECT_TRUE(before[static_cast<std::size_t>(r)].count(v)) << r << " sends " << v;
        }
        std::set<int> peers;
        for (const gather_message& m : round.in) {
          EXPECT_NE(m.peer, r);
          EXPECT_TRUE(peers.insert(m.peer).second) << "one message of a peer in a round";
          got.insert({m.peer, r, m.first, m.count});
          for (int v = m.first; v < m.first + m.count; ++v)
            EXPECT_TRUE(have[static_cast<std::size_t>(r)].insert(v).second) << "once";
        }
      }
      EXPECT_EQ(sent, got);
    }
    for (const auto& values : have) EXPECT_EQ(static_cast<int>(values.size()), ranks);
  }
}
INSTANTIATE_TEST_SUITE_P(of, gathers_in_rounds,
                         testing::Values(std::vector<int>{70}, std::vector<int>{1, 9},
                                         std::vector<int>{2, 2, 2, 2, 2, 2, 2},
                                         std::vector<int>{8, 3, 3}, std::vector<int>{3, 7, 4},
                                         std::vector<int>{4, 1, 5}));

TEST(gather_groups, are_the_ranks_of_hosts_and_few_rounds) {
  using numbers = std::vector<int>;
  EXPECT_EQ(gather_groups(1, 8), numbers{1});
  EXPECT_EQ(gather_groups(6, 8), numbers{6});
  EXPECT_EQ(gather_groups(16, 8), (numbers{8, 2}));
  EXPECT_EQ(gather_groups(64, 8), (numbers{8, 8}));
  EXPECT_EQ(gather_groups(1024, 8), (numbers{8, 12, 12}));
  EXPECT_EQ(gather_groups(7, 2), (numbers{2, 4}));
  for (int ranks = 1; ranks <= 2000; ++ranks)
    for (const int of_host : {1, 2, 4, 8}) {
      int most = 1;
      for (const int members : gather_groups(ranks, of_host)) most *= members;
      EXPECT_GE(most, ranks) << of_host;
    }
}

}  // namespace
}  // namespace dwell
