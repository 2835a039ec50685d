// SPDX-License-Identifier: MIT
// The index maps of orders: permutations of the cells of every small grid, in the sequence that
// plain loops give; the equations of Prasetya 2022; and orders as words.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "dwell/base/error.hpp"
#include "dwell/execution/stencil/order/index_map.hpp"

namespace dwell::test {
namespace {

#if defined(DWELL_SANITIZED)
constexpr int stride = 9, wide_stride = 27;  // strides of the sizes that are tried
#else
constexpr int stride = 1, wide_stride = 5;
#endif

cell_order order(const std::string& text, int dims) { return *parse_cell_order(text, dims); }

/// What the map makes of all numbers.
std::vector<grid_cell> sequence_of(const index_map& map) {
  std::vector<grid_cell> all;
  for (std::int64_t i = 0; i < map.cells(); ++i) all.push_back(map.at(i));
  return all;
}

/// Every cell once, and number() is the inverse of at(): "" if so.
std::string not_a_permutation(const std::string& text, const extents& n) {
  const index_map map(order(text, n.dims), n);
  std::vector<bool> seen(n.cells());
  for (std::int64_t i = 0; i < map.cells(); ++i) {
    const grid_cell c = map.at(i);
    const auto where = text + " on " + to_string(n) + ", number " + std::to_string(i);
    if (c.z < 0 || c.z >= n.z || c.y < 0 || c.y >= n.y || c.x < 0 || c.x >= n.x)
      return where + ": outside the grid";
    const auto place = (static_cast<std::size_t>(c.z) * static_cast<std::size_t>(n.y) +
                        static_cast<std::size_t>(c.y)) *
                           static_cast<std::size_t>(n.x) +
                       static_cast<std::size_t>(c.x);
    if (seen[place]) return where + ": a cell that was there before";
    seen[place] = true;
    if (map.number(c) != i) return where + ": number() says " + std::to_string(map.number(c));
  }
  return {};
}

/// Numbers that differ from size to size, up to `most`.
int some(int a, int b, int c, int most) { return 1 + (a * 7919 + b * 104729 + c * 1299709) % most; }

std::string by_loops_differs(const std::string& text, const extents& n, int w, int h, int d,
                             bool mirrors = false) {
  std::vector<grid_cell> expected;
  for (int z0 = 0; z0 < n.z; z0 += d)
    for (int y0 = 0; y0 < n.y; y0 += h)
      for (int x0 = 0; x0 < n.x; x0 += w) {
        int row = 0;
        for (int z = z0; z < std::min(z0 + d, n.z); ++z)
          for (int y = y0; y < std::min(y0 + h, n.y); ++y, ++row) {
            const int end = std::min(x0 + w, n.x);
            for (int x = x0; x < end; ++x)
              expected.push_back({z, y, mirrors && row % 2 == 0 ? x0 + end - 1 - x : x});
          }
      }
  const auto found = sequence_of(index_map(order(text, n.dims), n));
  return found == expected ? "" : text + " on " + to_string(n);
}

TEST(orders, are_permutations_of_every_size_in_two_dimensions) {
  for (int y = 1; y <= 70; ++y)
    for (int x = 1 + y % wide_stride; x <= 70; x += wide_stride) {
      const extents n(y, x);
      const auto number = [&](int which, int most) {
        return std::to_string(some(y, x, which, most));
      };
      ASSERT_EQ(not_a_permutation("rows", n), "");
      ASSERT_EQ(not_a_permutation("tiles:" + number(1, 72) + "x" + number(2, 72), n), "");
      ASSERT_EQ(not_a_permutation("columns:" + number(3, 72), n), "");
      ASSERT_EQ(not_a_permutation("zigzag:" + number(4, 72), n), "");
      ASSERT_EQ(not_a_permutation("hilbert:" + number(5, 9) + "x" + number(6, 9), n), "");
      if ((x + y) % 16 == 0) {
        ASSERT_EQ(not_a_permutation("hilbert:1x1", n), "");
        ASSERT_EQ(not_a_permutation("hilbert", n), "");
      }
    }
}
TEST(orders, are_permutations_of_every_size_in_three_dimensions) {
  for (int z = 1; z <= 12; ++z)
    for (int y = 1; y <= 12; ++y)
      for (int x = 1 + (y + z) % stride; x <= 12; x += stride) {
        const extents n(z, y, x);
        const auto number = [&](int which) {
          return std::to_string(some(z, y + 13 * x, which, 13));
        };
        for (const char* text : {"rows", "hilbert:1x1x1", "hilbert"})
          ASSERT_EQ(not_a_permutation(text, n), "");
        ASSERT_EQ(not_a_permutation("tiles:" + number(1) + "x" + number(2), n), "");
        ASSERT_EQ(not_a_permutation("tiles:" + number(3) + "x" + number(4) + "x" + number(5), n),
                  "");
        ASSERT_EQ(not_a_permutation("columns:" + number(6), n), "");
        ASSERT_EQ(not_a_permutation("columns:" + number(7) + "x" + number(8), n), "");
        ASSERT_EQ(not_a_permutation("zigzag:" + number(9), n), "");
        ASSERT_EQ(not_a_permutation("hilbert:" + number(10) + "x" + number(11) + "x2", n), "");
      }
}

TEST(orders, have_the_sequence_of_plain_loops) {
  const extents sizes[] = {{1, 1}, {7, 13}, {16, 64}, {33, 65}, {70, 70}, {5, 9, 14}, {1, 12, 3}};
  for (const extents& n : sizes) {
    const int all = 1000;
    EXPECT_EQ(by_loops_differs("rows", n, all, all, all), "");
    EXPECT_EQ(by_loops_differs("tiles:5x3", n, 5, 3, 1), "");
    EXPECT_EQ(by_loops_differs("tiles:64x2", n, 64, 2, 1), "");
    EXPECT_EQ(by_loops_differs("columns:6", n, 6, all, all), "");
    EXPECT_EQ(by_loops_differs("columns:1", n, 1, all, all), "");
    EXPECT_EQ(by_loops_differs("columns:500", n, all, all, all), "");
    EXPECT_EQ(by_loops_differs("zigzag:6", n, 6, all, all, true), "");
    if (n.dims == 2) continue;
    EXPECT_EQ(by_loops_differs("tiles:5x3x2", n, 5, 3, 2), "");
    EXPECT_EQ(by_loops_differs("columns:4x5", n, 4, 5, all), "");
  }
}

/// Equations 4.1 to 4.7 as printed, but for 4.3, which needs w in the place of w', and 4.7, which
/// needs w' - 1 - x.
TEST(orders, of_columns_are_those_of_the_document) {
  for (const int width : {10, 64, 70})
    for (const int height : {1, 6, 9})
      for (const int w : {1, 4, 10, 16, 64}) {
        const index_map columns(order("columns:" + std::to_string(w), 2), {height, width}),
            zigzag(order("zigzag:" + std::to_string(w), 2), {height, width});
        for (int i = 0; i < width * height; ++i) {
          const int o = i / (height * w) * w;
          const bool last = o + w >= width;
          const int narrower = last ? (width - 1) % w + 1 : w;
          const int in_column = i % (height * w);
          const int x = in_column % narrower, y = in_column / narrower;
          const auto place = [&](const grid_cell& c) { return c.y * width + c.x; };
          EXPECT_EQ(place(columns.at(i)), x + y * width + o);
          EXPECT_EQ(place(zigzag.at(i)), (y % 2 != 0 ? x : narrower - 1 - x) + y * width + o);
        }
      }
}

int distance(const grid_cell& a, const grid_cell& b) {
  return std::abs(a.z - b.z) + std::abs(a.y - b.y) + std::abs(a.x - b.x);
}

TEST(orders, along_a_hilbert_curve_go_from_neighbour_to_neighbour) {
  for (const extents& n : {extents(32, 32), extents(2, 2), extents(16, 16, 16), extents(2, 2, 2)}) {
    const auto all =
        sequence_of(index_map(order(n.dims == 3 ? "hilbert:1x1x1" : "hilbert:1x1", n.dims), n));
    for (std::size_t i = 1; i < all.size(); ++i)
      ASSERT_EQ(distance(all[i - 1], all[i]), 1) << to_string(n) << ", number " << i;
  }
}
/// A curve's first half fills half of the square, its quarters the quarters.
TEST(orders, along_a_hilbert_curve_fill_square_after_square) {
  const index_map map(order("hilbert:1x1", 2), {16, 16});
  for (int quarter = 0; quarter < 64; ++quarter) {
    const grid_cell first = map.at(quarter * 4);
    for (int i = 1; i < 4; ++i) {
      const grid_cell c = map.at(quarter * 4 + i);
      EXPECT_EQ(c.x / 2, first.x / 2);
      EXPECT_EQ(c.y / 2, first.y / 2);
    }
  }
}
/// On any grid it is the curve of the square around it, less what lies outside.
TEST(orders, along_a_hilbert_curve_leave_out_what_lies_outside) {
  const auto inside = [](const extents& square, const extents& n, const char* text) {
    auto all = sequence_of(index_map(order(text, n.dims), square));
    std::erase_if(all, [&](const grid_cell& c) { return c.x >= n.x || c.y >= n.y || c.z >= n.z; });
    return all == sequence_of(index_map(order(text, n.dims), n));
  };
  EXPECT_TRUE(inside({32, 32}, {17, 29}, "hilbert:1x1"));
  EXPECT_TRUE(inside({32, 32}, {3, 20}, "hilbert:1x1"));
  EXPECT_TRUE(inside({8, 8, 8}, {5, 8, 3}, "hilbert:1x1x1"));
}

TEST(orders, are_written_as_they_are_read) {
  for (const char* text :
       {"rows", "tiles:32x8", "columns:64", "zigzag:64", "hilbert", "hilbert:4x2"}) {
    EXPECT_EQ(to_string(order(text, 2)), text);
    EXPECT_EQ(to_string(order(text, 3)), text);
  }
  for (const char* text : {"tiles:32x8x4", "columns:64x16", "hilbert:8x4x2"})
    EXPECT_EQ(to_string(order(text, 3)), text);
  EXPECT_FALSE(parse_cell_order("auto", 2));
  EXPECT_EQ(to_string(cell_order{}), "rows");
}

TEST(orders, that_cannot_be_are_refused_with_the_form_that_can) {
  const auto message = [](const char* text, int dims) -> std::string {
    try {
      parse_cell_order(text, dims);
    } catch (const input_error& e) {
      return e.what();
    }
    return "accepted";
  };
  EXPECT_EQ(message("colums:64", 2),
            "order: expected auto, rows, tiles, columns, zigzag, hilbert, found 'colums'; did you "
            "mean 'columns'?");
  EXPECT_EQ(message("columns", 2),
            "order: expected columns:W[xH] with numbers of 1 to 2^30 in 2 dimensions, found "
            "'columns'");
  for (const char* text :
       {"columns:", "columns:0", "columns:-1", "columns:64x16", "columns:64x", "columns:x64",
        "rows:1", "tiles:32", "tiles:32x8x4", "tiles:32X8", "tiles: 32x8", "zigzag:4x4",
        "hilbert:4", "columns:1073741825", "columns:99999999999999", "tiles:1x2x3x4", "columns:6 "})
    EXPECT_NE(message(text, 2).find("found '" + std::string(text) + "'"), std::string::npos)
        << text;
  EXPECT_NE(message("", 2).find("found ''"), std::string::npos);
  EXPECT_EQ(message("columns:64x16", 3), "accepted");
  EXPECT_NE(message("columns:4x4x4", 3), "accepted");
}

}  // namespace
}  // namespace dwell::test
