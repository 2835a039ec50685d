// SPDX-License-Identifier: MIT
// Ghost vectors, checked against the matrix itself: every nonzero finds its column, every element
// of a halo is sent exactly once, by its owner.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "battery.hpp"
#include "cut_reference.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"

namespace dwell::test {
namespace {

/// Cut by the library on the host.
struct cut_with_ghosts {
  tiled_matrix<double> m;
  ghost_layout w;

  cut_with_ghosts(const csr<double>& a, int teams, bool whole_rows = false) {
    const device host = device::cpu(2);
    const auto arrays = arrays_of(a.view());
    auto made = dwell::cut(host, arrays, {teams, true, whole_rows, true});
    fill(host, arrays, 0, made);
    m = copied(host, made, a.nonzeros());
    w = copied_ghosts(host, made);
  }
};

class ghosts : public testing::TestWithParam<std::string> {
 protected:
  const csr<double> a = battery_at(GetParam()).build();

  /// The ghost vector of every team after all have sent: row numbers stand for elements, -1 for
  /// nothing.
  static std::vector<std::vector<index>> exchanged(const tiled_matrix<double>& m,
                                                   const ghost_layout& w) {
    std::vector<std::vector<index>> all(m.teams.size());
    for (std::size_t t = 0; t < all.size(); ++t) {
      all[t].assign(static_cast<std::size_t>(w.own + w.teams[t].halo), -1);
      for (index row = m.teams[t].begin.row; row < m.teams[t].end.row; ++row)
        all[t][static_cast<std::size_t>(row - m.teams[t].begin.row)] = row;
    }
    for (std::size_t t = 0; t < all.size(); ++t) {
      EXPECT_LE(w.teams[t].last_send - w.teams[t].first_send, w.sends);
      for (int k = w.teams[t].first_send; k < w.teams[t].last_send; ++k) {
        const ghost_send s = w.send[static_cast<std::size_t>(k)];
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
    const auto [m, w] = cut_with_ghosts(a, teams, whole_rows);
    if (w.halo == 0) {
      EXPECT_EQ(foreign(m), 0) << "halos are needed, and there are none";
      return;
    }
    const auto vectors = exchanged(m, w);
    for (std::size_t t = 0; t < vectors.size(); ++t) {
      EXPECT_LE(w.teams[t].halo, w.halo);
      EXPECT_EQ(std::count(vectors[t].begin() + w.own, vectors[t].end(), -1), 0) << "not sent";
      const team_part& part = m.teams[t];
      if (!whole_rows && part.last_tile > part.first_tile && part.end.row < a.rows) {
        EXPECT_EQ(vectors[t].at(static_cast<std::size_t>(w.own + w.teams[t].open_slot)),
                  part.end.row);
      }
      for (int tile = part.first_tile; tile < part.last_tile; ++tile)
        for (int i = 0; i < tile_size; ++i) check_place(m, w, vectors[t], tile, i);
    }
  }

 private:
  /// Place i of a tile, counted lane by lane.
  static void check_place(const tiled_matrix<double>& m, const ghost_layout& w,
                          const std::vector<index>& vector, int tile, int i) {
    const auto at = static_cast<std::size_t>(tile) * tile_size;
    const int lane = i / tile_items, j = i % tile_items;
    const tile_header& h = m.header[static_cast<std::size_t>(tile)];
    const index column = m.narrow.empty() ? m.wide[at + tile_slot<4>(lane, j)]
                                          : h.column + m.narrow[at + tile_slot<2>(lane, j)];
    EXPECT_EQ(vector.at(w.columns[at + tile_slot<2>(lane, j)]), column);
    const tile_header& in_window = w.header[static_cast<std::size_t>(tile)];
    EXPECT_EQ(in_window.column, 0);
    EXPECT_EQ(in_window.first_row, h.first_row);
    EXPECT_EQ(in_window.open_row, h.open_row);
    EXPECT_EQ(in_window.carry_from, h.carry_from);
  }
  /// Nonzeros whose column another team owns.
  int foreign(const tiled_matrix<double>& m) const {
    int count = 0;
    for (const team_part& t : m.teams)
      for (index row = t.begin.row; row < t.end.row; ++row)
        for (index k = a.row_ptr[static_cast<std::size_t>(row)];
             k < a.row_ptr[static_cast<std::size_t>(row) + 1]; ++k) {
          const index column = a.col[static_cast<std::size_t>(k)];
          count += column < t.begin.row || column >= t.end.row;
        }
    return count;
  }
};

TEST_P(ghosts, hold_what_products_gather) {
  for (const int teams : {1, 2, 3, 7, 16})
    for (const bool whole_rows : {false, true}) check_all(teams, whole_rows);
}

INSTANTIATE_TEST_SUITE_P(battery, ghosts,
                         testing::Values("one_by_one", "two_by_two", "five_rows", "diagonal_100",
                                         "arrow_first", "dense_rows_adjacent", "permuted_800",
                                         "power_law_1500", "mesh_33x47", "tile_513"),
                         [](const auto& info) { return info.param; });

// Columns of 32 bits may become places of 16, where a team has few of them.
TEST(ghosts_of_far_columns, exist_if_places_fit_16_bits) {
  const csr<double> a = battery_at("corner_65537").build();
  EXPECT_EQ(cut_with_ghosts(a, 1).w.halo, 0);
  EXPECT_GT(cut_with_ghosts(a, 2).w.halo, 0);
}

}  // namespace
}  // namespace dwell::test
