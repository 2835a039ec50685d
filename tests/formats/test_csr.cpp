// SPDX-License-Identifier: MIT
// CSR: every broken view is refused with its place, every sound one accepted, and a conversion
// keeps the structure and rounds the values.
#include <gtest/gtest.h>

#include <sched.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <vector>

#include "dwell/base/control_groups.hpp"
#include "dwell/base/parallel.hpp"
#include "dwell/formats/csr.hpp"
#include "scratch.hpp"

namespace dwell {
namespace {

using test::message_of;

/// [1 . 2; . . .; . 3 .]
csr<double> small() { return {3, 3, {0, 2, 2, 3}, {0, 2, 1}, {1, 2, 3}}; }

std::string refusal(const csr<double>& a) {
  return message_of([&] { check(a.view(), "A"); });
}

TEST(csr, sound_matrices_pass) {
  check(small().view());
  check(csr<double>{}.view());
  check(csr_view<float>{});
  check(csr<float>{2, 0, {0, 0, 0}, {}, {}}.view());
}

TEST(csr, sizes) {
  const auto a = small();
  EXPECT_EQ(a.nonzeros(), 3);
  EXPECT_EQ(a.view().nonzeros(), 3);
  EXPECT_EQ(csr_view<double>{}.nonzeros(), 0);
  EXPECT_EQ(a.bytes(), 4 * 4u + 3 * 4u + 3 * 8u);
}

TEST(csr, broken_row_ptr_is_refused) {
  auto a = small();
  a.row_ptr[0] = 1;
  EXPECT_EQ(refusal(a), "A: row 0 (counted from 0): expected row_ptr to start at 0, found 1");
  a = small();
  a.row_ptr[2] = 1;
  EXPECT_EQ(refusal(a),
            "A: row 1 (counted from 0): expected row_ptr not to decrease, found 1 after 2");
  a = small();
  a.row_ptr = {0, 1000000, 2, 3};  // followed before it is checked, this reads far outside
  EXPECT_EQ(refusal(a),
            "A: row 1 (counted from 0): expected row_ptr not to decrease, found 2 after 1000000");
}

TEST(csr, broken_columns_are_refused) {
  auto a = small();
  a.col[2] = 3;
  EXPECT_EQ(refusal(a), "A: row 2 (counted from 0): expected columns from 0 to 2, found 3");
  a.col[2] = -1;
  EXPECT_EQ(refusal(a), "A: row 2 (counted from 0): expected columns from 0 to 2, found -1");
  a = small();
  a.col[1] = 0;
  EXPECT_EQ(refusal(a), "A: row 0 (counted from 0): expected ascending columns, found 0 after 0");
}

TEST(csr, values_that_are_not_finite_are_refused) {
  auto a = small();
  a.val[2] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(refusal(a), "A: row 3 (counted from 1): expected finite values, found nan in column 2");
  a.val[1] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(refusal(a),
            "A: row 1 (counted from 1): expected finite values, found -inf in column 3");
}

TEST(csr, null_pointers_and_negative_sizes_are_refused) {
  const auto a = small();
  auto v = a.view();
  v.row_ptr = nullptr;
  EXPECT_EQ(message_of([&] { check(v); }), "matrix: expected row_ptr, found a null pointer");
  v = a.view();
  v.val = nullptr;
  EXPECT_EQ(message_of([&] { check(v); }),
            "matrix: expected columns and values of 3 nonzeros, found a null pointer");
  v = a.view();
  v.cols = -1;
  EXPECT_EQ(message_of([&] { check(v); }),
            "matrix: expected sizes of 0 or more, found 3 rows and -1 columns");
}

TEST(csr, the_first_bad_row_of_a_large_matrix_is_named) {
  const index n = 1 << 20;  // large enough for several threads, where there are
  csr<double> a{n, n, {}, {}, std::vector<double>(n, 1.0)};
  a.row_ptr.clear();
  for (index i = 0; i <= n; ++i) a.row_ptr.push_back(i);
  for (index i = 0; i < n; ++i) a.col.push_back(i);
  check(a.view());
  a.val[n - 1] = INFINITY;
  a.col[n / 3] = n;
  EXPECT_EQ(refusal(a),
            "A: row 349525 (counted from 0): expected columns from 0 to 1048575, found 1048576");
}

TEST(csr, convert_keeps_structure_and_rounds) {
  auto a = small();
  a.val = {0.1, -0.0, 1e-60};
  const csr<float> f = convert<float>(a.view());
  EXPECT_EQ(f.rows, 3);
  EXPECT_EQ(f.cols, 3);
  EXPECT_EQ(f.row_ptr, a.row_ptr);
  EXPECT_EQ(f.col, a.col);
  EXPECT_EQ(f.val, (std::vector<float>{0.1f, -0.0f, 0.0f}));
  EXPECT_TRUE(std::signbit(f.val[1]));
  const csr<double> d = convert<double>(f.view());
  EXPECT_EQ(d.val[0], static_cast<double>(0.1f));
  EXPECT_EQ(convert<double>(a.view()).val, a.val);
  EXPECT_EQ(convert<float>(csr_view<double>{}).nonzeros(), 0);
}

TEST(csr, convert_refuses_overflow_with_its_place) {
  auto a = small();
  a.val[2] = -1e39;
  EXPECT_EQ(message_of([&] { convert<float>(a.view()); }),
            "matrix: row 3 (counted from 1): expected values in the range of single precision, "
            "found -1e+39 in column 2");
}

TEST(parallel, pieces_cover_everything_once) {
  for (int n : {0, 1, 2, 7, 100})
    for (int parts : {1, 2, 3, 8, 101}) {
      int at = 0;
      for (int p = 0; p < parts; ++p) {
        const auto [begin, end] = piece(n, p, parts);
        EXPECT_EQ(begin, at);
        EXPECT_LE(begin, end);
        EXPECT_LE(end - begin, n / parts + 1);
        at = end;
      }
      EXPECT_EQ(at, n);
    }
}

TEST(parallel, the_first_exception_is_thrown_when_all_have_ended) {
  std::atomic<int> ended = 0;
  const auto run = [&] {
    for_parts(5, [&](int part) {
      ++ended;
      if (part >= 2) throw input_error("part " + std::to_string(part));
    });
  };
  EXPECT_EQ(message_of(run), "part 2");
  EXPECT_EQ(ended, 5);
  for_parts(0, [](int) { FAIL(); });
}

TEST(parallel, default_threads_respects_the_affinity_mask) {
  EXPECT_GE(default_threads(), 1);
  cpu_set_t before, one;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  EXPECT_EQ(default_threads(), threads_within(CPU_COUNT(&before), cpu_quota()));
  CPU_ZERO(&one);
  for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
    if (CPU_ISSET(cpu, &before)) CPU_SET(cpu, &one);
  ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
  EXPECT_EQ(default_threads(), 1);
  ASSERT_EQ(sched_setaffinity(0, sizeof before, &before), 0);
}

}  // namespace
}  // namespace dwell
