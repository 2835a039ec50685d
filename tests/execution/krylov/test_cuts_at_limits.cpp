// SPDX-License-Identifier: MIT
// Cuts of matrices whose nonzeros 32 bits do not count, without storing them: shares of row
// pointers alone, up to 2^40; and parts of matrices far behind the first nonzero, whose arrays are
// addressed from where that would be. Linked again into the tests of a GPU.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "battery.hpp"
#include "cut_comparison.hpp"
#include "dwell/execution/krylov/spmv/row_sums.hpp"
#include "dwell/execution/krylov/spmv/value_pack.hpp"
#include "dwell/execution/team/team_cpu.hpp"
#include "dwell/solvers/linear/check/validate.hpp"
#include "place.hpp"

namespace dwell::test {
namespace {

const std::int64_t powers[] = {std::int64_t{1} << 31, std::int64_t{1} << 32, std::int64_t{1} << 40};

/// The array as if it began so many elements before its first one.
template <class V>
const V* behind(const V* array, std::int64_t nonzeros) {
  return reinterpret_cast<const V*>(reinterpret_cast<std::intptr_t>(array) -
                                    static_cast<std::intptr_t>(sizeof(V)) * nonzeros);
}

/// A point of the merge path, by counting the rows that end before it.
merge_coordinate plain_point(const std::vector<std::int64_t>& row_ptr, std::int64_t diagonal) {
  index row = 0;
  const auto rows = static_cast<index>(row_ptr.size()) - 1;
  while (row < rows && row_ptr[static_cast<std::size_t>(row) + 1] + row < diagonal) ++row;
  return {row, diagonal - row};
}

/// The row pointers of some rows with entries near a power of two, some of them long.
std::vector<std::int64_t> random_ends(splitmix64& random, std::int64_t power) {
  std::vector<std::int64_t> row_ptr = {0};
  const index rows = 1 + random.below(40);
  for (index i = 0; i < rows; ++i) {
    const std::int64_t left = power - row_ptr.back();
    const std::int64_t wanted = i == rows / 2 ? left + random.below(5) - 2 : 1 + random.below(2000);
    row_ptr.push_back(row_ptr.back() + std::max<std::int64_t>(wanted, 1));
  }
  return row_ptr;
}

TEST_F(cuts, of_row_pointers_beyond_32_bits_are_equal_shares) {
  splitmix64 random(11);
  const device where = place::where();
  for (int round = 0; round < 60; ++round) {
    const std::int64_t power = powers[round % 3];
    const auto row_ptr = random_ends(random, power);
    const auto rows = static_cast<index>(row_ptr.size()) - 1;
    const auto there = buffer<std::int64_t>::borrow(where, row_ptr);
    const large_csr_arrays<double> a(rows, rows, row_ptr.back(), there.data(), nullptr, nullptr);
    const int teams = 1 + random.below(150);
    for (const bool whole_rows : {false, true}) {
      SCOPED_TRACE(fmt::format("round {}, {} rows, {} nonzeros, {} teams, whole rows {}", round,
                               rows, row_ptr.back(), teams, whole_rows));
      const auto found = dwell::cut(where, a, {teams, false, whole_rows}).outline.teams;
      ASSERT_EQ(found.size(), static_cast<std::size_t>(teams));
      EXPECT_EQ(found.front().begin, (merge_coordinate{0, 0}));
      EXPECT_EQ(found.back().end, (merge_coordinate{rows, row_ptr.back()}));
      for (int t = 0; t < teams; ++t) {
        const auto at = [&](index row) { return row_ptr[static_cast<std::size_t>(row)]; };
        const team_part& part = found[static_cast<std::size_t>(t)];
        if (t > 0) {
          EXPECT_EQ(part.begin, found[static_cast<std::size_t>(t) - 1].end);
        }
        merge_coordinate want = plain_point(row_ptr, merge_share(rows + row_ptr.back(), t, teams));
        if (want.row < rows && want.nonzero > at(want.row) && want.nonzero == at(want.row + 1))
          ++want.row;
        if (whole_rows && want.row < rows) {
          if (want.nonzero - at(want.row) > at(want.row + 1) - want.nonzero) ++want.row;
          want.nonzero = at(want.row);
        }
        EXPECT_EQ(part.begin, want);
      }
      if (HasFailure()) return;
    }
  }
}

/// A matrix, and the same rows as if `base` nonzeros were before them.
struct rows_far_away {
  std::vector<std::int64_t> row_ptr;
  buffer<std::int64_t> row_ptr_there;
  buffer<index> short_row_ptr, col, first_rows;
  buffer<double> val;
  csr_arrays<double> near;
  large_csr_arrays<double> far;

