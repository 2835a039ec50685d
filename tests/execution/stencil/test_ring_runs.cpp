// SPDX-License-Identifier: MIT
// How engine ring2d divides a field: strips own every column once, runs every row of them, and no
// team has much more than the others.
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "dwell/execution/stencil/engines/ring2d/engine.hpp"

namespace dwell::test {
namespace {

constexpr ring_config small{3, 2, 5, 3, 2, 1, 0}, large{8, 3, 15, 3, 2, 4, 1};

TEST(ring_strips, own_every_column_once_and_begin_far_enough_before) {
  for (const boundary edge : {boundary::fixed, boundary::periodic})
    for (int nx = 1; nx < 700; ++nx) {
      const overlapping_strips s = strips_of(small, 1, extents(10, nx), edge);
      int next = 0;
      for (int i = 0; i < s.count(); ++i) {
        ASSERT_EQ(s.first(i), next) << nx << ' ' << i;
        ASSERT_GT(s.end(i), next) << nx << ' ' << i;
        next = s.end(i);
        const bool begins = !s.beyond && i == 0, ends = !s.beyond && i == s.count() - 1;
        ASSERT_GE(s.first(i) - s.origin(i), begins ? 0 : s.halo) << nx << ' ' << i;
        ASSERT_GE(s.origin(i) + s.width - s.end(i), ends ? 0 : s.halo) << nx << ' ' << i;
        if (begins) {
          ASSERT_EQ(s.origin(i), 0);
        }
        if (ends && nx >= s.width) {
          ASSERT_EQ(s.origin(i) + s.width, nx);
        }
      }
      ASSERT_EQ(next, nx);
    }
}

/// What passes through a team's chain, in rows of a strip.
int rows_of(const ring_runs& runs, int team, int ny, int lag, bool beyond) {
  int rows = 0;
  for (int at = runs.cut[std::size_t(team)]; at < runs.cut[std::size_t(team) + 1];) {
    const auto s = ring_segment::at(at, runs.cut[std::size_t(team) + 1], ny, lag, 1, beyond);
    rows += s.ticks;
    at = s.next(ny);
  }
  return rows;
}

TEST(ring_runs, have_every_row_of_every_strip_and_are_about_equal) {
  for (const boundary edge : {boundary::fixed, boundary::periodic})
    for (const extents& n : {extents(1, 1), extents(3, 5000), extents(5000, 3), extents(301, 1037),
                             extents(8192, 8192), extents(4099, 5003), extents(17, 100000)}) {
      const overlapping_strips s = strips_of(large, 1, n, edge);
      const auto runs = runs_of(large, s, {n.y, 1, 24}, 132);
      ASSERT_TRUE(runs) << to_string(n);
      EXPECT_EQ(runs->cut.front(), 0);
      EXPECT_EQ(runs->cut.back(), s.count() * n.y);
      EXPECT_TRUE(std::is_sorted(runs->cut.begin(), runs->cut.end()));
      const int teams = static_cast<int>(runs->cut.size()) - 1;
      EXPECT_LE(teams, 132);
      std::vector<int> rows;
      for (int t = 0; t < teams; ++t) rows.push_back(rows_of(*runs, t, n.y, s.halo, s.beyond));
      const int most = *std::max_element(rows.begin(), rows.end());
      // All rows, each team's halos, and what divides badly.
      const double all = static_cast<double>(s.count()) * n.y / teams;
      EXPECT_LE(most, 1.15 * all + 4 * s.halo + 32)
          << to_string(n) << ", boundary " << static_cast<int>(edge);
    }
}

TEST(ring_runs, of_more_rows_than_can_be_numbered_there_are_none) {
  const overlapping_strips s = strips_of(large, 1, extents(1 << 30, 5000), boundary::fixed);
  EXPECT_FALSE(runs_of(large, s, {1 << 30, 1, 24}, 132));
}

}  // namespace
}  // namespace dwell::test
