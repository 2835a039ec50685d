// SPDX-License-Identifier: MIT
// Windows on the gathered vector, checked against the matrix itself: every nonzero finds its
// column, every element of a halo is sent exactly once, by its owner.
#include "dwell/execution/core/window.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "battery.hpp"

namespace dwell::test {
namespace {

class windows : public testing::TestWithParam<std::string> {
 protected:
  const csr<double> a = battery_at(GetParam()).build();

  /// The window of every team after all have sent: row numbers stand for elements, -1 for nothing.
  static std::vector<std::vector<index>> exchanged(const tiled_matrix<double>& m,
                                                   const tile_windows& w) {
    std::vector<std::vector<index>> all(m.teams.size());
    for (std::size_t t = 0; t < all.size(); ++t) {
      all[t].assign(static_cast<std::size_t>(w.own + w.teams[t].halo), -1);
      for (index row = m.teams[t].begin.row; row < m.teams[t].end.row; ++row)
        all[t][static_cast<std::size_t>(row - m.teams[t].begin.row)] = row;
    }
    for (std::size_t t = 0; t < all.size(); ++t) {
      EXPECT_LE(w.teams[t].last_send - w.teams[t].first_send, w.sends);
      for (int k = w.teams[t].first_send; k < w.teams[t].last_send; ++k) {
        const halo_send s = w.send[static_cast<std::size_t>(k)];
        index& place = all[s.team].at(static_cast<std::size_t>(w.own + s.slot));
        EXPECT_EQ(place, -1) << "sent twice";
        EXPECT_NE(s.team, t);
        EXPECT_LT(s.element, m.teams[t].end.row - m.teams[t].begin.row) << "not the sender's own";
        place = m.teams[t].begin.row + s.element;
      }
    }
    return all;
  }

  void check_all(int teams, bool whole_rows) const {
    SCOPED_TRACE(fmt::format("{} teams, whole rows {}", teams, whole_rows));
    const tiled_matrix<double> m = dwell::cut(a.view(), teams, true, whole_rows);
    const tile_windows w = windows_of(m);
    if (w.halo == 0) {
      EXPECT_EQ(foreign(m), 0) << "halos are needed, and there are none";
      return;
    }
    const auto window = exchanged(m, w);
    for (std::size_t t = 0; t < window.size(); ++t) {
      EXPECT_LE(w.teams[t].halo, w.halo);
      EXPECT_EQ(std::count(window[t].begin() + w.own, window[t].end(), -1), 0) << "not sent";
      const team_share& share = m.teams[t];
      if (!whole_rows && share.last_tile > share.first_tile && share.end.row < a.rows) {
        EXPECT_EQ(window[t].at(static_cast<std::size_t>(w.own + w.teams[t].open_slot)),
                  share.end.row);
      }
      for (int tile = share.first_tile; tile < share.last_tile; ++tile)
        for (int i = 0; i < tile_size; ++i) check_place(m, w, window[t], tile, i);
    }
  }

 private:
  /// Place i of a tile, counted lane by lane.
  static void check_place(const tiled_matrix<double>& m, const tile_windows& w,
                          const std::vector<index>& window, int tile, int i) {
    const auto at = static_cast<std::size_t>(tile) * tile_size;
    const int lane = i / tile_items, j = i % tile_items;
    const tile_header& h = m.header[static_cast<std::size_t>(tile)];
    const index column = m.narrow.empty() ? m.wide[at + tile_slot<4>(lane, j)]
                                          : h.column + m.narrow[at + tile_slot<2>(lane, j)];
    EXPECT_EQ(window.at(w.columns[at + tile_slot<2>(lane, j)]), column);
    const tile_header& in_window = w.header[static_cast<std::size_t>(tile)];
    EXPECT_EQ(in_window.column, 0);
    EXPECT_EQ(in_window.first_row, h.first_row);
    EXPECT_EQ(in_window.open_row, h.open_row);
    EXPECT_EQ(in_window.carry_from, h.carry_from);
  }
  /// Nonzeros whose column another team owns.
  int foreign(const tiled_matrix<double>& m) const {
    int count = 0;
    for (const team_share& t : m.teams)
      for (index row = t.begin.row; row < t.end.row; ++row)
        for (index k = a.row_ptr[static_cast<std::size_t>(row)];
             k < a.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
          const index column = a.col[static_cast<std::size_t>(k)];
          count += column < t.begin.row || column >= t.end.row;
        }
    return count;
  }
};

TEST_P(windows, hold_what_products_gather) {
  for (const int teams : {1, 2, 3, 7, 16})
    for (const bool whole_rows : {false, true}) check_all(teams, whole_rows);
}

INSTANTIATE_TEST_SUITE_P(battery, windows,
                         testing::Values("one_by_one", "two_by_two", "five_rows", "diagonal_100",
                                         "arrow_first", "dense_rows_adjacent", "permuted_800",
                                         "power_law_1500", "mesh_33x47", "tile_513"),
                         [](const auto& info) { return info.param; });

// Columns of 32 bits may become places of 16, where a team has few of them.
TEST(windows_of_far_columns, exist_if_places_fit_16_bits) {
  const csr<double> a = battery_at("corner_65537").build();
  EXPECT_EQ(windows_of(dwell::cut(a.view(), 1, true)).halo, 0);
  EXPECT_GT(windows_of(dwell::cut(a.view(), 2, true)).halo, 0);
}

}  // namespace
}  // namespace dwell::test
