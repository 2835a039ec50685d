// SPDX-License-Identifier: MIT
// Triplets to CSR against a map of rows: the same bits for every number of threads, duplicates
// summed in input order, explicit zeros kept, from one entry to matrices of many buckets.
#include "dwell/formats/triplets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "battery.hpp"
#include "scratch.hpp"

namespace dwell {
namespace {

using test::message_of;
using test::splitmix64;

template <class T>
csr<T> naive(const triplets<T>& t) {
  std::map<std::pair<index, index>, T> sums;
  for (std::size_t k = 0; k < t.row.size(); ++k) {
    const auto [at, fresh] = sums.try_emplace({t.row[k], t.col[k]}, t.val[k]);
    if (!fresh) at->second += t.val[k];
  }
  csr<T> a{t.rows, t.cols, std::vector<index>(static_cast<std::size_t>(t.rows) + 1, 0), {}, {}};
  for (const auto& [place, sum] : sums) {
    ++a.row_ptr[static_cast<std::size_t>(place.first) + 1];
    a.col.push_back(place.second);
    a.val.push_back(sum);
  }
  for (std::size_t i = 1; i < a.row_ptr.size(); ++i) a.row_ptr[i] += a.row_ptr[i - 1];
  return a;
}

template <class T>
void expect_same_bits(const csr<T>& a, const csr<T>& b) {
  EXPECT_EQ(a.rows, b.rows);
  EXPECT_EQ(a.cols, b.cols);
  ASSERT_EQ(a.row_ptr, b.row_ptr);
  ASSERT_EQ(a.col, b.col);
  ASSERT_EQ(a.val.size(), b.val.size());
  if (a.val.empty()) return;
  EXPECT_EQ(std::memcmp(a.val.data(), b.val.data(), a.val.size() * sizeof(T)), 0);
}

template <class T>
void expect_as_naive(const triplets<T>& t) {
  const csr<T> expected = naive(t);
  for (int threads : {0, 1, 2, 3, 7, 16}) {
    SCOPED_TRACE(threads);
    expect_same_bits(to_csr(t, threads), expected);
  }
}

triplets<double> random_triplets(index rows, index cols, int entries, std::uint64_t seed) {
  splitmix64 random(seed);
  triplets<double> t{rows, cols, {}, {}, {}};
  for (int k = 0; k < entries; ++k) {
    t.row.push_back(random.below(rows));
    t.col.push_back(random.below(cols));
    t.val.push_back(random.uniform() * std::ldexp(1.0, random.below(60)));  // sums depend on order
  }
  return t;
}

TEST(triplets, nothing_at_all) {
  expect_as_naive(triplets<double>{});
  expect_as_naive(triplets<float>{5, 0, {}, {}, {}});
  expect_as_naive(triplets<double>{0, 5, {}, {}, {}});
}

TEST(triplets, one_entry) { expect_as_naive(triplets<double>{1, 1, {0}, {0}, {-2.5}}); }

TEST(triplets, explicit_zeros_and_sums_that_cancel_are_kept) {
  const triplets<double> t{2, 2, {0, 1, 1, 0}, {0, 1, 1, 1}, {0.0, 3.0, -3.0, -0.0}};
  expect_as_naive(t);
  const auto a = to_csr(t);
  EXPECT_EQ(a.val, (std::vector<double>{0.0, -0.0, 0.0}));
  EXPECT_TRUE(std::signbit(a.val[1]));
}

TEST(triplets, duplicates_are_summed_in_input_order) {
  // 1e16 + 1 - 1e16 is 0 in this order, 1 in another.
  const triplets<double> t{1, 3, {0, 0, 0, 0, 0}, {1, 2, 1, 1, 0}, {1e16, 5, 1, -1e16, 7}};
  EXPECT_EQ(to_csr(t).val, (std::vector<double>{7, 0, 5}));
  expect_as_naive(t);
}

TEST(triplets, random_without_and_with_many_duplicates) {
  expect_as_naive(random_triplets(997, 1009, 20000, 1));
  expect_as_naive(random_triplets(40, 30, 50000, 2));
  expect_as_naive(random_triplets(200000, 3, 60000, 3));  // most rows empty, several buckets
}

TEST(triplets, single_precision) {
  const auto d = random_triplets(300, 300, 30000, 4);
  triplets<float> t{d.rows, d.cols, d.row, d.col, {}};
  for (double v : d.val) t.val.push_back(static_cast<float>(v));
  expect_as_naive(t);
}

TEST(triplets, one_dense_row_backwards) {
  triplets<double> t{1000, 50000, {}, {}, {}};
  for (index j = 50000; j-- > 0;) {
    t.row.push_back(17);
    t.col.push_back(j);
    t.val.push_back(j);
  }
  expect_as_naive(t);
}

TEST(triplets, one_dense_column) {
  triplets<double> t{50021, 4, {}, {}, {}};  // a prime number of rows
  for (index i = 0; i < t.rows; ++i) {
    t.row.push_back(static_cast<index>((static_cast<std::int64_t>(i) * 30011) % t.rows));
    t.col.push_back(3);
    t.val.push_back(i);
  }
  expect_as_naive(t);
}

TEST(triplets, bad_input_is_refused_with_its_place) {
  const auto refusal = [](const triplets<double>& t) {
    std::string all;
    for (int threads : {1, 3}) {
      const std::string message = message_of([&] { to_csr(t, threads); });
      EXPECT_TRUE(all.empty() || all == message) << message;
      all = message;
    }
    return all;
  };
  EXPECT_EQ(refusal({2, 2, {0}, {0, 1}, {1}}),
            "triplets: expected as many rows as columns and values, found 1, 2 and 1");
  EXPECT_EQ(refusal({-1, 2, {}, {}, {}}),
            "triplets: expected sizes of 0 or more, found -1 rows and 2 columns");
  EXPECT_EQ(refusal({2, 2, {0, 1, 2, 9}, {0, 1, 0, 9}, {1, 1, 1, 1}}),
            "triplets: entry 2: expected an index in a matrix of 2 x 2, found row 2, column 0 "
            "(counted from 0)");
  EXPECT_EQ(refusal({2, 2, {0, 1}, {0, -1}, {1, 1}}),
            "triplets: entry 1: expected an index in a matrix of 2 x 2, found row 1, column -1 "
            "(counted from 0)");
}

}  // namespace
}  // namespace dwell
