// SPDX-License-Identifier: MIT
// The order that is taken where nobody asks for one: rows as long as the cache holds them, else
// columns that it holds.
#include <gtest/gtest.h>

#include <string>

#include "dwell/execution/stencil/launch/run.hpp"
#include "dwell/execution/stencil/plan/policies/cell_order.hpp"

namespace dwell::test {
namespace {

constexpr std::size_t mebibyte = std::size_t{1} << 20;

stencil_problem problem(const extents& n, int radius = 1, std::size_t scalar_bytes = 8) {
  return {n, inner_box(n, radius), radius, scalar_bytes};
}
std::string chosen(const stencil_problem& p, std::size_t cache = 2 * mebibyte) {
  return to_string(policies::choose_cell_order(p, cache).cells);
}

TEST(choose_cell_order, rows_that_the_cache_holds) {
  // (2 MiB - 8 (9 + 1)) / (3 * 8) = 87,378 cells.
  EXPECT_EQ(chosen(problem({100, 87380})), "rows");
  EXPECT_NE(chosen(problem({100, 87381})), "rows");
  EXPECT_EQ(chosen(problem({100, 174000}, 1, 4)), "rows");
  EXPECT_EQ(policies::choose_cell_order(problem({100, 100}), mebibyte).why, "");
}
TEST(choose_cell_order, columns_of_half_the_cache_where_it_does_not) {
  EXPECT_EQ(chosen(problem({100, 1 << 20})), "columns:41944");  // 25 of them
  EXPECT_EQ(policies::choose_cell_order(problem({100, 1 << 20}), 2 * mebibyte).why,
            "cells in order columns:41944, since the rows that a cell reads are more than a core's "
            "cache of 2.00 MiB");
  EXPECT_EQ(chosen(problem({100, 1 << 20}, 2)), "columns:25576");  // 41 of them
  EXPECT_EQ(chosen(problem({100, 1 << 20}), 1000), "columns:64");
}
TEST(choose_cell_order, in_three_dimensions_whole_rows_of_some_planes) {
  EXPECT_EQ(chosen(problem({100, 200, 200})), "rows");
  EXPECT_EQ(chosen(problem({100, 512, 512})), "columns:510x73");  // seven of them
  EXPECT_EQ(chosen(problem({20, 1024, 1024})), "columns:1022x40");
  EXPECT_EQ(chosen(problem({20, 100, 65536})), "columns:4096x8");
}
TEST(choose_cell_order, rows_where_nothing_is_known_or_read_again) {
  EXPECT_EQ(chosen(problem({100, 1 << 20}), 0), "rows");
  EXPECT_EQ(chosen(problem({3, 1 << 20})), "rows");
  EXPECT_EQ(chosen(problem({2, 1 << 20})), "rows");
  EXPECT_EQ(chosen(problem({3, 512, 512})), "rows");
}

}  // namespace
}  // namespace dwell::test
