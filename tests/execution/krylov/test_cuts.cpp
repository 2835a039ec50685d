// SPDX-License-Identifier: MIT
// Cuts where the data are, array by array beside those of plain serial loops: every matrix of the
// battery and random ones, for any number of teams. Linked again into the tests of a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "battery.hpp"
#include "cut_comparison.hpp"
#include "dwell/base/error.hpp"
#include "dwell/execution/krylov/spmv/placed_csr.hpp"
#include "place.hpp"

namespace dwell::test {
namespace {

/// Values times 3, where the matrix is one that is to be updated.
template <class T>
csr<T> with_other_values(csr<T> a) {
  for (T& v : a.val) v *= 3;
  return a;
}

template <class T>
void check_cut(const csr<T>& a, const cut_request& asked, int exponent) {
  SCOPED_TRACE(
      fmt::format("{} rows, {} nonzeros, {} bytes, {} teams, tiles {}, whole rows {}, "
                  "ghosts {}, exponent {}",
                  a.rows, a.nonzeros(), sizeof(T), asked.teams, asked.by_tiles, asked.whole_rows,
                  asked.ghosts, exponent));
  const device where = place::where();
  const placed_csr<T> placed(where, a.view());
  cut_matrix<T> m = dwell::cut(where, placed.arrays(), asked);
  EXPECT_FALSE(m.filled);
  fill(where, placed.arrays(), exponent, m);
  EXPECT_TRUE(m.filled);
  const auto expected =
      plain_cut(a.view(), asked.teams, asked.by_tiles, asked.whole_rows, exponent);
  expect_same(copied(where, m, a.nonzeros()), expected);
  expect_same("outline", m.outline.teams, expected.teams);
  EXPECT_EQ(m.outline.by_tiles, asked.by_tiles);
  EXPECT_EQ(static_cast<std::size_t>(m.outline.tiles), expected.header.size());
  EXPECT_EQ(m.outline.narrow, expected.wide.empty());
  if (asked.ghosts) expect_same(copied_ghosts(where, m), plain_ghosts(expected));

  const csr<T> other = with_other_values(a);
  const placed_csr<T> placed_other(where, other.view());
  for (const int again : {exponent + 1, 0}) {
    fill_values(where, placed_other.arrays(), again, m);
    const auto updated =
        plain_cut(other.view(), asked.teams, asked.by_tiles, asked.whole_rows, again);
    expect_same(copied(where, m, a.nonzeros()), updated);
  }
}

template <class T>
void check_all(const csr<T>& a, const std::vector<int>& teams) {
  for (const int t : teams)
    for (const bool whole_rows : {false, true}) {
      check_cut(a, {t, true, whole_rows, t <= 16}, 0);
      if (testing::Test::HasFatalFailure()) return;
    }
  check_cut(a, {teams.back(), true, false, false}, -700 / static_cast<int>(16 / sizeof(T)));
  check_cut(a, {3, false, false, false}, 0);
  check_cut(a, {2, false, true, false}, 5);
}

class cuts_of_battery : public testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

TEST_P(cuts_of_battery, are_those_of_plain_loops) {
  const csr<double> a = battery_at(GetParam()).build();
  check_all(a, {1, 2, 7, 16, 140});
  check_all(in_single(a), {1, 3, 16, 132});
}

INSTANTIATE_TEST_SUITE_P(battery, cuts_of_battery, testing::ValuesIn(names_of_battery()),
                         [](const auto& info) { return info.param; });

TEST_F(cuts, of_random_matrices_are_those_of_plain_loops) {
  splitmix64 random(5);
  for (std::uint64_t seed = 1; seed <= (sanitized ? 3u : 12u); ++seed) {
    const csr<double> a = random_rows(1 + random.below(seed % 3 ? 900 : 4000), seed);
    std::vector<int> teams = {1, 2 + random.below(15), 17 + random.below(124)};
    check_all(a, teams);
    check_all(in_single(a), teams);
    if (HasFatalFailure()) return;
  }
}

/// Seven entries in every row but the outermost ones.
csr<double> seven_diagonals(index n, index far) {
  csr<double> a;
  a.rows = a.cols = n;
  for (index i = 0; i < n; ++i) {
    for (const index away : {-far, -far / 100, -1, 0, 1, far / 100, far})
      if (i + away >= 0 && i + away < n) {
        a.col.push_back(i + away);
        a.val.push_back(away == 0 ? 7 + i % 3 : -1.0 / (1 + i % 5));
      }
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  return a;
}

// More tiles than a launch has warps, and work for threads of the host.
TEST_F(cuts, of_a_large_matrix_are_those_of_plain_loops) {
  const csr<double> a = seven_diagonals(sanitized ? 60000 : 700000, 9000);
  const device where = place::where();
  const placed_csr<double> placed(where, a.view());
  for (const bool ghosts : {false, true}) {
    const int teams = ghosts ? 16 : 132;
    cut_matrix<double> m = dwell::cut(where, placed.arrays(), {teams, true, ghosts, ghosts});
    fill(where, placed.arrays(), 0, m);
    const auto expected = plain_cut(a.view(), teams, true, ghosts, 0);
    expect_same(copied(where, m, a.nonzeros()), expected);
    if (ghosts) {
      EXPECT_GT(m.outline.halo, 0);
      expect_same(copied_ghosts(where, m), plain_ghosts(expected));
    }
  }
  check_cut(random_rows(20000, 3), {132, true, false, false}, 0);
}

TEST_F(cuts, ghosts_end_where_places_do) {
  for (const index n : {2 * 65536 - 2, 2 * 65536, 2 * 65536 + 2}) {
    const csr<double> a = tridiagonal(n, 2.5, -1);
    for (const int teams : {1, 2, 3}) check_cut(a, {teams, true, true, true}, 0);
  }
}

TEST_F(cuts, of_nothing) {
  for (const bool by_tiles : {false, true})
    check_cut(csr<double>{}, {2, by_tiles, false, by_tiles}, 0);
}

std::string refusal(const csr<double>& a, const cut_request& asked) {
  const device where = place::where();
  const placed_csr<double> placed(where, a.view());
  try {
    (void)dwell::cut(where, placed.arrays(), asked);
  } catch (const input_error& e) {
    return e.what();
  }
  return {};
}

TEST_F(cuts, by_tiles_need_an_entry_in_every_row) {
  for (const std::vector<index>& empty :
       {std::vector<index>{0}, {499}, {17}, {300, 301, 20}, {255, 256, 257, 498, 499}}) {
    csr<double> a = tridiagonal(500, 2, -1), b;
    b.rows = b.cols = 500;
    for (index i = 0; i < a.rows; ++i) {
      if (std::find(empty.begin(), empty.end(), i) == empty.end())
        for (index k = a.row_ptr[static_cast<std::size_t>(i)];
             k < a.row_ptr[static_cast<std::size_t>(i) + 1]; ++k) {
          b.col.push_back(a.col[static_cast<std::size_t>(k)]);
          b.val.push_back(a.val[static_cast<std::size_t>(k)]);
        }
      b.row_ptr.push_back(static_cast<index>(b.col.size()));
    }
    const index first = *std::min_element(empty.begin(), empty.end());
    for (const int teams : {1, 16, 140})
      EXPECT_EQ(refusal(b, {teams, true, false, teams <= 16}),
                fmt::format("matrix: expected an entry in every row, found none in row {} (counted "
                            "from 1)",
                            first + 1));
    EXPECT_EQ(refusal(b, {4, false}), "");
  }
}

TEST_F(cuts, that_are_equal_are_made_once) {
  const csr<double> a = mesh(40, 30);
  const device where = place::where();
  const placed_csr<double> placed(where, a.view());
  cut_cache<double> all(where, placed.arrays());
  const auto with_ghosts = all.of({4, true, true, true});
  EXPECT_EQ(all.of({4, true, true, true}), with_ghosts);
  EXPECT_EQ(all.of({4, true, true, false}), with_ghosts) << "ghosts do no harm";
  EXPECT_NE(all.of({4, true, false, true}), with_ghosts);
  EXPECT_NE(all.of({5, true, true, true}), with_ghosts);
  const auto plain = all.of({6, true, true, false});
  EXPECT_NE(all.of({6, true, true, true}), plain);
}

}  // namespace
}  // namespace dwell::test
