// SPDX-License-Identifier: MIT
// Cuts compared array by array, by their bits; random matrices to cut, and the fixture of such
// tests.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "battery.hpp"
#include "cut_reference.hpp"
#include "place.hpp"

namespace dwell::test {

inline bool same(const merge_coordinate& a, const merge_coordinate& b) { return a == b; }
inline bool same(const team_part& a, const team_part& b) {
  return same(a.begin, b.begin) && same(a.end, b.end) && a.first_tile == b.first_tile &&
         a.last_tile == b.last_tile && a.carry_from == b.carry_from && a.open_from == b.open_from;
}
inline bool same(const tile_header& a, const tile_header& b) {
  return a.first_row == b.first_row && a.column == b.column && a.open_row == b.open_row &&
         a.carry_from == b.carry_from;
}
inline bool same(const team_ghosts& a, const team_ghosts& b) {
  return a.first_send == b.first_send && a.last_send == b.last_send && a.halo == b.halo &&
         a.open_slot == b.open_slot;
}
inline bool same(const ghost_send& a, const ghost_send& b) {
  return a.element == b.element && a.team == b.team && a.slot == b.slot;
}
template <class V>
bool same(const V& a, const V& b) {  // by bits
  return std::memcmp(&a, &b, sizeof(V)) == 0;
}

template <class V>
void expect_same(const char* what, const std::vector<V>& found, const std::vector<V>& expected) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_TRUE(same(found[i], expected[i])) << what << ", element " << i;
}

template <class T>
void expect_same(const tiled_matrix<T>& found, const tiled_matrix<T>& expected) {
  expect_same("teams", found.teams, expected.teams);
  expect_same("header", found.header, expected.header);
  expect_same("path", found.path, expected.path);
  expect_same("val", found.val, expected.val);
  expect_same("narrow", found.narrow, expected.narrow);
  expect_same("wide", found.wide, expected.wide);
}

inline void expect_same(const ghost_layout& found, const ghost_layout& expected) {
  ASSERT_EQ(found.halo, expected.halo);
  if (expected.halo == 0) return;
  EXPECT_EQ(found.own, expected.own);
  EXPECT_EQ(found.sends, expected.sends);
  expect_same("ghosts", found.teams, expected.teams);
  expect_same("send", found.send, expected.send);
  expect_same("ghost header", found.header, expected.header);
  expect_same("ghost columns", found.columns, expected.columns);
}

inline csr<float> in_single(const csr<double>& a) { return convert<float>(a.view()); }

/// Rows of random lengths, most short, some long; columns anywhere or near. Not symmetric.
inline csr<double> random_rows(index n, std::uint64_t seed) {
  splitmix64 random(seed);
  csr<double> a;
  a.rows = a.cols = n;
  const index reach = seed % 2 ? n : std::min<index>(n, 40);
  for (index i = 0; i < n; ++i) {
    const index kind = random.below(60);
    const index wanted = 1 + (kind == 0  ? random.below(n)
                              : kind < 4 ? random.below(300)
                                         : random.below(9));
    const index from = std::max<index>(0, std::min<index>(i - reach / 2, n - reach));
    std::vector<index> row;
    for (index k = 0; k < wanted; ++k)
      row.push_back(kind < 4 ? random.below(n) : from + random.below(reach));
    std::sort(row.begin(), row.end());
    row.erase(std::unique(row.begin(), row.end()), row.end());
    for (const index j : row) {
      a.col.push_back(j);
      a.val.push_back(random.uniform());
    }
    a.row_ptr.push_back(static_cast<index>(a.col.size()));
  }
  return a;
}

class cuts : public testing::Test {
 protected:
  void SetUp() override {
    if (const auto why = place::absent(); !why.empty()) GTEST_SKIP() << why;
  }
};

}  // namespace dwell::test
