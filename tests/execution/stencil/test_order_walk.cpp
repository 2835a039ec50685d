// SPDX-License-Identifier: MIT
// What teams get of an order: together all of it, in its own sequence, in whole rows of blocks.
#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "dwell/execution/stencil/order/walk.hpp"

namespace dwell::test {
namespace {

constexpr const char* flat_orders[] = {"rows",       "tiles:5x3",  "tiles:64x8",  "columns:1",
                                       "columns:16", "columns:70", "hilbert:4x3", "hilbert"};
constexpr const char* deep_orders[] = {"rows",      "tiles:5x3",   "tiles:4x3x2",
                                       "columns:7", "columns:7x5", "hilbert:4x3x2"};

index_map map_of(const std::string& text, const extents& n) {
  return {*parse_cell_order(text, n.dims), n};
}

std::vector<row_run> runs_of(const index_map& map, int parts) {
  std::vector<row_run> all;
  for (int part = 0; part < parts; ++part) {
    order_walk walk(map, part, parts);
    for (row_run run; walk.next(run);) all.push_back(run);
  }
  return all;
}
std::vector<grid_cell> cells_of(const std::vector<row_run>& runs) {
  std::vector<grid_cell> all;
  for (const auto& r : runs)
    for (int j = 0; j < r.rows; ++j)
      for (int i = 0; i < r.width; ++i) all.push_back({r.first.z, r.first.y + j, r.first.x + i});
  return all;
}

void expect_sequence(const std::string& text, const extents& n) {
  const index_map map = map_of(text, n);
  std::vector<grid_cell> expected;
  for (std::int64_t i = 0; i < map.cells(); ++i) expected.push_back(map.at(i));
  for (const int parts : {1, 2, 3, 7, 64})
    EXPECT_EQ(cells_of(runs_of(map, parts)), expected)
        << text << ' ' << to_string(n) << ' ' << parts;
}

TEST(order_walk, takes_the_cells_in_the_sequence_of_the_map) {
  for (const char* text : flat_orders)
    for (const extents& n : {extents(1, 1), extents(7, 200), extents(40, 3), extents(33, 65)})
      expect_sequence(text, n);
  for (const char* text : deep_orders)
    for (const extents& n : {extents(1, 1, 1), extents(5, 6, 31), extents(9, 1, 10)})
      expect_sequence(text, n);
}

/// Pieces of rows that go backwards come from right to left, the cells of a piece from left to
/// right.
TEST(order_walk, of_zigzag_goes_backwards_in_pieces) {
  for (const extents& n : {extents(5, 300), extents(4, 128), extents(6, 64), extents(3, 7, 150)})
    for (const char* text : {"zigzag:130", "zigzag:64", "zigzag:1000"})
      for (const int parts : {1, 2, 5}) {
        const index_map map = map_of(text, n);
        const auto runs = runs_of(map, parts);
        std::vector<bool> seen(n.cells());
        std::int64_t number = 0;
        for (const auto& run : runs) {
          ASSERT_EQ(run.rows, 1);
          const bool backwards = (run.first.y + n.y * run.first.z) % 2 == 0;
          if (backwards) {
            ASSERT_LE(run.width, mirrored_piece);
          }
          // The first of its cells in the sequence of the map.
          const grid_cell begin{run.first.z, run.first.y,
                                run.first.x + (backwards ? run.width - 1 : 0)};
          ASSERT_EQ(map.number(begin), number) << text << ' ' << to_string(n);
          number += run.width;
        }
        EXPECT_EQ(number, map.cells());
      }
}

/// Rows of blocks are whole, so that no two teams write parts of one; and no team has more than a
/// row of a block more than its part.
TEST(order_walk, deals_equal_parts_of_whole_rows) {
  const extents n(50, 100);
  for (const char* text : flat_orders)
    for (const int parts : {2, 3}) {
      const index_map map = map_of(text, n);
      for (int part = 0; part < parts; ++part) {
        std::int64_t cells = 0;
        order_walk walk(map, part, parts);
        for (row_run run; walk.next(run);) {
          cells += static_cast<std::int64_t>(run.width) * run.rows;
          const cell_block b = map.block_of(run.first);
          EXPECT_EQ(run.width, b.size.width);
          EXPECT_EQ(run.first.x, b.first.x);
        }
        EXPECT_LE(std::abs(cells - map.cells() / parts), 101) << text;
      }
    }
}

TEST(order_walk, of_no_cells_has_no_runs) {
  for (const extents& n : {extents(0, 5), extents(5, 0), extents(0, 0), extents(3, 0, 4)})
    for (const char* text : {"rows", "columns:4", "tiles:4x4", "hilbert"}) {
      const index_map map = map_of(text, n);
      EXPECT_TRUE(runs_of(map, 3).empty()) << text;
    }
}

}  // namespace
}  // namespace dwell::test
