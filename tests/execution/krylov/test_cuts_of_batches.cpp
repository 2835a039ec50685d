// SPDX-License-Identifier: MIT
// Cuts of batches: the diagonal blocks of one matrix, each a team's. Array by array beside the cuts
// of plain serial loops of each block alone. Linked again into the tests of a GPU.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cut_comparison.hpp"
#include "dwell/base/error.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"

namespace dwell::test {
namespace {

using cuts_of_batches = cuts;

/// A batch's matrices as one, and what its cut at their rows must be: the cuts of each alone, one
/// behind the other.
template <class T>
void check_blocks(const std::vector<csr<T>>& blocks, bool own_columns) {
  csr<T> all;
  std::vector<index> first_rows = {0};
  tiled_matrix<T> expected;
  for (const csr<T>& a : blocks) {
    const auto one = plain_cut(a.view(), 1, true, true);
    const index row = all.rows, nonzero = all.nonzeros();
    const int tile = static_cast<int>(expected.header.size()),
              team = static_cast<int>(first_rows.size()) - 1;
    team_part part = one.teams[0];
    part.begin = {row, nonzero};
    part.end = {row + a.rows, nonzero + a.nonzeros()};
    part.first_tile += tile, part.last_tile += tile, part.open_from += tile;
    part.carry_from = team;
    expected.teams.push_back(part);
    for (std::size_t t = 0; t < one.header.size(); ++t) {
      tile_header h = one.header[t];
      const index least = h.column;
      h.first_row += row, h.open_row += row, h.carry_from += tile;
      h.column = own_columns ? row : least + row;
      expected.header.push_back(h);
      for (std::size_t k = t * tile_size; k < (t + 1) * tile_size; ++k)
        expected.narrow.push_back(
            static_cast<std::uint16_t>(one.narrow[k] + (own_columns ? least : 0)));
      // Places after the last nonzero have the column of the header.
      const std::size_t used = static_cast<std::size_t>(a.nonzeros()) - t * tile_size;
      for (std::size_t place = used; own_columns && place < tile_size; ++place)
        expected
            .narrow[expected.narrow.size() - tile_size +
                    static_cast<std::size_t>(tile_slot<2>(static_cast<int>(place) / tile_items,
                                                          static_cast<int>(place) % tile_items))] =
            0;
    }
    expected.path.insert(expected.path.end(), one.path.begin(), one.path.end());
    expected.val.insert(expected.val.end(), one.val.begin(), one.val.end());
    for (index k = 0; k < a.nonzeros(); ++k) all.col.push_back(a.col[k] + row);
    for (index i = 0; i < a.rows; ++i) all.row_ptr.push_back(nonzero + a.row_ptr[i + 1]);
    all.val.insert(all.val.end(), a.val.begin(), a.val.end());
    all.cols = all.rows = row + a.rows;
    first_rows.push_back(all.rows);
  }
  const device where = place::where();
  const placed_csr<T> placed(where, all.view());
  const auto rows = buffer<index>::borrow(where, first_rows);
  cut_request asked{static_cast<int>(blocks.size()), true, true, false, rows.data(), own_columns};
  cut_matrix<T> m = dwell::cut(where, placed.arrays(), asked);
  fill(where, placed.arrays(), 0, m);
  expect_same(copied(where, m, all.nonzeros()), expected);
  expect_same("outline", m.outline.teams, expected.teams);
  EXPECT_EQ(m.outline.own_columns, own_columns);
  if (own_columns) {
    EXPECT_EQ(m.ghost_columns, m.narrow);
    const auto n = static_cast<std::size_t>(m.outline.tiles);
    std::vector<tile_header> from_zero = expected.header;
    for (tile_header& h : from_zero) h.column = 0;
    expect_same("ghost header", copied(where, m.ghost_header, n), from_zero);
  }
  asked.by_tiles = asked.own_columns = false;
  const cut_matrix<T> by_rows = dwell::cut(where, placed.arrays(), asked);
  for (std::size_t t = 0; t < blocks.size(); ++t) {
    EXPECT_TRUE(same(by_rows.outline.teams[t].begin, expected.teams[t].begin)) << t;
    EXPECT_TRUE(same(by_rows.outline.teams[t].end, expected.teams[t].end)) << t;
  }
}

TEST_F(cuts_of_batches, at_given_rows) {
  for (const bool own_columns : {false, true}) {
    SCOPED_TRACE(own_columns);
    std::vector<csr<double>> blocks;
    for (const char* name : {"mesh_33x47", "one_by_one", "seventeen_dense", "dense_row_middle",
                             "tile_33", "power_law_1500"})
      blocks.push_back(battery_at(name).build());
    check_blocks(blocks, own_columns);
    blocks.insert(blocks.begin() + 2, csr<double>{});
    check_blocks(blocks, own_columns);
    std::vector<csr<float>> single;
    for (index n = 1; n < (sanitized ? 40 : 300); ++n)
      single.push_back(in_single(random_rows(1 + n * 7 % 290, static_cast<std::uint64_t>(n))));
    check_blocks(single, own_columns);
  }
}

TEST_F(cuts_of_batches, with_columns_of_their_own_end_where_places_do) {
  check_blocks<double>({tridiagonal(65536, 2.5, -1), tridiagonal(9, 2.5, -1)}, true);
  const csr<double> a = tridiagonal(65537, 2.5, -1);
  const device where = place::where();
  const placed_csr<double> placed(where, a.view());
  const auto rows = buffer<index>::copy_of(where, std::vector<index>{0, a.rows});
  EXPECT_THROW((void)dwell::cut(where, placed.arrays(), {1, true, true, false, rows.data(), true}),
               input_error);
}

}  // namespace
}  // namespace dwell::test