  rows_far_away(const device& where, const csr<double>& a, std::int64_t base,
                const std::vector<index>& first)
      : row_ptr(a.row_ptr.begin(), a.row_ptr.end()) {
    for (std::int64_t& p : row_ptr) p += base;
    row_ptr_there = buffer<std::int64_t>::borrow(where, row_ptr);
    short_row_ptr = buffer<index>::borrow(where, a.row_ptr);
    col = buffer<index>::borrow(where, a.col);
    val = buffer<double>::borrow(where, a.val);
    first_rows = buffer<index>::borrow(where, first);
    near = {a.rows, a.cols, a.nonzeros(), short_row_ptr.data(), col.data(), val.data()};
    far = {a.rows,
           a.cols,
           a.nonzeros(),  // those that are there
           row_ptr_there.data(),
           behind(col.data(), base),
           behind(val.data(), base)};
  }
};

/// Rows that begin a team, some of which have none.
std::vector<index> random_shares(splitmix64& random, index rows, int teams) {
  std::vector<index> first = {0, rows};
  for (int t = 1; t < teams; ++t) first.push_back(random.below(rows + 1));
  std::sort(first.begin(), first.end());
  return first;
}

TEST_F(cuts, far_behind_the_first_nonzero_are_those_near_it) {
  splitmix64 random(7);
  const device where = place::where();
  for (int round = 0; round < (sanitized ? 6 : 18); ++round) {
    const csr<double> a =
        random_rows(1 + random.below(1200), static_cast<std::uint64_t>(round) + 40);
    const std::int64_t base = powers[round % 3] - random.below(a.nonzeros() + 1);
    const int teams = 1 + random.below(12);
    const auto first = random_shares(random, a.rows, teams);
    SCOPED_TRACE(fmt::format("round {}, {} rows, base {}, {} teams", round, a.rows, base, teams));
    const rows_far_away rows(where, a, base, first);
    cut_request asked{teams, true, true};
    asked.ghosts = round % 2 == 0;
    asked.first_rows = rows.first_rows.data();
    auto near = dwell::cut(where, rows.near, asked), far = dwell::cut(where, rows.far, asked);
    for (const int exponent : {0, 3}) {
      if (exponent == 0) {
        fill(where, rows.near, exponent, near);
        fill(where, rows.far, exponent, far);
      } else {
        fill_values(where, rows.near, exponent, near);
        fill_values(where, rows.far, exponent, far);
      }
      auto found = copied(where, far, a.nonzeros());
      for (std::vector<team_part>* parts : {&found.teams, &far.outline.teams})
        for (team_part& part : *parts) {
          if (parts == &far.outline.teams && exponent > 0) break;  // they have been moved
          part.begin.nonzero -= base;
          part.end.nonzero -= base;
        }
      expect_same(found, copied(where, near, a.nonzeros()));
      expect_same("outline", far.outline.teams, near.outline.teams);
      if (HasFailure()) return;
    }
    EXPECT_EQ(far.outline.halo, near.outline.halo);
    if (near.outline.halo > 0) expect_same(copied_ghosts(where, far), copied_ghosts(where, near));
  }
}

TEST_F(cuts, inverse_diagonals_far_behind_the_first_nonzero_are_those_near_it) {
  const device where = place::where();
  const csr<double> a = mesh(31, 17, 5);
  for (const std::int64_t power : powers) {
    const rows_far_away rows(where, a, power - 700, {0, a.rows});
    const auto n = static_cast<std::size_t>(a.rows);
    const buffer<double> near(where, n), far(where, n);
    invert_diagonal(where, rows.near, 2, false, near.data());
    invert_diagonal(where, rows.far, 2, false, far.data());
    expect_same("inverse", copied(where, far.data(), n), copied(where, near.data(), n));
  }
}

/// What teams of a CPU walk.
TEST(rows, far_behind_the_first_nonzero_have_the_sums_of_those_near_it) {
  using one = value_pack<double, 1>;
  using team = cpu_team<8>;
  const csr<double> a = random_rows(300, 3);
  const std::vector<double> x = random_vector(a.rows, 5);
  const auto* p = reinterpret_cast<const one*>(x.data());
  for (const std::int64_t power : powers) {
    const std::int64_t base = power - a.nonzeros() / 2;
    const rows_far_away rows(device::cpu(1), a, base, {0, a.rows});
    std::vector<double> sums(x.size());
    each_row(rows.far.row_ptr, 0, a.rows, base, [&](index row, std::int64_t from, std::int64_t to) {
      sums[static_cast<std::size_t>(row)] =
          row_sum<team>(rows.far.val, rows.far.col, p, from, to).v[0];
    });
    for (index i = 0; i < a.rows; ++i) {
      const csr_row<double> row = rows.far.row(i);
      const auto begin = static_cast<std::size_t>(a.row_ptr[static_cast<std::size_t>(i)]);
      ASSERT_EQ(row.col, a.col.data() + begin);
      ASSERT_EQ(row.val, a.val.data() + begin);
      ASSERT_EQ(row.count, a.row_ptr[static_cast<std::size_t>(i) + 1] - static_cast<index>(begin));
      double want = 0, size = 0;
      for (index k = 0; k < row.count; ++k) {
        const double term = row.val[k] * x[static_cast<std::size_t>(row.col[k])];
        want += term;
        size += std::abs(term);
      }
      EXPECT_NEAR(sums[static_cast<std::size_t>(i)], want, 1e-15 * size);
    }
  }
}

}  // namespace
}  // namespace dwell::test
